/**
 * Receives an image: checks it in the order of specification 3.2 in a single pass, writes it to the slot as it arrives,
 * and makes it the next to boot only if all checks succeed.
 */
import { createHash } from 'node:crypto';
import { messageOf } from '../../base/thrown.ts';
import type { BootSlots, SlotWriter, SystemSlots } from '../../bindings/boot.ts';
import {
  HEADER_BYTES,
  ImageFault,
  type ImageHeader,
  isSigned,
  manifestOffset,
  type PlacedFile,
  parseHeader,
  parseManifest,
  SIGNATURE_BYTES,
} from '../../image/format.ts';
import type { IncomingImage } from '../../image/updates.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { ImageInfo } from '../../kernel/node.ts';
import { Garbage } from './garbage.ts';

/** What an image is checked against, and where it is written. */
export interface Receiver {
  readonly image: Pick<ImageInfo, 'variant' | 'trustedKeys' | 'securityFloor'>;
  readonly slots: BootSlots;
  /** Absent on a machine that was not made of a disk image. */
  readonly system: SystemSlots | undefined;
  /** Called when the last byte was received. */
  onReceived(): void;
}

/** Receives one image. Rejects with the ApiError of the first failed check; then the boot state is unchanged. */
export async function takeIn(incoming: IncomingImage, node: Receiver): Promise<ImageHeader> {
  const digests = new Digests(incoming.length - SIGNATURE_BYTES);
  const garbage = new Garbage();
  let header: ImageHeader | ImageFault | undefined;
  let writer: SlotWriter | undefined;
  try {
    for await (const chunk of headerFirst(incoming)) {
      if (header === undefined) {
        header = headerOf(chunk, incoming.length);
        if (!(header instanceof ImageFault)) {
          checkVariant(header, incoming, node);
          checkVersion(header, incoming);
          writer = await written(slotFor(header, incoming, node));
        }
      }
      if (digests.length + chunk.length > incoming.length) throw early(digests.length + chunk.length, incoming.length);
      // Bytes without a valid header are not written, to spare the flash; only their digest is computed.
      const write = writer === undefined ? undefined : written(writer.write(chunk));
      digests.update(chunk);
      await write;
      garbage.add(chunk.length);
    }
    if (digests.length !== incoming.length) throw early(digests.length, incoming.length);
    node.onReceived();
    const { whole, signed } = digests.end();
    if (whole !== incoming.sha256) throw new ApiError('image_digest_mismatch', `the bytes have SHA-256 ${whole}`);
    if (header instanceof ImageFault) throw new ApiError('image_invalid', header.message);
    if (header === undefined || writer === undefined) throw new ApiError('image_invalid', 'it has no header');
    const files = await verified(header, signed, writer, node);
    incoming.admitted?.();
    await written(writer.commit({ version: header.version, files }));
    return header;
  } finally {
    await writer?.discard().catch(() => {});
  }
}

const early = (received: number, length: number) =>
  new ApiError('invalid_body', `${received} of ${length} bytes arrived`);

/** The chunks, joined so that the first one contains the whole header. Throws if there are fewer bytes. */
async function* headerFirst({ chunks, length }: IncomingImage): AsyncGenerator<Uint8Array> {
  let first: Uint8Array | undefined = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (first === undefined) {
      yield chunk;
      continue;
    }
    first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
    if (first.length < HEADER_BYTES) continue;
    yield first;
    first = undefined;
  }
  if (first !== undefined) throw early(first.length, length);
}

function headerOf(chunk: Uint8Array, length: number): ImageHeader | ImageFault {
  try {
    const header = parseHeader(chunk.subarray(0, HEADER_BYTES));
    return header.length === length ? header : new ImageFault(`the image is ${header.length} bytes long`);
  } catch (error) {
    if (error instanceof ImageFault) return error;
    throw error;
  }
}

/** Where the content goes, by the type of the image. */
function slotFor(
  { type }: ImageHeader,
  { anyVariant }: IncomingImage,
  { slots, system }: Receiver,
): Promise<SlotWriter> {
  if (type === 'node') return slots.begin();
  if (system !== undefined) return system.begin({ anyVariant });
  throw new ApiError('image_invalid', 'a system bundle is for a disk that was made of an image, and this is none');
}

function checkVariant({ variant }: ImageHeader, { anyVariant }: IncomingImage, { image }: Receiver): void {
  if (anyVariant || variant === image.variant) return;
  throw new ApiError('image_wrong_variant', `the image is for ${variant}, this node is ${image.variant}`);
}

/** Otherwise an old image that is offered as a new one would be installed again and again. */
function checkVersion({ version }: ImageHeader, { version: wanted = version }: IncomingImage): void {
  if (version !== wanted) throw new ApiError('image_invalid', `the image is version ${version}, not ${wanted}`);
}

/** Checks signature, format and floor, in this order, on the bytes as read back from the slot. Returns the files. */
async function verified(
  header: ImageHeader,
  signed: Buffer,
  writer: SlotWriter,
  { image }: Receiver,
): Promise<PlacedFile[]> {
  const tail = await written(writer.read(manifestOffset(header), header.manifestLength + SIGNATURE_BYTES));
  if (!isSigned(signed, tail.subarray(header.manifestLength), image.trustedKeys)) {
    throw new ApiError('image_invalid', 'it is not signed with a key that this node trusts');
  }
  try {
    const files = parseManifest(header, tail.subarray(0, header.manifestLength));
    if (header.floor >= image.securityFloor) return files;
  } catch (error) {
    if (error instanceof ImageFault) throw new ApiError('image_invalid', error.message);
    throw error;
  }
  throw new ApiError('image_invalid', `its security floor is ${header.floor}, this node's is ${image.securityFloor}`);
}

/** Turns every error of the slot into `ota_write_failed`. */
async function written<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new ApiError('ota_write_failed', messageOf(error));
  }
}

/** SHA-256 of all bytes, and of the signed ones: all without the signature at the end. */
class Digests {
  length = 0;
  readonly #hash = createHash('sha256');
  readonly #signedLength: number;
  #signed: Buffer | undefined;

  constructor(signedLength: number) {
    this.#signedLength = signedLength;
  }

  update(chunk: Uint8Array): void {
    const before = this.#signedLength - this.length;
    this.length += chunk.length;
    if (this.#signed !== undefined || chunk.length < before) {
      this.#hash.update(chunk);
      return;
    }
    this.#hash.update(chunk.subarray(0, before));
    this.#signed = this.#hash.copy().digest();
    this.#hash.update(chunk.subarray(before));
  }

  /** `whole`: of all bytes, in hexadecimal; `signed`: of the signed bytes. */
  end(): { readonly whole: string; readonly signed: Buffer } {
    return { whole: this.#hash.digest('hex'), signed: this.#signed ?? Buffer.alloc(0) };
  }
}
