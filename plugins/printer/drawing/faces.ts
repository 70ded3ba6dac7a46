/** Faces of the pack, opened: TrueType outlines that HarfBuzz shapes, and ready glyphs of dots. */
import * as harfbuzz from 'harfbuzzjs';
import { graphemesOf } from '../layout/shaped/graphemes.ts';
import { CodePoints } from './code-points.ts';
import type { FaceEntry } from './pack.ts';

/** A glyph of a run: where its origin stands from the left end of the run and above the baseline, in dots of normal size. */
export interface Glyph {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** Glyphs from left to right. `advance`: how far they move along the row, in dots of normal size. */
export interface Shaped {
  readonly glyphs: readonly Glyph[];
  readonly advance: number;
}

/** The closed polygons of a glyph in units of the font, each edge as x0, y0, x1, y1, and the box around them. */
export interface Outline {
  readonly edges: Float32Array;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

/** How many characters before and behind a run HarfBuzz looks at (the context of hb_buffer_add_utf16). */
const CONTEXT = 5;
/** How far a polygon may be from the curve that it stands for, in parts of the em: half a dot at 250 dots. */
const FLATNESS = 1 / 500;
const ZERO = 0x30;

/** A TrueType font. */
export class OutlineFace {
  readonly kind = 'outline';
  /** Dots of one unit of the font, at normal size. */
  readonly scale: number;
  readonly #font: harfbuzz.Font;
  readonly #buffer = new harfbuzz.Buffer();
  readonly #outlines = new Map<number, Outline>();
  readonly #rise: number;
  readonly #flatness: number;
  readonly #zero: number | undefined;

  /** `font`: the file's bytes. */
  constructor({ dots, rise }: Pick<FaceEntry, 'dots' | 'rise'>, font: Uint8Array) {
    const face = new harfbuzz.Face(new harfbuzz.Blob(font));
    this.#font = new harfbuzz.Font(face);
    this.scale = dots / face.upem;
    this.#rise = rise;
    this.#flatness = face.upem * FLATNESS;
    this.#zero = this.#font.nominalGlyph(ZERO);
  }

  /** Shapes the characters of a text from `from` to `to` (exclusive), which read in one direction. */
  shape(text: string, from: number, to: number, direction: 'ltr' | 'rtl'): Shaped {
    const start = Math.max(from - CONTEXT, 0);
    const buffer = this.#buffer;
    buffer.reset();
    buffer.addText(text.slice(start, to + CONTEXT), from - start, to - from);
    buffer.setDirection(direction === 'rtl' ? harfbuzz.Direction.RTL : harfbuzz.Direction.LTR);
    buffer.setLanguage('und');
    buffer.guessSegmentProperties();
    harfbuzz.shape(this.#font, buffer);
    const positions = buffer.getGlyphPositions();
    let pen = 0;
    const glyphs = buffer.getGlyphInfos().map(({ codepoint }, index) => {
      const { xAdvance, xOffset, yOffset } = positions[index]!;
      const x = (pen + xOffset) * this.scale;
      pen += xAdvance;
      return { id: codepoint, x, y: yOffset * this.scale + this.#rise };
    });
    return { glyphs, advance: pen * this.scale };
  }

  outline(glyph: number): Outline {
    let outline = this.#outlines.get(glyph);
    if (outline === undefined) {
      const pen = new Pen(this.#flatness);
      this.#font.drawGlyph(glyph, PEN_FUNCTIONS, pen);
      const contours = glyph === this.#zero ? withoutSlash(pen.contours) : pen.contours;
      outline = boxed(Float32Array.from(contours.flat()));
      this.#outlines.set(glyph, outline);
    }
    return outline;
  }
}

/**
 * A zero without the slash or dot in it, which fills it up at 9 to 12 dots of width, so that it reads as an 8. `contours`: the
 * outer one first, as fonts have it; the one within that turns the other way is the edge of its counter.
 */
const withoutSlash = ([outer = [], ...within]: readonly number[][]): number[][] => [
  outer,
  ...within.filter((contour) => turn(contour) !== turn(outer)),
];

/** Which way a contour turns: the sign of its area. */
function turn(edges: readonly number[]): number {
  let area = 0;
  for (let at = 0; at < edges.length; at += 4) area += edges[at]! * edges[at + 3]! - edges[at + 2]! * edges[at + 1]!;
  return Math.sign(area);
}

/** Turns the path of a glyph into edges. TrueType has lines and quadratic curves; HarfBuzz closes each contour by a line. */
class Pen {
  /** The edges of each. */
  readonly contours: number[][] = [];
  readonly #flatness: number;
  #x = 0;
  #y = 0;

  constructor(flatness: number) {
    this.#flatness = flatness;
  }

  moveTo(x: number, y: number): void {
    this.contours.push([]);
    this.#at(x, y);
  }

  #at(x: number, y: number): void {
    this.#x = x;
    this.#y = y;
  }

  lineTo(x: number, y: number): void {
    this.contours.at(-1)!.push(this.#x, this.#y, x, y);
    this.#at(x, y);
  }

  curveTo(controlX: number, controlY: number, x: number, y: number): void {
    const fromX = this.#x;
    const fromY = this.#y;
    // A quadratic curve is at most a quarter of its second difference away from its chord; half the chord, a quarter of that.
    const away = Math.hypot(fromX - 2 * controlX + x, fromY - 2 * controlY + y) / 4;
    const pieces = Math.max(Math.ceil(Math.sqrt(away / this.#flatness)), 1);
    for (let piece = 1; piece <= pieces; piece += 1) {
      const t = piece / pieces;
      const u = 1 - t;
      this.lineTo(u * u * fromX + 2 * u * t * controlX + t * t * x, u * u * fromY + 2 * u * t * controlY + t * t * y);
    }
  }
}

const PEN_FUNCTIONS = new harfbuzz.DrawFuncs();
PEN_FUNCTIONS.setMoveToFunc((x, y, pen) => (pen as Pen).moveTo(x, y));
PEN_FUNCTIONS.setLineToFunc((x, y, pen) => (pen as Pen).lineTo(x, y));
PEN_FUNCTIONS.setQuadraticToFunc((cx, cy, x, y, pen) => (pen as Pen).curveTo(cx, cy, x, y));

function boxed(edges: Float32Array): Outline {
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < edges.length; at += 2) {
    left = Math.min(left, edges[at]!);
    right = Math.max(right, edges[at]!);
    bottom = Math.min(bottom, edges[at + 1]!);
    top = Math.max(top, edges[at + 1]!);
  }
  return { edges, left, right, bottom, top };
}

/** Rows of a ready glyph, and how many strips of 8 rows these are. */
export const DOTS_HEIGHT = 24;
export const STRIPS = DOTS_HEIGHT / 8;

/**
 * Ready glyphs, all of one width and 24 dots high. Each is three strips of 8 rows, the uppermost first; of a strip, each byte
 * is a column and its most significant bit the uppermost dot (brotli makes less of them so than row by row).
 */
export class DotsFace {
  readonly kind = 'dots';
  /** Dots of each glyph, and of its advance. */
  readonly width: number;
  readonly #covers: CodePoints;
  readonly #sequences: ReadonlyMap<string, number>;
  readonly #glyphs: Uint8Array;

  /** `glyphs`: first those of `covers`, then those of `sequences`. */
  constructor({ dots, covers, sequences }: FaceEntry, glyphs: Uint8Array) {
    this.width = dots;
    this.#covers = new CodePoints(covers);
    this.#sequences = new Map(sequences.map((sequence, index) => [sequence, this.#covers.size + index]));
    this.#glyphs = glyphs;
  }

  /** One glyph for each grapheme, or for each of its characters where the face has none for the whole. */
  shape(text: string, from: number, to: number, direction: 'ltr' | 'rtl'): Shaped {
    const ids = Array.from(graphemesOf(text.slice(from, to))).flatMap((grapheme) => {
      const visible = visibleOf(grapheme);
      const whole = this.#sequences.get(visible);
      return whole ?? Array.from(visible, (character) => this.#covers.rank(character.codePointAt(0)!));
    });
    if (direction === 'rtl') ids.reverse();
    return { glyphs: ids.map((id, index) => ({ id, x: index * this.width, y: 0 })), advance: ids.length * this.width };
  }

  /** True where a dot of a glyph is black. */
  isBlack(glyph: number, column: number, row: number): boolean {
    const strip = glyph * STRIPS + (row >> 3);
    return (this.#glyphs[strip * this.width + column]! & (0x80 >> (row & 7))) !== 0;
  }
}

/**
 * The characters of a grapheme that a face must have: without those that no font has to draw (joiners, variation selectors),
 * and without skin tones, which paper of one colour does not show.
 */
export const visibleOf = (grapheme: string): string =>
  grapheme.replaceAll(/\p{Default_Ignorable_Code_Point}|(?<=.)\p{Emoji_Modifier}/gsu, '');
