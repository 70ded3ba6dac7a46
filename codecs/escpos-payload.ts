/** The payload of the command in hand: how many of its bytes are still to come, as far as the length table tells. */
import { imageBytes, type Token } from './escpos-tokenizer.ts';

export class Payload {
  /** Bytes of the payload, or of this part of it, to come. */
  #left = 0;
  /** Parts after it, each with its size before it: characters of ESC & (this many bytes a column), or images of FS q. */
  #parts = 0;
  #partHeader: 1 | 4 = 1;
  #columnBytes = 0;

  /** Of the command that `token` tells of; `columnBytes` is its third byte, y where it is ESC &. */
  begin({ command, payload, parts }: Token, columnBytes: number): void {
    this.#left = payload;
    this.#parts = parts;
    this.#partHeader = command.payload?.form === 'images' ? 4 : 1;
    this.#columnBytes = columnBytes;
  }

  /** Bytes of this part to come. */
  get left(): number {
    return this.#left;
  }

  /** Whether other parts follow this one. */
  get hasParts(): boolean {
    return this.#parts > 0;
  }

  /** The fewest bytes that are to come: what parts are without their sizes. */
  get missing(): number {
    return this.#left + this.#parts * this.#partHeader;
  }

  /** Counts bytes that came, of at most `available`; answers how many are of this part. */
  take(available: number): number {
    const count = Math.min(this.#left, available);
    this.#left -= count;
    return count;
  }

  /** Reads the size of the next part at `at`; answers how many bytes it takes, or 0 where it is not complete. */
  nextPart(bytes: Uint8Array, at: number): number {
    const size = this.#partHeader;
    if (at + size > bytes.length) return 0;
    this.#parts--;
    this.#left = size === 1 ? bytes[at]! * this.#columnBytes : imageBytes(bytes, at);
    return size;
  }

  /** No more of it will come. */
  end(): void {
    this.#left = this.#parts = 0;
  }
}
