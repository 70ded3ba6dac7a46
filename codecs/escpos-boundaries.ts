/** Boundaries between commands in a run of bytes of a stream, at which the printer obeys what is put between. */

const LF = 0x0a;
/** A part of text without a line end is no longer than this. */
const LONGEST_LINE = 256;

/**
 * The boundaries of one run. Text is noted as a whole and looked through when one of them is asked for, as few are: any place behind a
 * byte of ASCII is one, and behind a line end is the best.
 */
export class Boundaries {
  /** The first and last place of each text; both are the same between two commands. */
  readonly #firsts: number[] = [];
  readonly #lasts: number[] = [];
  /** Index of the first that is not passed. */
  #at = 0;

  get isEmpty(): boolean {
    return this.#lasts.length === 0;
  }

  /** Something may stand behind so many bytes. */
  add(place: number): void {
    this.addText(place, place);
  }

  /** From the first of these places to the last one, which is a boundary, are the characters of a text. */
  addText(first: number, last: number): void {
    this.#firsts.push(first);
    this.#lasts.push(last);
  }

  /** True where the run ends with one. */
  endsAt(length: number): boolean {
    return this.#lasts.at(-1) === length;
  }

  /** The next one that has at least `least` of these bytes before it; undefined of none. `least` must never decrease. */
  next(bytes: Uint8Array, least: number): number | undefined {
    const lasts = this.#lasts;
    while (this.#at < lasts.length && lasts[this.#at]! < least) this.#at += 1;
    const last = lasts[this.#at];
    return last === undefined ? undefined : inText(bytes, Math.ceil(Math.max(this.#firsts[this.#at]!, least)), last);
  }
}

/** The first line end in the next `LONGEST_LINE`, or else the last place behind ASCII there, or `last`. */
function inText(bytes: Uint8Array, first: number, last: number): number {
  for (let from = first; from < last; from += LONGEST_LINE) {
    const to = Math.min(last, from + LONGEST_LINE);
    for (let place = from; place < to; place += 1) if (bytes[place - 1] === LF) return place;
    if (to === last) return last;
    for (let place = to - 1; place >= from; place -= 1) if (bytes[place - 1]! < 0x80) return place;
  }
  return last;
}
