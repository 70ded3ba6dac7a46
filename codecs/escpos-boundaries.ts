/** Boundaries between commands in a run of bytes of a stream, at which the printer obeys what is put between. */
import { mayGoOn } from './escpos-open-ends.ts';

const LF = 0x0a;
/** A part of text without a line end is no longer than this. */
const LONGEST_LINE = 256;

/** A text: its first and last place behind the end of a character, the last before the first where there is none; and where it ends. */
interface Text {
  readonly first: number;
  readonly last: number;
  readonly end: number;
}

/**
 * The boundaries of one run. Text is noted as a whole and looked through when one of them is asked for, as few are: any place behind a
 * byte of ASCII is one, and behind a line end is the best.
 */
export class Boundaries {
  /** A place between two commands is a text without a byte. */
  readonly #firsts: number[] = [];
  readonly #lasts: number[] = [];
  readonly #ends: number[] = [];
  /** Index of the first that is not passed. */
  #at = 0;

  get isEmpty(): boolean {
    return this.#lasts.length === 0;
  }

  /** Something may stand behind so many bytes. */
  add(place: number): void {
    this.addText({ first: place, last: place, end: place });
  }

  addText({ first, last, end }: Text): void {
    this.#firsts.push(first);
    this.#lasts.push(last);
    this.#ends.push(end);
  }

  /** True where the run ends with one. */
  endsAt(length: number): boolean {
    return this.#lasts.at(-1) === length;
  }

  /** The next one that has at least `least` of these bytes before it; undefined of none. `least` must never decrease. */
  next(bytes: Uint8Array, least: number): number | undefined {
    const [firsts, lasts] = [this.#firsts, this.#lasts];
    while (this.#at < lasts.length && lasts[this.#at]! < Math.max(firsts[this.#at]!, least)) this.#at += 1;
    const last = lasts[this.#at];
    return last === undefined ? undefined : inText(bytes, Math.ceil(Math.max(firsts[this.#at]!, least)), last);
  }

  /** True for a place within a text, that may be in a character of it. */
  isInText(place: number): boolean {
    // Where `next` has found nothing more in a text, it has passed that.
    for (let at = this.#at; at >= 0; at -= 1) {
      if (place >= (this.#ends[at] ?? Number.POSITIVE_INFINITY) && at < this.#at) return false;
      if (place >= this.#firsts[at]! && place < this.#ends[at]!) return true;
    }
    return false;
  }
}

/** The first line end in the next `LONGEST_LINE`, or else the last place behind the end of a character there, or `last`. */
function inText(bytes: Uint8Array, first: number, last: number): number {
  for (let from = first; from < last; from += LONGEST_LINE) {
    const to = Math.min(last, from + LONGEST_LINE);
    for (let place = from; place < to; place += 1) if (bytes[place - 1] === LF) return place;
    if (to === last) return last;
    for (let place = to - 1; place >= from; place -= 1)
      if (!mayGoOn(bytes[place - 1]!, bytes[place - 2]! >= 0x80)) return place;
  }
  return last;
}
