/** The text of drawn rows, which the bytes of a job do not tell: those who drew them say it, for the paper as text. */
import { createHash } from 'node:crypto';
import type { DrawnText } from '../../contract/twin.ts';
import { NOTHING_YET, type Parts } from './parts.ts';

/** UTF-16 units kept; about as many rows as the tape holds. */
const MOST = 1_048_576;
/** Bytes for the key of a text, and what stores it. */
const OVERHEAD = 64;
/** Texts kept of the same dots, as those of letters whose marks differ by less than a dot. */
const MOST_ALIKE = 256;

/** Pieces of one picture. */
const MOST_STRIPS = 128;

const keyOf = (dots: Uint8Array): string => createHash('sha256').update(dots).digest('base64');

/** A text that was drawn so many times in a row, with the same dots. */
interface Told {
  readonly text: string;
  times: number;
}

/** Finds text by the dots it was drawn with, the last one where others look the same; the oldest is forgotten first. */
export class DrawnTexts {
  readonly #texts = new Map<string, Told[]>();
  /** Bytes of pictures that were kept. */
  readonly #lengths = new Set<number>();
  #size = 0;

  /** In the order in which they are printed. A picture without ink is not kept: any gap has the same dots. */
  keep(drawn: readonly DrawnText[]): void {
    for (const { dots, text } of drawn) {
      if (dots.every((byte) => byte === 0)) continue;
      const key = keyOf(dots);
      const told = this.#texts.get(key) ?? [];
      this.#forget(key);
      const last = told.at(-1);
      if (last?.text === text) last.times += 1;
      else told.push({ text, times: 1 });
      if (told.length > MOST_ALIKE) told.shift();
      this.#texts.set(key, told);
      this.#lengths.add(dots.length);
      this.#size += sizeOf(told);
      for (const [oldest] of this.#texts) {
        if (this.#size <= MOST) break;
        this.#forget(oldest);
      }
    }
  }

  /**
   * The text of each of these pictures that somebody said. `pictures`: the data of every GS v 0 and ESC * on a paper, as it was
   * sent and in its order; the last one of equal dots is the last one that was drawn.
   */
  *of(pictures: readonly Uint8Array[]): Parts<ReadonlyMap<Uint8Array, string>> {
    const said = new Map<Uint8Array, string>();
    if (this.#size === 0) return said;
    const seen = new Map<string, number>();
    for (let at = pictures.length - 1; at >= 0; at -= 1) {
      yield NOTHING_YET;
      for (const { dots, count } of this.#joined(pictures, at, said)) {
        const key = keyOf(dots);
        const told = this.#texts.get(key);
        if (told === undefined) continue;
        const behind = seen.get(key) ?? 0;
        seen.set(key, behind + 1);
        for (let other = at + 1; other < at + count; other += 1) said.set(pictures[other]!, '');
        said.set(pictures[at]!, fromTheEnd(told, behind));
        break;
      }
    }
    return said;
  }

  /** A picture, and with it those right below it that have no text yet: a slow printer is sent one as several. */
  *#joined(pictures: readonly Uint8Array[], at: number, said: ReadonlyMap<Uint8Array, string>) {
    const { buffer, byteOffset } = pictures[at]!;
    let length = 0;
    for (let next = at; next < Math.min(pictures.length, at + MOST_STRIPS); next += 1) {
      const strip = pictures[next]!;
      if (strip.buffer !== buffer || strip.byteOffset !== byteOffset + length || said.has(strip)) return;
      length += strip.length;
      if (!this.#lengths.has(length)) continue;
      yield { dots: new Uint8Array(buffer, byteOffset, length), count: next + 1 - at };
    }
  }

  #forget(key: string): void {
    this.#size -= sizeOf(this.#texts.get(key) ?? []);
    this.#texts.delete(key);
  }
}

const sizeOf = (told: readonly Told[]): number => told.reduce((sum, { text }) => sum + text.length + OVERHEAD, 0);

/** The text behind which so many were drawn; the first one that is known where it was before all of them. */
function fromTheEnd(told: readonly Told[], behind: number): string {
  let left = behind;
  for (let at = told.length - 1; at > 0; at -= 1) {
    if (left < told[at]!.times) return told[at]!.text;
    left -= told[at]!.times;
  }
  return told[0]!.text;
}
