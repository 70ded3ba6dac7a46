/** Rows of grey to rows of dots as they come, scaled alike both ways: for pages that nobody holds as a whole. */
import { diffusion, divided, HALF, sumAcross } from './dither.ts';
import type { Dither } from './picture.ts';

const WHITE = 255;

/** Makes the dots of one page. */
export class DotRows {
  readonly #width: number;
  readonly #toWidth: number;
  readonly #isBlack: (shade: number, x: number) => boolean;
  readonly #dots: Uint8Array;
  readonly #across: Float64Array;
  readonly #sums: Float64Array;
  readonly #shades: Uint8Array;
  /** How much of the row that is summed up is there, in parts of which a row of dots has `width`, and a row of the page `toWidth`. */
  #filled = 0;

  /** `width` pixels become `toWidth` dots. */
  constructor(width: number, toWidth: number, dither: Dither) {
    this.#width = width;
    this.#toWidth = toWidth;
    this.#isBlack = dither === 'threshold' ? (shade) => shade < HALF : diffusion(toWidth);
    this.#dots = new Uint8Array(Math.ceil(toWidth / 8));
    const scales = width !== toWidth;
    this.#across = new Float64Array(scales ? toWidth : 0);
    this.#sums = new Float64Array(scales ? toWidth : 0);
    this.#shades = new Uint8Array(toWidth);
  }

  /** The rows of dots of a row of the page that stands so many times, each valid until the next one is asked for. */
  *rows(shades: Uint8Array, times: number): Generator<Uint8Array> {
    if (this.#width === this.#toWidth) {
      for (let n = 0; n < times; n += 1) yield this.#dotted(shades);
      return;
    }
    sumAcross(shades, this.#across);
    for (let left = times * this.#toWidth; left > 0; ) {
      const part = Math.min(left, this.#width - this.#filled);
      for (let x = 0; x < this.#toWidth; x += 1) this.#sums[x]! += this.#across[x]! * part;
      left -= part;
      this.#filled += part;
      if (this.#filled === this.#width) yield this.#summed(this.#width);
    }
  }

  /** As `rows`, of white that follows white: gives how many rows of white dots it makes. */
  white(times: number): number {
    if (this.#width === this.#toWidth) return times;
    const parts = this.#filled + times * this.#toWidth;
    this.#filled = parts % this.#width;
    this.#sums.fill(WHITE * this.#width * this.#filled);
    return Math.floor(parts / this.#width);
  }

  /** The last row of a page, which may be half full. */
  *end(): Generator<Uint8Array> {
    if (2 * this.#filled >= this.#width) yield this.#summed(this.#filled);
  }

  #summed(parts: number): Uint8Array {
    for (let x = 0; x < this.#toWidth; x += 1) this.#shades[x] = divided(this.#sums[x]!, this.#width * parts);
    this.#sums.fill(0);
    this.#filled = 0;
    return this.#dotted(this.#shades);
  }

  #dotted(shades: Uint8Array): Uint8Array {
    const [dots, width, isBlack] = [this.#dots, this.#toWidth, this.#isBlack];
    for (let at = 0, x = 0; at < dots.length; at += 1) {
      let byte = 0;
      for (let bit = 0x80; bit > 0 && x < width; bit >>= 1, x += 1) if (isBlack(shades[x]!, x)) byte |= bit;
      dots[at] = byte;
    }
    return dots;
  }
}
