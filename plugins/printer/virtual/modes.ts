/** The modes of the virtual printer, which commands set. Values are replaced, never changed in place. */

export interface StoredGraphics {
  readonly width: number;
  readonly height: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** One bit a dot, most significant first, rows padded to a byte. */
  readonly rows: Uint8Array;
  /** The data as it came, where that is not the rows. */
  readonly sent?: Uint8Array;
}

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
  /** Without the right row indicator, and with a stop pattern of one bar. */
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
  /** Dots. */
  lineSpacing: number;
  characterSpacing: number;
  leftMargin: number;
  /** At most what the paper has. */
  printWidth: number;
  /** Columns of the tab stops. */
  tabs: readonly number[];
  barcodeHeight: number;
  moduleWidth: number;
  hri: 'none' | 'above' | 'below' | 'both';
  qrModule: number;
  qrLevel: 'l' | 'm' | 'q' | 'h';
  pdf417: Pdf417Setup;
  /** Data stored for 2-D symbols, by the cn of GS ( k. */
  stored: Readonly<Record<number, Uint8Array>>;
  graphics: StoredGraphics | undefined;
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
  lineSpacing: LINE_SPACING,
  characterSpacing: 0,
  leftMargin: 0,
  printWidth: WHOLE_WIDTH,
  tabs: TABS,
  barcodeHeight: 162,
  moduleWidth: 3,
  hri: 'none',
  qrModule: 3,
  qrLevel: 'l',
  pdf417: PDF417_SETUP,
  stored: NOTHING_STORED,
  graphics: undefined,
  realtimePulse: true,
  realtimePowerOff: false,
});
