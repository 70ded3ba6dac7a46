/** The commands that print a symbol: GS k with its settings, GS ( k. The constant ones come from node-thermal-printer. */
import commands from 'node-thermal-printer/lib/types/epson-config.js';
import { type LinearSymbology, SYMBOLOGY_M } from './barcode.ts';
import { latin1 } from './latin1.ts';
import type { ErrorCorrection } from './symbol-size.ts';

export interface BarcodeStyle {
  /** Dots, 1 to 255. */
  readonly height: number;
  /** Dots, 2 to 6. */
  readonly moduleWidth: number;
  readonly hri: Hri;
}

/** Where the human readable text of a bar code stands. */
export type Hri = 'none' | 'above' | 'below' | 'both';

/** Bytes, in parts that are written one after the other. */
export type Commands = readonly ArrayLike<number>[];

const GS = 0x1d;
const HRI: Readonly<Record<Hri, Uint8Array>> = {
  none: commands.BARCODE_TXT_OFF,
  above: commands.BARCODE_TXT_ABV,
  below: commands.BARCODE_TXT_BLW,
  both: commands.BARCODE_TXT_BTH,
};

/** Prints a bar code. `data`: from `linearData`. */
export function barcodeCommands(symbology: LinearSymbology, data: string, style: BarcodeStyle): Commands {
  const m = SYMBOLOGY_M[symbology];
  return [
    [GS, 0x68, style.height],
    [GS, 0x77, style.moduleWidth],
    HRI[style.hri],
    // UPC and EAN digits in the large font A: people type them when a scanner fails.
    m <= SYMBOLOGY_M.ean8 ? commands.BARCODE_FONT_A : [],
    [GS, 0x6b, m, data.length],
    latin1(data),
  ];
}

const QR_LEVEL: Readonly<Record<ErrorCorrection, Uint8Array>> = {
  l: commands.QRCODE_CORRECTION_L,
  m: commands.QRCODE_CORRECTION_M,
  q: commands.QRCODE_CORRECTION_Q,
  h: commands.QRCODE_CORRECTION_H,
};

/** Prints a QR Code. `size`: dots of a module, 1 to 16. */
export const qrCommands = (data: Uint8Array, size: number, level: ErrorCorrection): Commands => [
  commands.QRCODE_MODEL2,
  [GS, 0x28, 0x6b, 3, 0, 0x31, 0x43, size],
  QR_LEVEL[level],
  ...stored(0x31, data),
  commands.QRCODE_PRINT,
];

/** Prints a PDF417 of as few columns as the printer chooses. `size`: dots of a module, 2 to 8. `level`: 0 to 8. */
export const pdf417Commands = (data: Uint8Array, size: number, level: number): Commands => [
  commands.PDF417_COLUMNS,
  [0],
  [GS, 0x28, 0x6b, 3, 0, 0x30, 0x42, 0],
  commands.PDF417_WIDTH,
  [size],
  commands.PDF417_ROW_HEIGHT,
  [3],
  [GS, 0x28, 0x6b, 4, 0, 0x30, 0x45, 0x30, 0x30 + level],
  commands.PDF417_OPTION_STANDARD,
  ...stored(0x30, data),
  commands.PDF417_PRINT,
];

/** Stores the data of a symbol: GS ( k, function 80. */
function stored(cn: number, data: Uint8Array): [number[], Uint8Array] {
  const count = data.length + 3;
  return [[GS, 0x28, 0x6b, count & 0xff, count >> 8, cn, 0x50, 0x30], data];
}
