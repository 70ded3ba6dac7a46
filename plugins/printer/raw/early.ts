/** What a connection sends while it waits for the printer: kept for its turn. The status requests in it are answered at once. */
import { EscposStream } from '../../../codecs/escpos-stream.ts';
import { AS_SENT, NOWHERE } from '../../../codecs/escpos-stretches.ts';

/** Bytes behind which no more are read before the turn; what is read at once may exceed them. */
const ENOUGH = 16_384;

/** The bytes of one connection since it began to wait, with the first command that it sends then. */
export class Early {
  /** Ahead of the filter, which follows the state of the printer and has to wait for the turn. */
  readonly #reader = new EscposStream(AS_SENT);
  #bytes: Uint8Array = new Uint8Array(0);
  #asked = 0;

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** How many status requests `take` has given. */
  get asked(): number {
    return this.#asked;
  }

  get isFull(): boolean {
    return this.#bytes.length >= ENOUGH;
  }

  /** Keeps more bytes. Gives the numbers of the status requests that are whole now. */
  take(chunk: Uint8Array): readonly number[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    // The reader may silence what a deselected printer ignores; the printer gets what the filter makes of it.
    this.#reader.push(Uint8Array.from(chunk), NOWHERE);
    const numbers = this.#reader.progress.takeStatusRequests();
    this.#asked += numbers.length;
    return numbers;
  }
}
