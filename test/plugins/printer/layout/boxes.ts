/** A typesetter without faces: each grapheme is a box, so that a test can tell where every dot should be. */
import type { DrawnRun, TextStyle, Typesetter } from '../../../../plugins/printer/layout/typesetter.ts';

const NARROW = /^[\x20-\u058f\u1e00-\u20ff\uff61-\uff9f]/;
const WIDE = /^[\u1100-\u115f\u2e80-\ud7a3\uf900-\ufaff\uff01-\uff60\u{1f000}-\u{3fffd}]/u;
/** Scripts whose boxes are higher than the character cell. */
const HIGH = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Deva}]/u;
/** Width of a box of any other script, in dots at size 1. */
export const BOX_DOTS = 10;
const GRAPHEMES = new Intl.Segmenter('en');

export interface Drawn {
  readonly text: string;
  readonly style: TextStyle;
  readonly direction: 'ltr' | 'rtl';
}

/** Draws boxes two dots narrower than their cell, and remembers what it was asked for. */
export class Boxes implements Typesetter {
  readonly runs: Drawn[] = [];
  readonly #lacks: RegExp;

  /** `lacks`: graphemes that no face has. */
  constructor(lacks = /\u{1fae8}|[←-⇿─-╿]/u) {
    this.#lacks = lacks;
  }

  draws(grapheme: string): boolean {
    return !this.#lacks.test(grapheme) && !/[\p{Cn}\p{Co}\p{Cs}\p{Cc}\ufffd]/u.test(grapheme);
  }

  run(text: string, style: TextStyle, direction: 'ltr' | 'rtl'): DrawnRun {
    this.runs.push({ text, style, direction });
    const widths = Array.from(GRAPHEMES.segment(text), ({ segment }) => widthOf(segment, style));
    const advance = widths.reduce((sum, each) => sum + each, 0);
    const [ascent, descent] = [(HIGH.test(text) ? 24 : 18) * style.height, (HIGH.test(text) ? 8 : 4) * style.height];
    const rowBytes = Math.ceil(advance / 8);
    const dots = new Uint8Array(rowBytes * (ascent + descent));
    for (let y = 0; y < ascent + descent; y += 1) {
      let x = 0;
      for (const width of widths) {
        for (let at = x + 1; at < x + width - 1; at += 1) dots[y * rowBytes + (at >> 3)]! |= 0x80 >> (at & 7);
        x += width;
      }
    }
    return { advance, ascent, descent, left: 0, width: advance, dots };
  }
}

/** Dots that a grapheme takes along the row. */
export function widthOf(grapheme: string, { width, cell }: TextStyle): number {
  if (WIDE.test(grapheme)) return 24 * width;
  if (NARROW.test(grapheme)) return cell * width;
  return BOX_DOTS * width;
}
