/**
 * Computes the width of symbols, in modules and in dots. Wide elements of Interleaved 2 of 5, Code 39 and Codabar count as
 * three modules, the most that the standards allow and that printers make.
 */
import type { LinearSymbology } from './barcode.ts';

export type PrintedSymbology =
  | LinearSymbology
  | ('qr' | 'pdf417' | 'aztec' | 'datamatrix' | 'gs1-databar' | 'gs1-databar-expanded');

/** Error correction level of a QR Code: about 7, 15, 25 or 30 % of it may be damaged (ISO/IEC 18004, 6.5.1). */
export type ErrorCorrection = 'l' | 'm' | 'q' | 'h';

/** Size of a symbol without its quiet zones, in modules. */
export interface Extent {
  readonly across: number;
  readonly down: number;
}

/** Quiet zones: white modules on the left and on the right. */
const QUIET: Readonly<Partial<Record<PrintedSymbology, readonly [number, number]>>> = {
  // ISO/IEC 15420, 4.3 to 4.6.
  ean13: [11, 7],
  ean8: [7, 7],
  upca: [9, 9],
  upce: [9, 7],
  // ISO/IEC 18004, 6.3.8; ISO/IEC 15438, 5.8.3.
  qr: [4, 4],
  pdf417: [2, 2],
  // ISO/IEC 16022 asks for one, ISO/IEC 24778 for none: readers find them better beside others with as many as a QR Code has.
  datamatrix: [4, 4],
  aztec: [4, 4],
};

/** Quiet zones of ISO/IEC 16388, 15417 and 16390, AIM USS-93 and USS-Codabar: ten times the narrow element. GS1 DataBar has its own within. */
const OTHER_QUIET = [10, 10] as const;

/** Dots of paper beside the print head that are always white: 4 mm of 80 mm paper, 5 mm of 58 mm paper (203 dpi). */
const MARGIN = 32;

/** ISO/IEC 15420: guards of three, a centre of five (UPC-E: an end of six), and seven modules a digit drawn. */
const EAN: Readonly<Partial<Record<LinearSymbology, number>>> = { ean13: 95, upca: 95, ean8: 67, upce: 51 };

/** Width of a bar code in modules, without quiet zones. `data`: from `linearData`. */
export function linearModules(symbology: LinearSymbology, data: string): number {
  switch (symbology) {
    case 'code39': {
      // ISO/IEC 16388: six narrow and three wide elements a character, a gap between two; start and stop are `*`.
      const characters = data.replace(/^\*|\*$/g, '').length + 2;
      return 16 * characters - 1;
    }
    case 'code93':
      // AIM USS-93: nine modules a character; start, stop, two check characters and the bar that ends it.
      return 9 * (code93Characters(data) + 4) + 1;
    case 'code128':
    case 'gs1-128':
      // ISO/IEC 15417: eleven modules a character, thirteen of the stop; the start stands in the data, the check does not.
      return 11 * (data.replace(/\{./g, '_').length + 1) + 13;
    case 'itf':
      // ISO/IEC 16390: three narrow and two wide elements a digit, start of four and stop of five modules.
      return 9 * data.length + 9;
    case 'codabar':
      // AIM USS-Codabar: seven elements a character, two of them wide, or three; a gap between two characters.
      return 12 * data.length + 2 * data.replace(/[\d$-]/g, '').length - 1;
    default:
      return EAN[symbology]!;
  }
}

/** Number of symbol characters for full ASCII: one for a character of the basic set, else two (shift and letter). */
const code93Characters = (data: string): number => 2 * data.length - data.replace(/[^0-9A-Z $%+\-./]/g, '').length;

/** The bytes that versions 1 to 40 of QR Code hold in byte mode (ISO/IEC 18004, table 7). */
const QR_BYTES: Readonly<Record<ErrorCorrection, readonly number[]>> = {
  l: [
    17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858, 929, 1003, 1091,
    1171, 1273, 1367, 1465, 1528, 1628, 1732, 1840, 1952, 2068, 2188, 2303, 2431, 2563, 2699, 2809, 2953,
  ],
  m: [
    14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666, 711, 779, 857, 911,
    997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099, 2213, 2331,
  ],
  q: [
    11, 20, 32, 46, 60, 74, 86, 108, 130, 151, 177, 203, 241, 258, 292, 322, 364, 394, 442, 482, 509, 565, 611, 661,
    715, 751, 805, 868, 908, 982, 1030, 1112, 1168, 1228, 1283, 1351, 1423, 1499, 1579, 1663,
  ],
  h: [
    7, 14, 24, 34, 44, 58, 64, 84, 98, 119, 137, 155, 177, 194, 220, 250, 280, 310, 338, 382, 403, 439, 461, 511, 535,
    593, 625, 658, 698, 742, 790, 842, 898, 958, 983, 1051, 1093, 1139, 1219, 1273,
  ],
};

/** Most bytes of a QR Code in byte mode; a printer may pack digits and capitals more tightly. */
export const qrBytes = (level: ErrorCorrection): number => QR_BYTES[level].at(-1)!;

/** Size of the smallest QR Code with so many bytes, at most `qrBytes`. */
export function qrModules(bytes: number, level: ErrorCorrection): Extent {
  const version = 1 + QR_BYTES[level].findIndex((most) => most >= bytes);
  const across = 17 + 4 * version;
  return { across, down: across };
}

/** ISO/IEC 15438: codewords of a symbol, padding and error correction included, in rows and columns of these numbers. */
export const PDF417 = { codewords: 928, rows: [3, 90], columns: 30, rowHeight: 3 } as const;

/**
 * Size of the narrowest PDF417 with so many bytes; undefined where none holds them. Byte compaction is assumed (six bytes in
 * five codewords), which every printer has; other compactions make text and digits shorter.
 */
export function pdf417Modules(bytes: number, level: number): Extent | undefined {
  const data = 5 * Math.floor(bytes / 6) + (bytes % 6);
  // The number of codewords, and the latch to byte compaction.
  const codewords = 2 + data + 2 ** (level + 1);
  const [fewest, most] = PDF417.rows;
  for (let columns = 1; columns <= PDF417.columns; columns += 1) {
    const rows = Math.max(fewest, Math.ceil(codewords / columns));
    // Start, two row indicators and the data columns of 17 modules each, and the stop of 18.
    if (rows <= most && rows * columns <= PDF417.codewords)
      return { across: 17 * (columns + 4) + 1, down: rows * PDF417.rowHeight };
  }
  return undefined;
}

/** Less white, in dots, is a damaged row to readers that look for the end of a PDF417 (ZXing skips 25), and two become one. */
const PDF417_APART = 30;

/** White rows that a symbol wants above and below it: as many modules as at its sides, at the wider one. */
export function quietRows(symbology: PrintedSymbology, moduleDots: number): number {
  const rows = Math.max(...(QUIET[symbology] ?? OTHER_QUIET)) * moduleDots;
  return symbology === 'pdf417' ? Math.max(rows, PDF417_APART) : rows;
}

/** Dots of a line that a symbol needs: its modules, and the part of its quiet zones that exceeds the margin of the paper. */
export function symbolDots(symbology: PrintedSymbology, across: number, moduleDots: number): number {
  const [left, right] = QUIET[symbology] ?? OTHER_QUIET;
  const beyond = (modules: number) => Math.max(0, modules * moduleDots - MARGIN);
  return beyond(left) + across * moduleDots + beyond(right);
}
