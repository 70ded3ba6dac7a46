/**
 * What two bytes print in the two-byte font of a printer (Epson TM-T88III specification rev. B, 6.4; HCC POS80B technical
 * manual, FS .; Citizen command reference, FS C). Decoded by the platform (WHATWG Encoding), apart from the tables of the
 * node's encoder.
 */
import type { Modes } from '../state/modes.ts';
import { UNKNOWN } from './codepage-tables.ts';

/** The two-byte font of a model, in the modes that commands have set. */
export interface TwoByteGlyphs {
  /** Whether a byte of 20 or above is the first of two. */
  isFirst(byte: number, modes: Modes): boolean;
  glyph(first: number, second: number, modes: Modes): string;
}

/** Reads one character of an encoding. */
const characterIn = (label: string): ((...bytes: readonly number[]) => string) => {
  const decoder = new TextDecoder(label);
  return (...bytes) => {
    const char = decoder.decode(Uint8Array.from(bytes));
    return char.length === 1 ? char : UNKNOWN;
  };
};

/** Glyphs of China, Taiwan and Korea: switched on in two-byte mode, in which ASCII stays ASCII. */
const inTwoByteMode = (label: string): TwoByteGlyphs => {
  const character = characterIn(label);
  return {
    isFirst: (byte, { twoByte = true }) => twoByte && byte >= 0x81 && byte <= 0xfe,
    glyph: (first, second) => character(first, second),
  };
};

/**
 * Glyphs of Japan: switched on in one-byte mode. In JIS, two-byte mode pairs all printable bytes; while Shift_JIS is selected its
 * first bytes begin a character in either mode.
 */
const japanese = (): TwoByteGlyphs => {
  const shiftJis = characterIn('shift_jis');
  const eucJp = characterIn('euc-jp');
  return {
    isFirst: (byte, modes) =>
      modes.shiftJis
        ? (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xef)
        : modes.twoByte === true && byte >= 0x21 && byte <= 0x7e,
    glyph: (first, second, modes) => (modes.shiftJis ? shiftJis(first, second) : eucJp(first | 0x80, second | 0x80)),
  };
};

const FONTS: Readonly<Record<string, () => TwoByteGlyphs>> = {
  gb18030: () => inTwoByteMode('gb18030'),
  big5: () => inTwoByteMode('big5'),
  ks: () => inTwoByteMode('euc-kr'),
  shift_jis: japanese,
};

/** The font that a recipe row calls by this name; undefined where the printer has none. */
export const twoByteGlyphsOf = (font: string): TwoByteGlyphs | undefined => FONTS[font]?.();
