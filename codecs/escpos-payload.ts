/** Counts the payload of the current command: how many bytes are still to come, by the length table. */
import { BEL, imageBytes, NUL, type Token } from './escpos-tokenizer.ts';

/** The payload that is being read. It may have several parts, each with its own size in front of it. */
export class Payload {
  /** Bytes still to come of the current part. */
  #left = 0;
  /** Parts still to come after it: characters of ESC & or images of FS q, each after its size. */
  #parts = 0;
  #partHeader: 1 | 4 = 1;
  #columnBytes = 0;

  /** Begins the payload of the command in `token`. `columnBytes`: its third byte, which for ESC & is y, bytes a column. */
  begin({ command, payload, parts }: Token, columnBytes: number): void {
    this.#left = payload;
    this.#parts = parts;
    this.#partHeader = command.payload?.form === 'images' ? 4 : 1;
    this.#columnBytes = columnBytes;
  }

  /** Bytes still to come of the current part. */
  get left(): number {
    return this.#left;
  }

  /** Whether other parts follow this one. */
  get hasParts(): boolean {
    return this.#parts > 0;
  }

  /** The fewest bytes that can still come: this part, and the size fields of the other parts. */
  get missing(): number {
    return this.#left + this.#parts * this.#partHeader;
  }

  /** Takes up to `available` bytes that have arrived. Returns how many of them belong to this part. */
  take(available: number): number {
    const count = Math.min(this.#left, available);
    this.#left -= count;
    return count;
  }

  /** Reads the size field of the next part at `at`. Returns its length in bytes, or 0 where it is not complete. */
  nextPart(bytes: Uint8Array, at: number): number {
    const size = this.#partHeader;
    if (at + size > bytes.length) return 0;
    this.#parts--;
    this.#left = size === 1 ? bytes[at]! * this.#columnBytes : imageBytes(bytes, at);
    return size;
  }

  /** Ends the payload: no more of it will come. */
  end(): void {
    this.#left = this.#parts = 0;
  }
}

/** Replaces BEL by NUL in bytes that are not text, in place: a printer that does not know the command could obey it. */
export function silence(bytes: Uint8Array): void {
  for (let at = bytes.indexOf(BEL); at >= 0; at = bytes.indexOf(BEL, at + 1)) bytes[at] = NUL;
}
