/**
 * Bytes that arrive in pieces, held until they are wanted. Whoever sends decides how long a piece is: each chunk of HTTP is one of
 * its own, and one of a single byte takes hundreds in memory, and holds all that was read with it.
 */
import { Buffer } from 'node:buffer';

/** Shorter pieces are copied together, into blocks of this length; the first ones are shorter, as long as what is there. */
const BLOCK_BYTES = 16 * 1024;
const LEAST_BYTES = 1024;

/** The memory that it takes is in proportion to `length`, whatever the pieces were. */
export class Gathered {
  #pieces: Uint8Array[] = [];
  /** The last of the pieces, where it is a block with place in it. */
  #block: { readonly bytes: Buffer; used: number } | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#length += bytes.length;
    // One alone stays as it came: most bodies are one.
    if (this.#pieces.length === 0 || bytes.length >= BLOCK_BYTES) {
      this.#block = undefined;
      this.#pieces.push(bytes);
      return;
    }
    for (let rest = bytes; rest.length > 0; ) {
      if (this.#block === undefined || this.#block.used === this.#block.bytes.length) {
        const length = Math.min(BLOCK_BYTES, Math.max(LEAST_BYTES, this.#length));
        this.#block = { bytes: Buffer.allocUnsafeSlow(length), used: 0 };
        this.#pieces.push(this.#block.bytes);
      }
      const taken = rest.subarray(0, this.#block.bytes.length - this.#block.used);
      this.#block.bytes.set(taken, this.#block.used);
      this.#block.used += taken.length;
      this.#pieces[this.#pieces.length - 1] = this.#block.bytes.subarray(0, this.#block.used);
      rest = rest.subarray(taken.length);
    }
  }

  /** All of it, in pieces. They stay. */
  get pieces(): readonly Uint8Array[] {
    return this.#pieces;
  }

  /** All of it. It stays. */
  whole(): Buffer {
    const [only] = this.#pieces;
    if (this.#pieces.length !== 1 || only === undefined) return Buffer.concat(this.#pieces, this.#length);
    return Buffer.from(only.buffer, only.byteOffset, only.length);
  }

  clear(): void {
    this.#pieces = [];
    this.#block = undefined;
    this.#length = 0;
  }
}
