/** The text of drawn rows, which the bytes of a job do not tell: those who drew them say it, for the paper as text. */
import { createHash } from 'node:crypto';
import type { DrawnText } from '../../contract.ts';

/** UTF-16 units kept; about as many rows as the tape holds. */
const MOST = 1_048_576;
/** Of the key of a text, and what stores it. */
const OVERHEAD = 64;

const keyOf = (dots: Uint8Array): string => createHash('sha256').update(dots).digest('base64');

/** Finds text by the dots it was drawn with; the oldest is forgotten first. */
export class DrawnTexts {
  readonly #texts = new Map<string, string>();
  #size = 0;

  /** A picture without ink is not kept: any gap has the same dots. */
  keep(drawn: readonly DrawnText[]): void {
    for (const { dots, text } of drawn) {
      if (dots.every((byte) => byte === 0)) continue;
      const key = keyOf(dots);
      this.#forget(key);
      this.#texts.set(key, text);
      this.#size += text.length + OVERHEAD;
      for (const [oldest] of this.#texts) {
        if (this.#size <= MOST) break;
        this.#forget(oldest);
      }
    }
  }

  /** `dots`: the data of GS v 0 or ESC *, as it was sent. Undefined where nobody said what it is. */
  of(dots: Uint8Array): string | undefined {
    return this.#size === 0 ? undefined : this.#texts.get(keyOf(dots));
  }

  #forget(key: string): void {
    const text = this.#texts.get(key);
    if (text !== undefined) this.#size -= text.length + OVERHEAD;
    this.#texts.delete(key);
  }
}
