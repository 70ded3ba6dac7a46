/**
 * Writes ESC/POS commands into one buffer of limited size. The constant commands come from node-thermal-printer. What
 * that package computes is written anew here: its `append` copies the whole job for every character, its text lets
 * control characters through, and its symbols, cuts, sizes and pulses have wrong bytes.
 */
import commands from 'node-thermal-printer/lib/types/epson-config.js';
import { blockLetter, inlineGlyph } from './block-letters.ts';
import type { Make, NumberedPage } from './code-pages.ts';
import {
  type Align,
  before,
  CHARACTER_DOTS,
  type EncodedLine,
  FONT_A_DOTS,
  FONT_B_DOTS,
  LEAST_LINE_DOTS,
  LINE_DOTS,
} from './escpos-line.ts';
import type { Commands } from './escpos-symbols.ts';
import { JobPaper } from './job-paper.ts';
import { isNoCharacter, needsComposing, twinOf } from './printable.ts';
import { CLEAR, whiteRows } from './quiet-zone.ts';
import { type Bitmap, harmless, movedRight } from './raster.ts';
import { SelectedPage } from './selected-page.ts';
import type { TwoByteFont } from './two-byte.ts';
import { startsInTwoByteMode, twoByteMode } from './two-byte-mode.ts';

/** Text that is printed as a picture. */
export interface DrawnText {
  /** Data of one GS v 0 or ESC *, as it is sent. */
  readonly dots: Uint8Array;
  /** In logical order; of a picture in several strips the first one with ink has it, the others have none. */
  readonly text: string;
}

/** The state of the encoder at one point of the job, to which `rewind` returns. */
class Mark {
  length = 0;
  page: NumberedPage;
  substituted = 0;
  paperDots = 0;
  align: Align = 'left';
  fontDots: number;
  widthTimes = 1;
  heightTimes = 1;
  white = CLEAR;
  wanted = 0;
  inked = false;
  drawn = 0;

  constructor(page: NumberedPage, fontDots: number) {
    this.page = page;
    this.fontDots = fontDots;
  }
}

const ESC = 0x1b;
const FS = 0x1c;
const GS = 0x1d;
const LF = 0x0a;
const SPACE = 0x20;
const QUESTION_MARK = 0x3f;

/** ESC * mode: 24 dots high at the density of the head. */
const DOUBLE_DENSITY_24 = 33;

/**
 * Encodes one job for one make of printer. Text and commands are appended in order; `getBuffer` gives the bytes.
 */
export class EscposEncoder extends JobPaper {
  /** Characters printed as a question mark. */
  substituted = 0;
  /** What was drawn from text, in the order of the job. */
  readonly drawn: DrawnText[] = [];
  readonly #make: Make;
  readonly #selected: SelectedPage;
  readonly #twoByte: TwoByteFont;
  readonly #fontADots: number;
  readonly #dots: number;
  readonly #placed: boolean;
  readonly #textOnly: boolean;
  #align: Align = 'left';
  #fontDots: number;
  #widthTimes = 1;
  #heightTimes = 1;
  readonly #mark: Mark;

  /** `limit`: most bytes of the job. `expected`: bytes to allocate at first. */
  constructor(line: EncodedLine, limit: number, expected: number) {
    super(limit, expected);
    const { make, twoByte = 'none', fontADots = FONT_A_DOTS, dots = 48 * FONT_A_DOTS } = line;
    this.#make = make;
    this.#dots = dots;
    this.#placed = line.placed === true;
    this.#textOnly = line.textOnly === true;
    this.#selected = new SelectedPage(make);
    this.#twoByte = twoByte;
    this.#fontADots = fontADots;
    this.#fontDots = fontADots;
    this.#mark = new Mark(this.#selected.page, fontADots);
  }

  /** What is written from here on can be removed by `rewind`. Called for every line, so it makes no object. */
  mark(): void {
    const mark = this.#mark;
    mark.length = this.written;
    mark.page = this.#selected.page;
    mark.substituted = this.substituted;
    mark.paperDots = this.paperDots;
    mark.align = this.#align;
    mark.fontDots = this.#fontDots;
    mark.widthTimes = this.#widthTimes;
    mark.heightTimes = this.#heightTimes;
    mark.white = this.white;
    mark.wanted = this.wanted;
    mark.inked = this.inked;
    mark.drawn = this.drawn.length;
  }

  /** Removes what was written since `mark`, also more than once. */
  rewind(): void {
    const mark = this.#mark;
    this.written = mark.length;
    this.substituted = mark.substituted;
    this.paperDots = mark.paperDots;
    this.#selected.page = mark.page;
    this.#align = mark.align;
    this.#fontDots = mark.fontDots;
    this.#widthTimes = mark.widthTimes;
    this.#heightTimes = mark.heightTimes;
    this.white = mark.white;
    this.wanted = mark.wanted;
    this.inked = mark.inked;
    this.drawn.length = mark.drawn;
  }

  /** Resets the printer (ESC @), selects the US character set and the first code page of the make. */
  initHardware(): void {
    this.append(commands.HW_INIT);
    if (this.#twoByte !== 'none' || startsInTwoByteMode(this.#make)) this.append(twoByteMode(this.#twoByte).end);
    this.write(ESC, 0x52, 0);
    this.#select(this.#selected.first);
  }

  /**
   * Writes the characters `from` to `to` (exclusive) of `value`, which contain no line end. Returns false where it has a
   * character that the printer lacks and that might be composed (`printable`), shaped or drawn; the caller then rewinds what
   * was written.
   */
  text(value: string, from: number, to: number): boolean {
    if (!this.inked && from < to) this.beginInk();
    this.reserve(to - from);
    for (let at = from; at < to; at += 1) {
      const bytes = this.bytes;
      const { table } = this.#selected;
      const ahead = this.written - at;
      for (; at < to; at += 1) {
        const byte = table[value.charCodeAt(at)] ?? 0;
        if (byte === 0) break;
        bytes[ahead + at] = byte;
      }
      this.written = ahead + at;
      if (at === to) break;
      if (!this.#uncommon(value.charCodeAt(at))) return false;
      this.reserve(to - at);
    }
    return true;
  }

  /** How `text` prints the character of this code: from a code page, as a block letter, or not at all. */
  routeOf(code: number): 'page' | 'block' | undefined {
    const twin = twinOf(code);
    if (this.#selected.pageOf(code) !== undefined || (twin !== undefined && this.#selected.pageOf(twin) !== undefined))
      return 'page';
    return this.#textOnly || blockLetter(String.fromCharCode(code), true) === undefined ? undefined : 'block';
  }

  /** Writes characters of the two-byte font by their codes, first byte in the upper half, and leaves its mode. */
  twoByteText(codes: readonly number[]): void {
    if (!this.inked) this.beginInk();
    const { begin, end } = twoByteMode(this.#twoByte);
    this.append(begin);
    for (const code of codes) this.write(code >> 8, code & 0xff);
    this.append(end);
  }

  spaces(count: number): void {
    if (!this.inked && count > 0) this.beginInk();
    this.fill(SPACE, count);
  }

  /** GS L and GS W: rows begin at the left edge and are so many dots wide. Printers obey them at the beginning of a line. */
  printArea(dots: number): void {
    this.write(GS, 0x4c, 0, 0, GS, 0x57, dots & 0xff, dots >> 8);
  }

  /** Dots of a character of the selected font and size. */
  get cellDots(): number {
    return this.#fontDots * this.#widthTimes;
  }

  /** True where the printer keeps its own print area, and the node puts things in their place. */
  get placed(): boolean {
    return this.#placed;
  }

  /** The first dot of something this wide, where the alignment puts it. */
  startOf(dots: number): number {
    return before(this.#align, this.#dots - dots);
  }

  /** Begins a row of so many dots where the alignment puts it. */
  beginRow(dots: number): void {
    if (dots > 0 && this.#placed) this.moveTo(this.startOf(dots));
  }

  /** Goes on so many dots from the left edge (ESC $), or whole characters where the printer cannot. */
  moveTo(x: number): void {
    if (x === 0) return;
    if (this.#textOnly) {
      this.spaces(Math.floor(x / this.cellDots));
      return;
    }
    if (!this.inked) this.beginInk();
    this.write(ESC, 0x24, x & 0xff, x >> 8);
  }

  /** Call at the beginning of a line only: printers ignore ESC a elsewhere. */
  align(to: Align): void {
    if (to === this.#align) return;
    if (this.#placed) {
      this.#align = to;
      return;
    }
    if (to === 'center') this.append(commands.TXT_ALIGN_CT);
    else if (to === 'right') this.append(commands.TXT_ALIGN_RT);
    else this.append(commands.TXT_ALIGN_LT);
    this.#align = to;
  }

  bold(on: boolean): void {
    this.append(on ? commands.TXT_BOLD_ON : commands.TXT_BOLD_OFF);
  }

  /** ESC - underlines characters of one byte, FS - those of two; bold, invert and size are the same commands for both. */
  underline(on: boolean): void {
    this.append(on ? commands.TXT_UNDERL_ON : commands.TXT_UNDERL_OFF);
    if (this.#twoByte !== 'none') this.write(FS, 0x2d, on ? 1 : 0);
  }

  invert(on: boolean): void {
    this.append(on ? commands.TXT_INVERT_ON : commands.TXT_INVERT_OFF);
  }

  newLine(): void {
    this.write(LF);
    const dots = CHARACTER_DOTS * this.#heightTimes;
    this.paperDots += Math.max(LINE_DOTS, dots);
    if (!this.inked) this.white += Math.max(LEAST_LINE_DOTS, dots);
    else this.hasInk(Math.max(0, LEAST_LINE_DOTS - dots));
    this.inked = false;
  }

  setTypeFontA(): void {
    this.append(commands.TXT_FONT_A);
    this.#fontDots = this.#fontADots;
  }

  setTypeFontB(): void {
    this.append(commands.TXT_FONT_B);
    this.#fontDots = FONT_B_DOTS;
  }

  /** Multiples of the character cell, 1 to 8. */
  setTextSize(width: number, height: number): void {
    this.write(GS, 0x21, ((width - 1) << 4) | (height - 1));
    this.#widthTimes = width;
    this.#heightTimes = height;
  }

  /** Prints a symbol by its commands. `height`: of the paper that it takes. */
  symbol(written: Commands, height: number): void {
    this.keepClear();
    for (const part of written) this.append(part);
    this.paperDots += height;
    this.hasInk(0);
  }

  /** A bitmap with the white before it that the alignment wants: all of it, or what a printer, which places whole bytes, lacks. */
  inPlace(bitmap: Bitmap): Bitmap {
    const { width } = bitmap;
    const wanted = before(this.#align, this.#dots - width);
    const given = this.#placed ? 0 : before(this.#align, this.#dots - 8 * Math.ceil(width / 8));
    return movedRight(bitmap, wanted - given);
  }

  /** Prints a bitmap (GS v 0) in strips of `rowsPerStrip` rows, so that the printer's buffer need not hold all of it. */
  raster({ width, height, data }: Bitmap, rowsPerStrip: number): void {
    const rowBytes = Math.ceil(width / 8);
    this.reserve(data.length);
    const dots = harmless(data);
    const white = whiteRows(dots, rowBytes);
    if (white !== undefined) this.keepClear(white.above);
    for (let row = 0; row < height; row += rowsPerStrip) {
      const rows = Math.min(rowsPerStrip, height - row);
      this.append(commands.S_RASTER_N);
      this.write(rowBytes & 0xff, rowBytes >> 8, rows & 0xff, rows >> 8);
      this.append(dots.subarray(row * rowBytes, (row + rows) * rowBytes));
    }
    this.paperDots += height;
    if (white === undefined) this.white += height;
    else this.hasInk(white.below);
  }

  /** Prints text that was drawn as a bitmap, where the alignment puts it. `clean`: what keeps commands out of its data. */
  drawnRaster(bitmap: Bitmap, rowsPerStrip: number, words: string, clean = harmless): void {
    const { width, height, data } = this.inPlace(bitmap);
    const dots = clean(data);
    this.raster({ width, height, data: dots }, rowsPerStrip);
    // The white that places it is in the picture, and so in its words.
    const text = ' '.repeat(Math.floor((width - bitmap.width) / this.#fontADots)) + words;
    const strip = rowsPerStrip * Math.ceil(width / 8);
    const first = dots.findIndex((byte) => byte !== 0);
    for (let at = 0; at < dots.length; at += strip) {
      this.drawn.push({ dots: dots.slice(at, at + strip), text: first >= at && first < at + strip ? text : '' });
    }
  }

  /**
   * Prints a picture 24 dots high within the line, like a character (ESC *, m 33). `columns`: three bytes each; `text`: what it
   * was drawn from.
   */
  bitImage(columns: Uint8Array, text?: string): void {
    if (text !== undefined) this.drawn.push({ dots: columns, text });
    if (!this.inked) this.beginInk();
    const count = columns.length / 3;
    this.write(ESC, 0x2a, DOUBLE_DENSITY_24, count & 0xff, count >> 8);
    this.append(columns);
  }

  /**
   * Writes a character that the selected code page lacks: from another page, as a drawn letter, or as a question mark where
   * nothing could show it. Returns false as `text` does.
   */
  #uncommon(code: number): boolean {
    if (needsComposing(code)) return false;
    const twin = twinOf(code);
    if (this.#onAPage(code) || (twin !== undefined && this.#onAPage(twin))) return true;
    const char = String.fromCharCode(code);
    const glyph = this.#textOnly ? undefined : inlineGlyph(char, this.#fontDots * this.#widthTimes);
    if (glyph !== undefined) this.bitImage(glyph, char);
    else if (isNoCharacter(char)) {
      this.write(QUESTION_MARK);
      this.substituted += 1;
    } else return false;
    return true;
  }

  #onAPage(code: number): boolean {
    const page = this.#selected.pageOf(code);
    if (page === undefined) return false;
    if (page !== this.#selected.page) this.#select(page);
    this.write(this.#selected.table[code]!);
    return true;
  }

  #select(page: NumberedPage): void {
    this.write(ESC, 0x74, page.n);
    this.#selected.page = page;
  }
}
