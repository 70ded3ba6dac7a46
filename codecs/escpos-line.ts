/** The line that a job is written for: its dots, those of the characters in it, and where things stand in it. */
import type { Make } from './code-pages.ts';
import type { EscposOptions } from './escpos.ts';
import type { TwoByteFont } from './two-byte.ts';

export type Align = 'left' | 'center' | 'right';

/** The line that a job is written for. */
export interface EncodedLine {
  readonly make: Make;
  readonly twoByte?: TwoByteFont;
  /** Width of a character of Font A. */
  readonly fontADots?: number;
  /** Dots of the print area: what rows are aligned in. */
  readonly dots?: number;
  /** The printer keeps its own print area: rows are moved to their place by the node, symbols stand on the left. */
  readonly placed?: boolean;
  /** The printer has no picture and no ESC $. */
  readonly textOnly?: boolean;
}

/** Dots of a character cell. Font B is 9 wide on all makes, 17 or 24 high. */
export const FONT_A_DOTS = 12;
export const FONT_B_DOTS = 9;
/** Dots of a character of Font A on a printer that has so many columns: 12, or more where fewer of them fill its line. */
export const fontADots = ({ dots, columns }: Pick<EscposOptions, 'dots' | 'columns'>): number =>
  Math.max(FONT_A_DOTS, Math.floor(dots / columns));
/** Width of a two-byte character in dots. It is the same beside Font A, of which it is two columns as a rule, and Font B. */
export const TWO_BYTE_DOTS = 24;
/** Height of a character, and of a line at the spacing after a reset: 1/6 inch at 203 dots an inch. */
export const CHARACTER_DOTS = 24;
export const LINE_DOTS = 34;
/** The least of the spacings after a reset: 1/6 inch at 180 dots an inch, 3.75 mm at 203. */
export const LEAST_LINE_DOTS = 30;

/** Dots before what is aligned so, of those that it leaves free. Printers round down. */
export const before = (align: Align, free: number): number =>
  align === 'left' ? 0 : Math.max(0, align === 'right' ? free : free >> 1);
