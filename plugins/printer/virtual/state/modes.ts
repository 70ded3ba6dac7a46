/** The modes of the virtual printer, which commands set. Values are replaced, never changed in place. */
import type { Graphics, OwnCharacters, StoredGraphics } from './memory.ts';

/** ESC T n: from left to right, upwards, from right to left, downwards. */
export type Direction = 0 | 1 | 2 | 3;

export interface Pdf417Setup {
  /** Data columns, 1 to 30; 0 leaves it to the printer. */
  readonly columns: number;
  /** 3 to 90; 0 leaves it to the printer. */
  readonly rows: number;
  /** Dots of a module. */
  readonly module: number;
  /** Modules that a row is high. */
  readonly rowHeight: number;
  /** Level 0 to 8, or error correction codewords for ten data codewords, 1 to 40. */
  readonly correction: { readonly level: number } | { readonly ratio: number };
  /** Whether the right row indicator is left out, and the stop pattern is one bar. */
  readonly truncated: boolean;
}

/** As at power-up (Epson TM-T88VI command manual, GS ( k functions 065 to 070). */
export const PDF417_SETUP: Pdf417Setup = {
  columns: 0,
  rows: 0,
  module: 3,
  rowHeight: 3,
  correction: { ratio: 1 },
  truncated: false,
};

/** Aztec Code, Data Matrix and two-dimensional GS1 DataBar of GS ( k; 0 where the printer chooses. `module`, `most`: dots. */
export interface AztecSetup {
  readonly module: number;
  /** Percent. */
  readonly correction: number;
  readonly compact: boolean;
  readonly layers: number;
}
export interface DataMatrixSetup {
  readonly module: number;
  readonly rows: number;
  readonly columns: number;
  readonly rectangle: boolean;
}
export interface DataBarSetup {
  readonly module: number;
  /** Most width of GS1 DataBar Expanded Stacked. */
  readonly most: number;
}

/** GS C: how GS c prints a number, and counts it. */
export interface Counter {
  readonly digits: number;
  /** 0 to the right with spaces, 1 with zeros, 2 to the left. */
  readonly align: number;
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly repeat: number;
  readonly value: number;
  /** How often the value was printed. */
  readonly printed: number;
}

/** As at power-up (Epson TM-T88II command manual, GS C). */
const COUNTER: Counter = { digits: 0, align: 0, from: 1, to: 65_535, step: 1, repeat: 1, value: 1, printed: 0 };

export interface Modes {
  /** ESC =: a printer that is not selected obeys no other command. */
  selected: boolean;
  bold: boolean;
  underline: boolean;
  invert: boolean;
  font: 'a' | 'b';
  /** Magnification, 1 to 8. */
  width: number;
  height: number;
  align: 'left' | 'center' | 'right';
  codePage: number;
  national: number;
  /** FS & and FS . have switched two-byte mode on or off; undefined: it is as at power-up. */
  twoByte: boolean | undefined;
  /** FS C: Shift_JIS is selected, not JIS. */
  shiftJis: boolean;
  /** FS -: characters of two bytes are underlined. */
  twoByteUnderline: boolean;
  twoByteWidth: number;
  twoByteHeight: number;
  /** Dots to the left and right of a character of two bytes. */
  twoByteSpacing: number;
  /** ESC V, ESC {, GS b. */
  turned: boolean;
  upsideDown: boolean;
  smooth: boolean;
  /** ESC L: page mode, and the direction of ESC T. */
  page: boolean;
  direction: Direction;
  /** ESC &, ESC % and FS 2. */
  own: Readonly<Record<'a' | 'b', OwnCharacters>>;
  ownSelected: boolean;
  ownWide: OwnCharacters;
  /** GS * and GS ( L function 83: they are lost with ESC @ and with the power. */
  downloaded: StoredGraphics | undefined;
  downloads: Graphics;
  /** Dots. */
  lineSpacing: number;
  characterSpacing: number;
  /** Dots of a unit of motion, across and down (GS P). */
  unitX: number;
  unitY: number;
  leftMargin: number;
  /** At most what the paper has. */
  printWidth: number;
  /** Columns of the tab stops. */
  tabs: readonly number[];
  barcodeHeight: number;
  moduleWidth: number;
  hri: 'none' | 'above' | 'below' | 'both';
  hriFont: 'a' | 'b';
  /** 1, 2, or 3 for Micro QR Code. */
  qrModel: number;
  qrModule: number;
  qrLevel: 'l' | 'm' | 'q' | 'h';
  pdf417: Pdf417Setup;
  aztec: AztecSetup;
  dataMatrix: DataMatrixSetup;
  dataBar: DataBarSetup;
  /** Data stored for 2-D symbols, by the cn of GS ( k. */
  stored: Readonly<Record<number, Uint8Array>>;
  /** What GS ( L function 50 prints: one of each colour. */
  graphics: readonly StoredGraphics[];
  counter: Counter;
  /** GS ( D: which real-time commands are obeyed. */
  realtimePulse: boolean;
  realtimePowerOff: boolean;
}

/** 1/6 inch. */
export const LINE_SPACING = 34;

/** The largest value of GS W, in dots. */
const WHOLE_WIDTH = 0xffff;
const TABS = [8, 16, 24, 32, 40];
const NOTHING_STORED = {};
const NO_CHARACTERS: OwnCharacters = new Map();
const NO_OWN = { a: NO_CHARACTERS, b: NO_CHARACTERS };
const NO_GRAPHICS: Graphics = new Map();

/** The modes after power-up and ESC @. */
export const initialModes = (): Modes => ({
  selected: true,
  bold: false,
  underline: false,
  invert: false,
  font: 'a',
  width: 1,
  height: 1,
  align: 'left',
  codePage: 0,
  national: 0,
  twoByte: undefined,
  shiftJis: false,
  twoByteUnderline: false,
  twoByteWidth: 1,
  twoByteHeight: 1,
  twoByteSpacing: 0,
  turned: false,
  upsideDown: false,
  smooth: false,
  page: false,
  direction: 0,
  own: NO_OWN,
  ownSelected: false,
  ownWide: NO_CHARACTERS,
  downloaded: undefined,
  downloads: NO_GRAPHICS,
  lineSpacing: LINE_SPACING,
  characterSpacing: 0,
  unitX: 1,
  unitY: 1,
  leftMargin: 0,
  printWidth: WHOLE_WIDTH,
  tabs: TABS,
  barcodeHeight: 162,
  moduleWidth: 3,
  hri: 'none',
  hriFont: 'a',
  qrModel: 2,
  qrModule: 3,
  qrLevel: 'l',
  pdf417: PDF417_SETUP,
  aztec: { module: 3, correction: 23, compact: false, layers: 0 },
  dataMatrix: { module: 3, rows: 0, columns: 0, rectangle: false },
  dataBar: { module: 2, most: 141 },
  stored: NOTHING_STORED,
  graphics: [],
  counter: COUNTER,
  realtimePulse: true,
  realtimePowerOff: false,
});
