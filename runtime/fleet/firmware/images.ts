/** Images in a folder, each in a file that has its digest as its name: whatever serves files may serve it, too. */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../base/durable.ts';
import {
  HEADER_BYTES,
  ImageFault,
  type ImageHeader,
  isSigned,
  manifestOffset,
  parseHeader,
  parseManifest,
  SIGNATURE_BYTES,
} from '../../image/format.ts';
import { Busy, Refusal } from '../http/errors.ts';
import { type Bucket, BucketFault, type Stored } from './bucket.ts';
import type { Range } from './range.ts';
import { Sending } from './sent.ts';
import { inTurn } from './turns.ts';
import { writeWhole } from './whole.ts';

/** The part of an image that is in memory at a time as it is received. */
const PIECE_BYTES = 64 * 1024;
/** Left on the disk beside an upload: the database may be on it, too. */
const FREE_BYTES = 128 * 1024 * 1024;
/** What is left of an upload that broke off. */
const UPLOAD = 'upload-';
const DAY_MS = 86_400_000;

const noRoom = () => new Busy('there is no room for an image on the disk');
const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** An image that was received. `signer`: which of the keys has signed it; undefined where nobody asked. */
export interface StoredImage extends ImageHeader, Stored {
  readonly signer: string | undefined;
}

/** What is still to be done with an image that was received, in this order. */
export interface Steps {
  /** Puts it into the bucket, where there is one. Rejects with Busy where that does not take it. */
  readonly put: () => Promise<void>;
  /** Gives it its name in the folder. */
  readonly publish: () => Promise<void>;
}

/**
 * The folder, which all processes of a fleet share unless there is a bucket: then each may have its own, and gets from there what is
 * not in it. Files in it never change.
 */
export class Images {
  readonly #folder: string;
  readonly #bucket: Bucket | undefined;
  readonly #sending = new Sending();
  /** What is looked for in the folder now: one look is for all who ask for it, as Node has few threads for files. */
  readonly #looks = new Map<string, Promise<number | undefined>>();

  constructor(folder: string, bucket?: Bucket) {
    this.#folder = folder;
    this.#bucket = bucket;
  }

  /** Makes the folder where it is lacking. */
  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
  }

  /**
   * Receives an image, and gives it to `take`, who publishes it as his last step, or refuses it: then nothing of it is kept here. `keys`:
   * raw Ed25519 public keys in base64, of which one must have signed it; undefined of what is a release already, whoever signed it. Throws a
   * Refusal where the bytes are no whole image, and where there is no room for it.
   */
  async store<T>(
    chunks: AsyncIterable<Uint8Array>,
    keys: readonly string[] | undefined,
    take: (image: StoredImage, steps: Steps) => Promise<T>,
  ): Promise<T> {
    return this.#withFile(async (file, path) => {
      const header = await this.#receive(file, chunks);
      const { sha256, signer } = await checked(file, header, keys);
      await file.sync();
      let published: Promise<void> | undefined;
      return take(
        { ...header, sha256, signer },
        {
          put: () =>
            this.#put(file, { sha256, length: header.length }).catch((error: unknown) => {
              throw error instanceof BucketFault ? new Busy(error.message) : error;
            }),
          publish: () => {
            published ??= this.#publish(path, sha256);
            return published;
          },
        },
      );
    });
  }

  /** Gets an image from the bucket. Rejects with a BucketFault, or with Busy where there is no room for it. */
  async fetch(image: Stored, bucket: Bucket): Promise<void> {
    await this.#withFile(async (file, path) => {
      await this.#mustHaveRoom(image.length);
      await writeWhole(file, image, bucket);
      await file.sync();
      await this.#publish(path, image.sha256);
    });
  }

  /** Puts an image of the folder into the bucket. Rejects with a BucketFault. */
  async putAgain(image: Stored): Promise<void> {
    const file = await open(this.#pathOf(image.sha256));
    try {
      await this.#put(file, image);
    } finally {
      await file.close();
    }
  }

  async #put(file: FileHandle, image: Stored): Promise<void> {
    await this.#bucket?.put(image, () => piecesOf(file, 0, image.length));
  }

  /** A file that is there for the time of this work, unless it gets another name. */
  async #withFile<T>(work: (file: FileHandle, path: string) => Promise<T>): Promise<T> {
    const path = join(this.#folder, `${UPLOAD}${randomUUID()}`);
    const file = await open(path, 'wx+', 0o644);
    try {
      return await work(file, path);
    } catch (error) {
      if (error instanceof ImageFault) throw new Refusal('invalid_request', error.message);
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? noRoom() : error;
    } finally {
      await file.close();
      await rm(path, { force: true });
    }
  }

  async #mustHaveRoom(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder);
    if (bavail * bsize < bytes + FREE_BYTES) throw noRoom();
  }

  /** Length of an image in bytes; undefined where it is not there. */
  async lengthOf(sha256: string): Promise<number | undefined> {
    if (!isDigest(sha256)) return undefined;
    const path = this.#pathOf(sha256);
    const sent = await this.#sending.lengthOf(path);
    if (sent !== undefined) return sent;
    const look =
      this.#looks.get(path) ??
      stat(path)
        .then(
          ({ size }) => size,
          () => undefined,
        )
        .finally(() => this.#looks.delete(path));
    this.#looks.set(path, look);
    return look;
  }

  /** The bytes of a range of an image, read as they are taken. Nobody may change them: others get the same. */
  read(sha256: string, range: Range): AsyncIterable<Uint8Array> {
    return this.#sending.read(this.#pathOf(sha256), range);
  }

  /** Deletes what is left of uploads that broke off a day ago. */
  async forgetUploads(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((each) => each.startsWith(UPLOAD));
    // A folder may take no file: it is asked for one only where that is needed.
    if (names.length === 0) return;
    const now = await this.#clock();
    for (const name of names) {
      const path = join(this.#folder, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
      if (mtimeMs < now - DAY_MS) await rm(path, { force: true });
    }
  }

  /** The clock that files here have their times by, in milliseconds since 1970: other machines may write here, too. */
  async #clock(): Promise<number> {
    const path = join(this.#folder, `${UPLOAD}${randomUUID()}`);
    try {
      await writeFile(path, '');
      return (await stat(path)).mtimeMs;
    } finally {
      await rm(path, { force: true });
    }
  }

  async #publish(path: string, sha256: string): Promise<void> {
    await rename(path, this.#pathOf(sha256));
    await syncDirectory(this.#folder);
  }

  readonly #pathOf = (sha256: string): string => join(this.#folder, sha256);

  async #receive(file: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<ImageHeader> {
    let header: ImageHeader | undefined;
    let held: Uint8Array = new Uint8Array(0);
    let length = 0;
    for await (const chunk of chunks) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (header === undefined) {
        if (held.length < HEADER_BYTES) continue;
        header = parseHeader(held.subarray(0, HEADER_BYTES));
        await this.#mustHaveRoom(header.length);
      }
      length += held.length;
      if (length > header.length) throw new ImageFault('longer than its header says');
      await file.write(held);
      held = new Uint8Array(0);
    }
    if (header === undefined || length !== header.length)
      throw new ImageFault(`${length + held.length} bytes arrived, ${header?.length ?? 'more'} were to come`);
    return header;
  }
}

/** The pieces from `first` up to `end`. */
async function* piecesOf(file: FileHandle, first: number, end: number): AsyncGenerator<Buffer> {
  for (let at = first; at < end; ) {
    const wanted = Math.min(PIECE_BYTES, end - at);
    const { bytesRead, buffer } = await inTurn(() => file.read(Buffer.allocUnsafe(wanted), 0, wanted, at));
    if (bytesRead === 0) throw new Error('an image is shorter than it was');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Checks manifest, digests and signature; resolves with the digest of the whole, and the key that signed it. Throws an ImageFault. */
async function checked(
  file: FileHandle,
  header: ImageHeader,
  keys: readonly string[] | undefined,
): Promise<Pick<StoredImage, 'sha256' | 'signer'>> {
  const { length, manifestLength } = header;
  const at = manifestOffset(header);
  const tail = Buffer.alloc(manifestLength + SIGNATURE_BYTES);
  await file.read(tail, 0, tail.length, at);
  const files = parseManifest(header, tail.subarray(0, manifestLength));
  const whole = createHash('sha256');
  const add = async (from: number, to: number, more: Hash) => {
    for await (const piece of piecesOf(file, from, to)) {
      whole.update(piece);
      more.update(piece);
    }
  };
  await add(0, HEADER_BYTES, createHash('sha256'));
  for (const { name, offset, size, sha256 } of files) {
    const own = createHash('sha256');
    await add(offset, offset + size, own);
    if (own.digest('hex') !== sha256) throw new ImageFault(`${name} is not what the manifest says`);
  }
  whole.update(tail.subarray(0, manifestLength));
  const signed = whole.copy().digest();
  const signature = tail.subarray(manifestLength);
  const signer = keys?.find((key) => isSigned(signed, signature, [key]));
  if (keys !== undefined && signer === undefined)
    throw new ImageFault('not signed with a key of the settings (firmware.keys)');
  whole.update(signature);
  if (at + tail.length !== length) throw new ImageFault('the lengths do not add up');
  return { sha256: whole.digest('hex'), signer };
}
