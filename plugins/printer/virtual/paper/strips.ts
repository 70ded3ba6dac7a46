/** A raster as its bytes come: one of the same shape right below another one continues it. */
import { concatenated } from '../state/bytes.ts';
import type { RasterShape, RowOf } from './rows.ts';

/** The strips of one raster. */
export class Strips {
  readonly #x: number;
  readonly #y: number;
  readonly #width: number;
  readonly #shape: RasterShape;
  readonly #parts: Uint8Array[];
  /** Where, in these bytes, the data of each command begins. */
  readonly #starts: number[];
  #bytes: number;

  /** `missing`: bytes of its first row that are on paper which was torn off; rows still have to start where they start. */
  constructor(shape: RasterShape, x: number, y: number, missing: number) {
    this.#x = x;
    this.#y = y;
    this.#width = Strips.width(shape);
    this.#shape = shape;
    this.#parts = [new Uint8Array(missing)];
    this.#starts = [missing];
    this.#bytes = missing;
  }

  static width({ width, rowBytes, scaleX }: RasterShape): number {
    return (width ?? rowBytes * 8) * scaleX;
  }

  /** Whether bytes of this shape, from `offset` of their command on, go on where these end. */
  continues(shape: RasterShape, x: number, offset: number): boolean {
    return (
      (offset > 0 || this.#bytes % shape.rowBytes === 0) &&
      this.#x === x &&
      this.#width === Strips.width(shape) &&
      this.#shape.scaleX === shape.scaleX &&
      this.#shape.scaleY === shape.scaleY
    );
  }

  add(bytes: Uint8Array, offset: number): void {
    if (offset === 0 && this.#bytes > 0) this.#starts.push(this.#bytes);
    this.#parts.push(bytes.slice());
    this.#bytes += bytes.length;
  }

  close(): RowOf<'raster'> {
    const { rowBytes, scaleX, scaleY, width = rowBytes * 8 } = this.#shape;
    const rows = Math.ceil(this.#bytes / rowBytes);
    const data = new Uint8Array(rows * rowBytes);
    data.set(concatenated(this.#parts));
    const bitmap = { width, height: rows, scaleX, scaleY, rows: data };
    const sent = this.#starts.map((start, n) => data.subarray(start, this.#starts[n + 1] ?? this.#bytes));
    return { kind: 'raster', x: this.#x, y: this.#y, width: this.#width, height: rows * scaleY, bitmap, sent };
  }
}
