/** A long text as bytes, part by part: beside what is still to be drawn there is no room for all of it as a string. */
import { concatenated } from '../virtual/state/bytes.ts';

/** Characters that are encoded at once. */
const MOST_HELD = 16_384;
const ENCODER = new TextEncoder();

/** Collects a text in UTF-8. */
export class Utf8 {
  readonly #encoded: Uint8Array[] = [];
  #held = '';

  /** A surrogate pair has to stand in one part. */
  add(text: string): void {
    this.#held += text;
    if (this.#held.length > MOST_HELD) this.#encode();
  }

  #encode(): void {
    this.#encoded.push(ENCODER.encode(this.#held));
    this.#held = '';
  }

  /** The text so far, in memory of its own. */
  bytes(): Uint8Array {
    this.#encode();
    return concatenated(this.#encoded);
  }
}
