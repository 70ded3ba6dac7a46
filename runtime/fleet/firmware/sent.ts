/**
 * Images that are sent. To give a read to a thread costs as much as a heartbeat on a busy machine, and thousands of nodes come for one
 * image: a file is opened once for all of them, and what one gets is kept for the others.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Range } from './range.ts';
import { inTurn } from './turns.ts';

/** What is read at once. */
const PIECE_BYTES = 128 * 1024;
/**
 * What is given to a connection at once, and how long before the next: 50 Mbit/s, more than a shop's line has. Nobody hears what has
 * arrived, and what is on its way to a node whose connection breaks has to be sent again.
 */
const PART_BYTES = 64 * 1024;
const PART_MS = 10;
/** Pieces that are kept, of all images that are sent. */
const PIECES = 64;

interface Sent {
  readonly path: string;
  /** Resolves with the file and its length. */
  readonly opened: Promise<{ readonly file: FileHandle; readonly length: number }>;
  users: number;
}

/** The files that are sent, and the pieces of them that were read last. */
export class Sending {
  readonly #files = new Map<string, Sent>();
  /** By file and begin; those that were asked for last at the end. */
  readonly #pieces = new Map<string, Promise<Buffer>>();

  /** The length of a file, where it is sent to somebody. */
  async lengthOf(path: string): Promise<number | undefined> {
    const sent = this.#files.get(path);
    return sent?.opened.then(
      ({ length }) => length,
      () => undefined,
    );
  }

  /** The bytes of a range, read as they are taken. Nobody may change them: others get the same. */
  async *read(path: string, { first, last }: Range): AsyncGenerator<Uint8Array> {
    const sent = this.#files.get(path) ?? { path, opened: opened(path), users: 0 };
    this.#files.set(path, sent);
    sent.users += 1;
    try {
      await sent.opened;
      for (let at = first; at <= last; ) {
        const start = at - (at % PIECE_BYTES);
        // Also what is kept waits its turn: to send it takes as long as to let some in.
        const piece = (await inTurn(() => this.#piece(sent, start))).subarray(at - start, last + 1 - start);
        if (piece.length === 0) throw new Error('an image is shorter than it was');
        for (let from = 0; from < piece.length; from += PART_BYTES) {
          if (at + from > first) await delay(PART_MS);
          yield piece.subarray(from, from + PART_BYTES);
        }
        at += piece.length;
      }
    } finally {
      sent.users -= 1;
      if (sent.users === 0) await this.#close(sent);
    }
  }

  #piece(sent: Sent, start: number): Promise<Buffer> {
    const name = `${sent.path} ${start}`;
    const piece = this.#pieces.get(name) ?? pieceOf(sent, start);
    // What could not be read is not kept.
    piece.catch(() => void this.#pieces.delete(name));
    this.#pieces.delete(name);
    this.#pieces.set(name, piece);
    const [oldest] = this.#pieces.keys();
    if (this.#pieces.size > PIECES && oldest !== undefined) this.#pieces.delete(oldest);
    return piece;
  }

  async #close(sent: Sent): Promise<void> {
    this.#files.delete(sent.path);
    for (const name of this.#pieces.keys()) if (name.startsWith(`${sent.path} `)) this.#pieces.delete(name);
    const { file } = await sent.opened;
    await file.close();
  }
}

async function opened(path: string) {
  const file = await open(path);
  return { file, length: (await file.stat()).size };
}

async function pieceOf({ opened }: Sent, start: number): Promise<Buffer> {
  const { file, length } = await opened;
  const bytes = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(0, length - start)));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}
