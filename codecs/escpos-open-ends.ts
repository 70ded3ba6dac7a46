/** What some printers may still take for part of the last command, although it ended for others. */
import { NUL } from './escpos-tokenizer.ts';

/** Most bytes that may follow the first byte of a character (UTF-8, GB18030), or an unknown lead byte. */
const NEAR = 3;
const NOTHING = new Uint8Array(0);
export const ONE_NUL = Uint8Array.of(NUL);
/** NULs, so many that none of them is part of a character. */
export const NULS = new Uint8Array(NEAR);
/** More than any real-time command expects. */
export const AFTER_REALTIME = new Uint8Array(8);

/**
 * Whether a byte may be the first or second of a character that has more: with the high bit, or a digit behind such a one (GB 18030, four
 * bytes).
 */
export const mayGoOn = (byte: number, isBehindHigh: boolean): boolean =>
  byte >= 0x80 || (isBehindHigh && byte >= 0x30 && byte <= 0x39);

/** The place at or before `place`, and not before `start`, where the bytes that may be of a character with more begin: what is before it is whole. */
export function wholeTo(bytes: Uint8Array, start: number, place: number): number {
  let at = place;
  while (at > start && mayGoOn(bytes[at - 1]!, bytes[at - 2]! >= 0x80)) at -= 1;
  return at;
}

/** Neither a space nor a control character is a part of a character of two bytes (JIS X 0208). */
const FIRST_OF_PAIR = 0x21;

/** Whether this text, of characters of two bytes, ends behind the first one. `isSecond`: it begins with the second one. */
export function endsInPair(bytes: Uint8Array, start: number, end: number, isSecond: boolean): boolean {
  let isHalf = isSecond;
  for (let at = start; at < end; at += 1) isHalf = !isHalf && bytes[at]! >= FIRST_OF_PAIR;
  return isHalf;
}

/** Follows the bytes that were forwarded. */
export class OpenEnds {
  /** Inside the data of GS k function A: the NUL that ends it has not come. */
  listOpen = false;
  /** The last byte forwarded may be one of a multibyte character, and not its last. */
  inCharacter = false;
  /** Bytes forwarded since a lead byte of no known command, that byte included. */
  #sinceUnknown = NEAR + 1;

  /** Notes that `count` bytes were forwarded. */
  passed(count: number): void {
    if (this.#sinceUnknown <= NEAR) this.#sinceUnknown += count;
    this.inCharacter = false;
  }

  /** Notes what the bytes from `start` to `end`, text that was forwarded, leave open. `wasInCharacter`: the text before them did. */
  passedText(bytes: Uint8Array, start: number, end: number, wasInCharacter: boolean): void {
    const isHigh = end - 1 > start ? bytes[end - 2]! >= 0x80 : wasInCharacter;
    this.inCharacter = mayGoOn(bytes[end - 1]!, isHigh);
    if (this.listOpen && bytes.subarray(start, end).includes(NUL)) this.listOpen = false;
  }

  /** The byte that was forwarded last is a lead byte of no known command. */
  passedUnknown(): void {
    this.#sinceUnknown = 1;
  }

  /** Bytes that are not part of the stream were inserted, and have ended what was open, but for a list. */
  inserted(): void {
    this.#sinceUnknown = NEAR + 1;
    this.inCharacter = false;
  }

  /** True where the next byte may be a parameter. */
  get isInside(): boolean {
    return this.listOpen || this.#sinceUnknown === 1;
  }

  /** True where an unknown lead byte may still have parameters. */
  get isNearUnknown(): boolean {
    return this.#sinceUnknown <= NEAR;
  }

  /** As many NULs as an unknown lead byte may still have parameters. */
  get afterUnknown(): Uint8Array {
    return this.isNearUnknown ? NULS.subarray(0, NEAR + 1 - this.#sinceUnknown) : NOTHING;
  }

  get isOpen(): boolean {
    return this.inCharacter || this.listOpen || this.isNearUnknown;
  }

  /** Ends what is open. Gives the bytes that have to be inserted for it. */
  close(): Uint8Array {
    const bytes = this.inCharacter ? NULS : this.isNearUnknown ? this.afterUnknown : this.listOpen ? ONE_NUL : NOTHING;
    this.listOpen = false;
    return bytes;
  }
}
