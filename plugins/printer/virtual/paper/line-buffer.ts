/** What waits for the end of its line: pieces of text and pictures, beside each other. */
import type { Bitmap, Piece, Style } from './rows.ts';

/** Dots of a character. */
export interface Cell {
  readonly width: number;
  readonly height: number;
}

const alike = (one: Style, other: Style): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Pieces of one line, in the order in which they came. */
export class LineBuffer {
  #pieces: Piece[] = [];
  /** Where the next one begins, in dots. */
  x = 0;

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Characters of one style; text behind text of the same style continues it. */
  text(text: string, style: Style, cell: Cell, advance: number): void {
    const width = text.length * advance;
    const { x } = this;
    this.x += width;
    const last = this.#pieces.at(-1);
    if (last?.kind === 'text' && last.x + last.width === x && alike(last.style, style)) {
      this.#pieces[this.#pieces.length - 1] = { ...last, width: last.width + width, text: last.text + text };
      return;
    }
    const height = style.turned ? cell.width * style.width : cell.height * style.height;
    this.#pieces.push({ kind: 'text', x, width, height, text, style });
  }

  image(bitmap: Bitmap): void {
    const box = { x: this.x, width: bitmap.width * bitmap.scaleX, height: bitmap.height * bitmap.scaleY };
    this.#pieces.push({ kind: 'image', ...box, bitmap });
    this.x += box.width;
  }

  /** Empties it. */
  take(): readonly Piece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.x = 0;
    return pieces;
  }
}
