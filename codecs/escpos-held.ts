/** What the filter of port 9100 holds back of a stream until more of it tells what it is. */
import { isLead, LONGEST_UNDECIDED } from './escpos-tokenizer.ts';

const EMPTY = new Uint8Array(0);

/** Reads the tokens that begin before `until`. Gives the index of the first byte that is not read. */
type Read = (bytes: Uint8Array, until: number) => number;

/** The last bytes of what has come: the beginning of a command, or of a character. */
export class HeldBytes {
  readonly #read: Read;
  #bytes: Uint8Array = EMPTY;

  constructor(read: Read) {
    this.#read = read;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** True of the beginning of a command. */
  get isHeader(): boolean {
    return this.#bytes.length > 0 && isLead(this.#bytes[0]!);
  }

  /** Reads what comes behind them, and holds what is not read of it. */
  push(chunk: Uint8Array): void {
    let rest = chunk;
    const held = this.#bytes.length;
    if (held > 0) {
      const joined = new Uint8Array(held + Math.min(chunk.length, LONGEST_UNDECIDED));
      joined.set(this.#bytes);
      joined.set(chunk.subarray(0, LONGEST_UNDECIDED), held);
      const read = this.#read(joined, held);
      if (read < held) {
        this.#bytes = joined.subarray(read);
        return;
      }
      rest = chunk.subarray(read - held);
    }
    const read = this.#read(rest, rest.length);
    this.#bytes = read === rest.length ? EMPTY : rest.slice(read);
  }

  /** Takes it that no more will come: text is read as it is, a command is forgotten. */
  end(): void {
    if (this.#bytes.length > 0 && !this.isHeader) this.#read(this.#bytes, this.#bytes.length);
    this.#bytes = EMPTY;
  }
}
