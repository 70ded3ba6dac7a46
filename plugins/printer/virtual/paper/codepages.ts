/**
 * The printer's side of `ESC t n` and `ESC R n`: which table each make shows for which number. Kept apart from the node's
 * own encoder on purpose, so that one can be wrong without the other. From the makers' manuals where one is named; the
 * rest as the decoder of EscPosUtils and the profiles of escpos-printer-db have it.
 */
import { UNKNOWN, upperHalfOf } from './codepage-tables.ts';

/** What bytes look like on this printer: `byte` is 20 or above. */
export type Glyphs = (byte: number, codePage: number, national: number) => string;

/** What nearly all makes have in common (Epson TM-T88III manual, ESC t: 0 to 5 and 16 to 19). */
const COMMON = {
  ...{ 0: 'cp437', 1: 'katakana', 2: 'cp850', 3: 'cp860', 4: 'cp863', 5: 'cp865' },
  ...{ 16: 'windows-1252', 17: 'ibm866', 18: 'cp852', 19: 'cp858' },
};

/** Printers of the POS-58 and POS-80 class (escpos-printer-db). */
const POS = {
  ...COMMON,
  ...{ 8: 'cp862', 23: 'windows-1251', 24: 'cp737', 25: 'windows-1257', 27: 'windows-1258', 28: 'cp864' },
  ...{
    32: 'windows-1255',
    56: 'cp861',
    60: 'cp855',
    61: 'cp857 without euro',
    65: 'cp851',
    66: 'cp869',
    72: 'windows-1250',
  },
  ...{ 91: 'windows-1254', 92: 'windows-1256', 93: 'cp720', 95: 'cp775' },
};

/** By make, the page of each n; one that is not here shows nothing above 7F. */
const PAGES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  // TM-T20III and TM-T88VI command manuals. Not drawn: Hiragana, kanji, PC853, PC1098, TCVN-3, the Thai pages but 21,
  // and the Indic ones, which are no single table of characters or of which none is published. 13 is IBM's page 857, which
  // has had the euro at D5 since 1998 (IBM Db2, code page 857).
  epson: {
    ...COMMON,
    ...{ 11: 'cp851', 13: 'cp857', 14: 'cp737', 15: 'iso-8859-7', 21: 'windows-874', 32: 'cp720', 33: 'cp775' },
    ...{ 34: 'cp855', 35: 'cp861', 36: 'cp862', 37: 'cp864', 38: 'cp869', 39: 'iso-8859-2', 40: 'iso-8859-15' },
    ...{ 42: 'cp774', 43: 'cp772', 44: 'cp1125', 45: 'windows-1250', 46: 'windows-1251', 47: 'windows-1253' },
    ...{ 48: 'windows-1254', 49: 'windows-1255', 50: 'windows-1256', 51: 'windows-1257', 52: 'windows-1258' },
    53: 'kz-1048',
  },
  // TM-T88III and TM-T88II manuals.
  'epson-legacy': COMMON,
  // 21 to 30: Samsung (later Bixolon) SRP-275 operator's manual, page 5-33; from 33 on escpos-printer-db.
  bixolon: {
    ...COMMON,
    ...{ 21: 'cp862', 22: 'cp864', 24: 'windows-1253', 25: 'windows-1254', 26: 'windows-1257', 28: 'windows-1251' },
    ...{ 29: 'cp737', 30: 'cp775', 33: 'windows-1255', 36: 'cp855', 37: 'cp857 without euro', 38: 'iso-8859-7' },
    ...{ 40: 'windows-1256', 41: 'windows-1258', 47: 'windows-1250' },
  },
  // 2: PPU-700 command reference, whose revision history says that page 850 is 858; the rest EscPosUtils.
  citizen: {
    ...COMMON,
    ...{ 2: 'cp858', 6: 'cp852', 7: 'ibm866', 8: 'cp857 without euro', 32: 'windows-1258', 40: 'cp864' },
  },
  xprinter: {
    ...COMMON,
    ...{ 7: 'windows-1253', 8: 'cp862', 11: 'windows-1255', 22: 'cp864', 23: 'windows-1251' },
    ...{ 24: 'cp737', 25: 'windows-1257', 33: 'windows-1256' },
  },
  'pos-5890': { ...POS, 90: 'windows-1253' },
  'pos-8360': { ...POS, 7: 'windows-1253' },
  mpt: { ...COMMON, 6: 'windows-1251', 7: 'ibm866' },
};

/** `ESC R n`: what stands at the twelve ASCII places that national sets replace, by n. */
const NATIONAL_PLACES = '#$@[\\]^`{|}~';
const NATIONAL = [
  '#$@[\\]^`{|}~',
  '#$à°ç§^`éùè¨',
  '#$§ÄÖÜ^`äöüß',
  '£$@[\\]^`{|}~',
  '#$@ÆØÅ^`æøå~',
  '#¤ÉÄÖÅÜéäöåü',
  '#$@°\\é^ùàòèì',
  '₧$@¡Ñ¿^´¨ñ}~',
  '#$@[¥]^`{|}~',
  '#¤ÉÆØÅÜéæøåü',
  '#$ÉÆØÅÜéæøåü',
  '#$á¡Ñ¿é´íñóú',
  '#$á¡Ñ¿éüíñóú',
  '#$@[₩]^`{|}~',
  '#$ŽŠĐĆČžšđćč',
  '#¥@[\\]^`{|}~',
];

const NOTHING: Readonly<Record<number, string>> = {};

/** What the bytes of 20 or above print on a printer of this make. */
export const glyphsOf = (make: string): Glyphs => {
  const pages = PAGES[make] ?? NOTHING;
  return (byte, number, national) => {
    if (byte >= 0x80) {
      const page = pages[number];
      return page === undefined ? UNKNOWN : upperHalfOf(page)[byte - 0x80]!;
    }
    const at = national === 0 ? -1 : NATIONAL_PLACES.indexOf(String.fromCharCode(byte));
    return at < 0 ? String.fromCharCode(byte) : (NATIONAL[national]?.[at] ?? String.fromCharCode(byte));
  };
};
