/** What the layout asks of the faces that draw text which neither a code page nor a font of the printer has. */

/**
 * The size of a printed text: multiples of the character cell (1 to 8; a banner may take others, and fractions), dots of a character
 * at single width (9 in Font B), bold.
 */
export interface TextStyle {
  readonly width: number;
  readonly height: number;
  readonly cell: number;
  readonly bold: boolean;
}

/** A run of text as dots of the print head. All lengths are in dots. */
export interface DrawnRun {
  /** How far the run moves along the row. Ink may reach beyond it on both sides. */
  readonly advance: number;
  /** Rows of `dots` above the baseline, and below it. */
  readonly ascent: number;
  readonly descent: number;
  /** Where the first column of `dots` stands, from the beginning (left end) of the run: negative where ink precedes it. */
  readonly left: number;
  /** Columns of `dots`; 0 where there is no ink. */
  readonly width: number;
  /**
   * Drawn when it is first read, so that measuring a text costs no drawing. Ink over 4,096 dots from the left end, or over
   * eight cells from the baseline, is left out. One bit a dot, 1 is black, the most significant bit is the leftmost; each
   * row begins with a byte of its own.
   */
  readonly dots: Uint8Array;
}

/**
 * Draws text with the faces of this image. A character of an alphabet with letters of one width (Latin, Greek, Cyrillic, and
 * ASCII signs and digits) is one character cell wide, so that it stands where a printed one would, and Hangul is two; Han, kana
 * and emoji are 24 dots, two columns of Font A as a rule; other scripts are as wide as their face draws them.
 */
export interface Typesetter {
  /** True where one face has every character of this grapheme. */
  draws(grapheme: string): boolean;
  /**
   * Shapes and draws text of one direction, in logical order; results are cached. Right to left, brackets are mirrored (UAX #9,
   * L4). A grapheme that is not drawn is left out.
   */
  run(text: string, style: TextStyle, direction: 'ltr' | 'rtl'): DrawnRun;
}

/** Rows above and below the baseline of a character cell, 24 dots high: what stays within can stand in a printed row. */
export const CELL = { ascent: 19, descent: 5 } as const;
