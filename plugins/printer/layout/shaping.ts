/**
 * What lays out the text that is more than one UTF-16 unit a column: `shaped/`, in the drawing thread. The node itself has
 * none of it, so that Latin text costs nothing of it.
 */
import type { LinearSymbology } from '../../../codecs/barcode.ts';
import type { EscposOptions } from '../../../codecs/escpos.ts';
import type { EscposEncoder } from '../../../codecs/escpos-encoder.ts';
import type { Element } from '../../../codecs/gs1-elements.ts';
import type { Bitmap } from '../../../codecs/raster.ts';
import type { ErrorCorrection } from '../../../codecs/symbol-size.ts';
import type { Line } from '../contract/lines.ts';

type Of<T extends Line['type']> = Extract<Line, { type: T }>;

/** A line has to be shaped, and nothing here does it. */
export class NeedsShaping extends Error {}

/** Multiples of the character cell, columns of a row in that size, and whether spaces at the end of a row are left out. */
export interface TextRows {
  readonly width: number;
  readonly height: number;
  readonly fits: number;
  readonly trim: boolean;
}

/** Symbologies that the node draws on every printer. */
export type DrawnSymbology = 'aztec' | 'datamatrix' | 'gs1-databar' | 'gs1-databar-expanded';

/** Draws symbols as rows of modules from the top, '1' is dark; one of bars has one row. Undefined: it does not hold the value. */
export interface SymbolDrawer {
  aztec(value: string, level: ErrorCorrection): readonly string[] | undefined;
  datamatrix(value: string): readonly string[] | undefined;
  /** Expanded: at most so many modules across, where it can be stacked to fit. Undefined for `most`: Omnidirectional, of a GTIN alone. */
  databar(elements: readonly Element[], most: number | undefined): readonly string[] | undefined;
  /** The others are given what the printer would be; `across`: modules. */
  bars(symbology: LinearSymbology, data: string): readonly string[];
  qr(data: Uint8Array, level: ErrorCorrection): readonly string[];
  pdf417(data: Uint8Array, level: number, across: number): readonly string[];
}

/** Lays out the text of one job. Each method writes whole lines; what no font has is a question mark, and is counted. */
export interface Shaping {
  /** There where `drawsSymbols` is true of the job. */
  readonly symbols?: SymbolDrawer | undefined;
  /** Prints a picture that shows this text. */
  picture(encoder: EscposEncoder, bitmap: Bitmap, text: string, options: EscposOptions): void;
  /** `styled` writes in the style of the line. */
  text(
    encoder: EscposEncoder,
    line: Of<'text'>,
    rows: TextRows,
    styled: (write: () => void) => void,
    options: EscposOptions,
  ): void;
  /** `widths`: of each cell, in columns. */
  columns(
    encoder: EscposEncoder,
    cells: Of<'columns'>['cells'],
    widths: readonly number[],
    options: EscposOptions,
  ): void;
  /** False, and nothing written, where the faces draw no character that block letters lack. */
  banner(encoder: EscposEncoder, line: Of<'banner'>, options: EscposOptions): boolean;
}
