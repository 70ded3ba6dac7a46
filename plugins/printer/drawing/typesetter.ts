/** Draws text with the faces of a pack: finds a face for each grapheme, shapes, fills, and keeps what was drawn. */
import { graphemesOf } from '../layout/shaped/graphemes.ts';
import { CELL, type DrawnRun, type TextStyle, type Typesetter } from '../layout/typesetter.ts';
import { CodePoints } from './code-points.ts';
import { DOTS_HEIGHT, DotsFace, type Glyph, type Outline, OutlineFace, visibleOf } from './faces.ts';
import { blackenStems, endOfBlack, firstBlack } from './hint.ts';
import type { Pack } from './pack.ts';
import { coverageOf, fill } from './scan-line.ts';

type Face = OutlineFace | DotsFace;

/** The cell, in dots, that outlines are drawn for. In a wider one they are only wider. */
const CELL_DOTS = 12;
/** How much lower they are in a narrower one, as Font B is: capitals of 13 dots, which tell 5 and S apart, and 1 and l. */
const LOWER = 0.9;
/** Most bytes of runs that are kept. */
const CACHE_BYTES = 1 << 20;

/** Graphemes of which it is known which face has them. */
const PLACES = 4096;
/** Ink further from the left end of a run, and further above or below its baseline at normal size, is left out. */
const MOST_WIDTH = 4096;
const MOST_ROWS = 192;

/** A stretch of a run with one face: where it starts and how its glyphs are enlarged, in dots. */
interface Part {
  readonly face: Face;
  readonly glyphs: readonly Glyph[];
  readonly start: number;
  readonly scaleX: number;
  readonly scaleY: number;
}

/** Opens the faces that a text needs, when it needs them, and keeps them. */
export class PackTypesetter implements Typesetter {
  readonly #pack: Pack;
  readonly #covers: readonly CodePoints[];
  readonly #faces: (Face | undefined)[] = [];
  readonly #places = new Map<string, number>();
  /** By style, direction and text; the one that was used last is at the end. */
  readonly #runs = new Map<string, Run>();
  #bytes = 0;

  constructor(pack: Pack) {
    this.#pack = pack;
    this.#covers = pack.faces.map(({ covers }) => new CodePoints(covers));
  }

  draws(grapheme: string): boolean {
    return this.#placeOf(grapheme) >= 0;
  }

  run(text: string, style: TextStyle, direction: 'ltr' | 'rtl'): DrawnRun {
    const key = `${style.width} ${style.height} ${style.cell}${style.bold ? '!' : ''}${direction} ${text}`;
    let run = this.#runs.get(key);
    if (run === undefined) {
      run = this.#shape(text, style, direction);
      this.#bytes += key.length + run.bytes;
    }
    this.#runs.delete(key);
    this.#runs.set(key, run);
    for (const [oldest, { bytes }] of this.#runs) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#runs.delete(oldest);
      this.#bytes -= oldest.length + bytes;
    }
    return run;
  }

  #shape(text: string, style: TextStyle, direction: 'ltr' | 'rtl'): Run {
    const spans = this.#spans(text);
    if (direction === 'rtl') spans.reverse();
    let pen = 0;
    const parts = spans.map(({ place, from, to }): Part => {
      const face = this.#face(place);
      // The printer's own glyphs of 24 dots are no smaller in Font B, and neither are ready ones.
      const scale = face.kind === 'outline' ? style.cell / CELL_DOTS : 1;
      const { glyphs, advance } = face.shape(text, from, to, direction);
      const start = pen;
      pen += advance * scale * style.width;
      const scaleY = scale < 1 ? LOWER * style.height : style.height;
      return { face, glyphs, start, scaleX: scale * style.width, scaleY };
    });
    return new Run(parts, pen, style);
  }

  /** The stretches of a text that one face draws, in logical order. A grapheme that no face has is left out. */
  #spans(text: string): { place: number; from: number; to: number }[] {
    const spans: { place: number; from: number; to: number }[] = [];
    let from = 0;
    for (const grapheme of graphemesOf(text)) {
      const place = this.#placeOf(grapheme);
      const to = from + grapheme.length;
      const last = spans.at(-1);
      if (last?.place === place && last.to === from) last.to = to;
      else if (place >= 0) spans.push({ place, from, to });
      from = to;
    }
    return spans;
  }

  /** The first face that has all of a grapheme, or -1. */
  #placeOf(grapheme: string): number {
    let place = this.#places.get(grapheme);
    if (place === undefined) {
      const visible = Array.from(visibleOf(grapheme), (character) => character.codePointAt(0)!);
      place = this.#covers.findIndex((covers) => visible.every((codePoint) => covers.rank(codePoint) >= 0));
      if (this.#places.size === PLACES) this.#places.clear();
      this.#places.set(grapheme, place);
    }
    return place;
  }

  #face(place: number): Face {
    const open = this.#faces[place];
    if (open !== undefined) return open;
    const entry = this.#pack.faces[place]!;
    const bytes = this.#pack.face(place);
    const face = entry.kind === 'outline' ? new OutlineFace(entry, bytes) : new DotsFace(entry, bytes);
    this.#faces[place] = face;
    return face;
  }
}

/** A shaped text. Its dots are drawn when they are first read, so that a layout can measure what it will not print. */
class Run implements DrawnRun {
  readonly advance: number;
  readonly ascent: number;
  readonly descent: number;
  readonly left: number;
  readonly width: number;
  /** About how much memory the run takes, whether its dots are drawn or not. */
  readonly bytes: number;
  readonly #parts: readonly Part[];
  /** How many dots each black one is drawn wider to the right, as printers do for ESC E. */
  readonly #bold: number;
  #dots: Uint8Array | undefined;

  /** `advance`: in dots. */
  constructor(parts: readonly Part[], advance: number, style: TextStyle) {
    this.#parts = parts;
    this.#bold = style.bold ? Math.ceil(style.width) : 0;
    this.advance = Math.round(advance);
    const most = Math.ceil(MOST_ROWS * style.height);
    let [left, right, top, bottom] = [MOST_WIDTH, -MOST_WIDTH, 0, 0];
    for (const part of parts)
      for (const glyph of part.glyphs) {
        const box = boxOf(part, glyph);
        left = Math.max(Math.min(left, firstBlack(box.left)), -MOST_WIDTH);
        right = Math.min(Math.max(right, endOfBlack(box.right)), MOST_WIDTH);
        top = Math.min(Math.max(top, endOfBlack(box.top)), most);
        bottom = Math.max(Math.min(bottom, firstBlack(box.bottom)), -most);
      }
    const hasInk = right > left;
    this.left = hasInk ? left : 0;
    this.width = hasInk ? right + this.#bold - left : 0;
    this.ascent = hasInk ? top : 0;
    this.descent = hasInk ? -bottom : 0;
    const glyphs = parts.reduce((sum, part) => sum + part.glyphs.length, 0);
    this.bytes = RUN_BYTES + GLYPH_BYTES * glyphs + Math.ceil(this.width / 8) * (this.ascent + this.descent);
  }

  get dots(): Uint8Array {
    this.#dots ??= this.#draw();
    return this.#dots;
  }

  #draw(): Uint8Array {
    const height = this.ascent + this.descent;
    const coverage = coverageOf(this.width, height);
    for (const { face, glyphs, start, scaleX, scaleY } of this.#parts) {
      if (face.kind !== 'outline') continue;
      for (const { id, x, y } of glyphs)
        fill(coverage, face.outline(id).edges, {
          x: start + x * scaleX - this.left,
          y: this.ascent - y * scaleY,
          scaleX: face.scale * scaleX,
          scaleY: face.scale * scaleY,
        });
    }
    const black = blackenStems(coverage);
    for (const part of this.#parts) if (part.face.kind === 'dots') this.#enlarge(part, part.face, black);
    return this.#packed(black);
  }

  /** As bits, each black dot wider where the run is bold, but so that gaps between stems stay open. */
  #packed(black: Uint8Array): Uint8Array {
    const stride = Math.ceil(this.width / 8);
    const dots = new Uint8Array(stride * (this.ascent + this.descent));
    for (let at = 0; at < black.length; at += 1) {
      if (black[at] === 0) continue;
      const row = Math.floor(at / this.width);
      const column = at - row * this.width;
      dots[row * stride + (column >> 3)]! |= 0x80 >> (column & 7);
      for (let more = column + 1; more <= column + this.#bold && more < this.width; more += 1) {
        const beyond = at + more - column + 1;
        if (more + 1 < this.width && black[beyond] === 1) break;
        dots[row * stride + (more >> 3)]! |= 0x80 >> (more & 7);
      }
    }
    return dots;
  }

  /** Draws ready glyphs: every dot of them becomes as many as the size says. */
  #enlarge({ glyphs, start, scaleX, scaleY }: Part, face: DotsFace, black: Uint8Array): void {
    const top = Math.round(this.ascent - CELL.ascent * scaleY);
    for (const { id, x } of glyphs) {
      const left = Math.round(start + x * scaleX - this.left);
      const width = Math.min(Math.round(face.width * scaleX), this.width - left);
      for (let row = 0; row < Math.round(DOTS_HEIGHT * scaleY); row += 1)
        for (let column = 0; column < width; column += 1)
          if (face.isBlack(id, Math.floor(column / scaleX), Math.floor(row / scaleY)))
            black[(top + row) * this.width + left + column] = 1;
    }
  }
}

/** About what an object of a run and of a glyph takes. */
const RUN_BYTES = 300;
const GLYPH_BYTES = 60;

/** The ink of a glyph in dots, from the left end of the run and above the baseline. */
function boxOf({ face, start, scaleX, scaleY }: Part, { id, x, y }: Glyph): Omit<Outline, 'edges'> {
  const left = start + x * scaleX;
  if (face.kind === 'dots')
    return { left, right: left + face.width * scaleX, top: CELL.ascent * scaleY, bottom: -CELL.descent * scaleY };
  const box = face.outline(id);
  return {
    left: left + box.left * face.scale * scaleX,
    right: left + box.right * face.scale * scaleX,
    top: (y + box.top * face.scale) * scaleY,
    bottom: (y + box.bottom * face.scale) * scaleY,
  };
}
