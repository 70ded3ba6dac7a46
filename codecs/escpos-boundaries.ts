/** Boundaries between commands in a run of bytes of a stream, at which the printer obeys what is put between. */
import { mayGoOn, wholeTo } from './escpos-open-ends.ts';

const LF = 0x0a;
/** A part of text without a line end is no longer than this. */
const LONGEST_LINE = 256;

/** A text: its first and last place behind the end of a character, the last before the first where there is none; and where it ends. */
interface Text {
  readonly first: number;
  readonly last: number;
  readonly end: number;
}

/** Bytes of the character at an index; 0 where there is none. */
type LengthAt = (bytes: Uint8Array, at: number) => number;

/**
 * The boundaries of one run. Text is noted as a whole and looked through when one of them is asked for, as few are: any place behind a
 * byte of ASCII is one, and behind a line end is the best.
 */
export class Boundaries {
  /** A place between two commands is a text without a byte. */
  readonly #firsts: number[] = [];
  readonly #lasts: number[] = [];
  readonly #ends: number[] = [];
  readonly #areShiftJis: boolean[] = [];
  /** Index of the first that is not passed. */
  #at = 0;

  get isEmpty(): boolean {
    return this.#lasts.length === 0;
  }

  /** Something may stand behind so many bytes. */
  add(place: number): void {
    this.addText({ first: place, last: place, end: place });
  }

  /** `isShiftJis`: its characters are known to be. */
  addText({ first, last, end }: Text, isShiftJis = false): void {
    this.#areShiftJis.push(isShiftJis);
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

  /** The end of a character at or behind a place within a text, as far as that can be known; undefined where the place is in none. */
  inText(bytes: Uint8Array, place: number): number | undefined {
    // Where `next` has found nothing more in a text, it has passed that.
    for (let at = this.#at; at >= 0; at -= 1) {
      if (place >= (this.#ends[at] ?? Number.POSITIVE_INFINITY) && at < this.#at) return undefined;
      const [first, end] = [this.#firsts[at], this.#ends[at]];
      if (first === undefined || end === undefined || place < first || place >= end) continue;
      const found = endOfCharacter(bytes, first - 1, place, this.#areShiftJis[at] ? [lengthOfShiftJis] : LENGTHS);
      return found < end ? found : undefined;
    }
    return undefined;
  }
}

/**
 * Where the last character begins and ends that begins before `place`, of text that begins at `start`: counted from the last byte of ASCII, by
 * the first of these ways to count in which all of it is characters; undefined where it is none in any.
 */
function lastCharacter(bytes: Uint8Array, start: number, place: number, lengths: readonly LengthAt[]) {
  const from = wholeTo(bytes, start, place);
  for (const lengthAt of lengths) {
    let [begin, end] = [from, from];
    for (let length = 1; end < place && length > 0; end += length) {
      begin = end;
      length = lengthAt(bytes, end);
    }
    if (end >= place) return { begin, end };
  }
  return undefined;
}

/** The first end of a character at or behind `place`, as far as that can be known. */
const endOfCharacter = (bytes: Uint8Array, start: number, place: number, lengths: readonly LengthAt[]): number =>
  lastCharacter(bytes, start, place, lengths)?.end ?? place;

/** The number of bytes at the end of this text, which begins at `start`, that are of a character of which more is to come; 0 where none is known to. */
export function openCharacter(bytes: Uint8Array, start: number, isShiftJis: boolean): number {
  const last = lastCharacter(bytes, start, bytes.length, isShiftJis ? [lengthOfShiftJis] : LENGTHS);
  return last !== undefined && last.end > bytes.length ? bytes.length - last.begin : 0;
}

/** Bytes of the character of UTF-8 at an index (RFC 3629, 4); 0 where there is none. */
function lengthOfUtf8(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (let next = at + 1; next < at + length; next += 1) if ((bytes[next] ?? 0x80) >> 6 !== 2) return 0;
  return length;
}

/** Bytes of the character of Shift JIS at an index (JIS X 0208, appendix 1): half-width kana, A1 to DF, have one. */
const lengthOfShiftJis: LengthAt = (bytes, at) =>
  bytes[at]! < 0x80 || (bytes[at]! >= 0xa0 && bytes[at]! < 0xe0) ? 1 : 2;

/** Pairs: of GB 2312, Big5, Shift JIS, EUC. Where digits stand in them, two are one character (GB 18030). */
const lengthOfPairs: LengthAt = (bytes, at) =>
  bytes[at]! < 0x80 ? 1 : bytes[at + 1]! >= 0x30 && bytes[at + 1]! <= 0x39 ? 4 : 2;

const LENGTHS: readonly LengthAt[] = [lengthOfUtf8, lengthOfPairs];

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
