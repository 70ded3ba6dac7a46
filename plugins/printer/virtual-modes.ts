/** Everything that commands set and text is printed with. Values are replaced, never changed in place. */

export interface StoredGraphics {
  readonly width: number;
  readonly height: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** One bit a dot, most significant first, rows padded to a byte. */
  readonly rows: Uint8Array;
}

export interface Modes {
  /** ESC =: with the printer not selected it obeys nothing else. */
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
  /** Dots. */
  lineSpacing: number;
  characterSpacing: number;
  leftMargin: number;
  printWidth: number;
  /** Columns of the tab stops. */
  tabs: readonly number[];
  barcodeHeight: number;
  moduleWidth: number;
  hri: 'none' | 'above' | 'below' | 'both';
  qrModule: number;
  qrLevel: 'l' | 'm' | 'q' | 'h';
  pdf417Module: number;
  /** Data stored for 2-D symbols, by the cn of GS ( k. */
  stored: Readonly<Record<number, Uint8Array>>;
  graphics: StoredGraphics | undefined;
  /** GS ( D: which real-time commands are obeyed. */
  realtimePulse: boolean;
  realtimePowerOff: boolean;
}

/** 80 mm paper at 203 dots an inch. */
export const PAPER_DOTS = 576;
/** 1/6 inch. */
export const LINE_SPACING = 34;

const TABS = [8, 16, 24, 32, 40];
const NOTHING_STORED = {};

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
  lineSpacing: LINE_SPACING,
  characterSpacing: 0,
  leftMargin: 0,
  printWidth: PAPER_DOTS,
  tabs: TABS,
  barcodeHeight: 162,
  moduleWidth: 3,
  hri: 'none',
  qrModule: 3,
  qrLevel: 'l',
  pdf417Module: 3,
  stored: NOTHING_STORED,
  graphics: undefined,
  realtimePulse: true,
  realtimePowerOff: false,
});
