/**
 * Page mode (Epson TM-T88III and TM-T88VI command manuals, ESC L, ESC W, ESC T, GS $): what is written stands on the page, in
 * one of four directions, until the page is printed or dropped. Dots, from the upper left corner of the page.
 */
import type { Direction } from '../state/modes.ts';
import type { PageItem } from './rows.ts';

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Height of the page where ESC W has not said it (TM-T88III manual, ESC W). */
export const PAGE_HEIGHT = 1662;
/** Where the first row of characters stands, from the top of the area. */
const FIRST_ROW = 24;
const TURNS = [0, 270, 180, 90] as const;
/** Marks on one page. */
const MOST_ITEMS = 16_384;

/** One page. Marks are written at its bottom line, of which the caller says how far from its beginning. */
export class Page {
  #area: Area;
  #direction: Direction = 0;
  #items: PageItem[] = [];
  /** The bottom of what is written next, from the beginning of the area in its direction. */
  #bottom = FIRST_ROW;
  #height = 0;

  constructor(dots: number) {
    this.#area = { x: 0, y: 0, width: dots, height: PAGE_HEIGHT };
  }

  /** Dots of a row in this direction. */
  get across(): number {
    return this.#upright ? this.#area.width : this.#area.height;
  }

  get #upright(): boolean {
    return this.#direction % 2 === 0;
  }

  get bottom(): number {
    return this.#bottom;
  }

  moveTo(bottom: number): void {
    this.#bottom = Math.max(0, bottom);
  }

  /** ESC W: what is written from now on stands in this part of the page. */
  select(area: Area): void {
    this.#area = area;
    this.#bottom = FIRST_ROW;
  }

  turn(direction: Direction): void {
    this.#direction = direction;
    this.#bottom = FIRST_ROW;
  }

  /** CAN: what stands in the area is dropped. */
  clear(): void {
    const { x, y, width, height } = this.#area;
    this.#items = this.#items.filter((item) => item.x < x || item.x > x + width || item.y < y || item.y > y + height);
  }

  /** Writes one above the bottom of the row; false where the area ends before. */
  put(mark: PageItem['mark'], left: number): boolean {
    if (this.#bottom < mark.height) this.#bottom = mark.height;
    const deep = this.#upright ? this.#area.height : this.#area.width;
    if (this.#bottom > deep || left + mark.width > this.across || this.#items.length >= MOST_ITEMS) return false;
    const top = this.#bottom - mark.height;
    const { x, y, width, height } = this.#area;
    const corner = [
      [x + left, y + top],
      [x + top, y + height - left],
      [x + width - left, y + height - top],
      [x + width - top, y + left],
    ][this.#direction]!;
    this.#items.push({ x: corner[0]!, y: corner[1]!, turn: TURNS[this.#direction], mark });
    this.#height = Math.max(this.#height, y + height);
    return true;
  }

  /** What stands on it, and how much paper it takes; empty where nothing was written. */
  get printed(): { readonly items: readonly PageItem[]; readonly height: number } {
    return { items: [...this.#items], height: this.#items.length === 0 ? 0 : this.#height };
  }
}
