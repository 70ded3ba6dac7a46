/**
 * What a printer makes of the bytes that it is sent, as dots: written from the makers' manuals (Epson TM-T88III command
 * manual; its "Kanji control commands" for the fonts of two bytes) and from nothing of this tree. It knows the commands of
 * receipts that are text, and throws at every other one, so that nothing is left out unseen.
 */
import { type Area, type Bitmap, blank, crop, draw, inkArea } from './bitmap.ts';

/** What a printer shows for its bytes. */
export interface Fonts {
  /** The character of this byte of the page that ESC t selects. */
  readonly character: (byte: number, page: number) => string;
  /** The characters of its two-byte font, by the name of TextDecoder. */
  readonly twoByte?: string;
  /** A character drawn in a cell of this size in dots. */
  readonly glyph: (character: string, width: number, height: number) => Bitmap;
}

export interface PrintedRow extends Area {
  /** What is printed text of it, as far as the printer knows. */
  readonly text: string;
}

export interface Printout {
  readonly paper: Bitmap;
  /** Printed lines and rasters, from the top; each as wide as the paper. */
  readonly rows: readonly PrintedRow[];
  /** By how many dots a raster has ink beyond the paper, where printers leave it out; 0 where none has. */
  readonly beyond: number;
}

/** One after the other from the left, on the bottom of the line. */
interface Piece {
  readonly bitmap: Bitmap;
  readonly x: number;
}

const LINE_SPACING = 34;
const [DLE, LF, ESC, FS, GS] = [0x10, 0x0a, 0x1b, 0x1c, 0x1d];
const CELL = { a: [12, 24], b: [9, 17] } as const;
const WIDE = [24, 24] as const;
const BLACK = 255;

/** Draws what `bytes` print on paper `dots` wide. Throws at a command that no receipt of text has. */
export function printout(bytes: Uint8Array, fonts: Fonts, dots = 576): Printout {
  const printer = new Printer(fonts, dots);
  printer.print(bytes);
  return printer.finish();
}

class Printer {
  readonly #fonts: Fonts;
  readonly #dots: number;
  readonly #decode: ((bytes: Uint8Array) => string) | undefined;
  readonly #strips: { readonly y: number; readonly bitmap: Bitmap }[] = [];
  readonly #rows: PrintedRow[] = [];
  #y = 0;
  #beyond = 0;
  #pieces: Piece[] = [];
  #text = '';
  #x = 0;
  #bold = false;
  #underline = false;
  #wideUnderline = false;
  #invert = false;
  #font: 'a' | 'b' = 'a';
  #across = 1;
  #down = 1;
  #align = 0;
  #page = 0;
  #twoByte: boolean;

  constructor(fonts: Fonts, dots: number) {
    this.#fonts = fonts;
    this.#dots = dots;
    const decoder = fonts.twoByte === undefined ? undefined : new TextDecoder(fonts.twoByte);
    this.#decode = decoder && ((bytes) => decoder.decode(bytes));
    this.#twoByte = this.#startsInTwoByteMode;
  }

  /** Whether it starts in two-byte mode: fonts for China, Taiwan and Korea are switched on in it. */
  get #startsInTwoByteMode(): boolean {
    return this.#decode !== undefined && this.#fonts.twoByte !== 'shift_jis';
  }

  finish(): Printout {
    const paper = blank(this.#dots, this.#y);
    for (const { y, bitmap } of this.#strips) draw(paper, bitmap, 0, y);
    return { paper, rows: this.#rows, beyond: this.#beyond };
  }

  print(b: Uint8Array): void {
    for (let at = 0; at < b.length; ) at += this.#next(b, at);
  }

  /** Obeys the command at this place, or prints the character; gives its length. */
  #next(b: Uint8Array, at: number): number {
    const byte = b[at]!;
    if (byte === LF) return this.#endLine();
    if (byte === 0) return 1;
    if (byte === DLE) return this.#realtime(b, at);
    if (byte === ESC) return this.#esc(b, at);
    if (byte === FS) return this.#fs(b, at);
    if (byte === GS) return this.#gs(b, at);
    if (byte < 0x20) throw new Error(`control character ${byte} at ${at}`);
    if (this.#twoByte && byte >= 0x81 && byte !== 0xff) return this.#wide(b, at);
    this.#put(this.#fonts.character(byte, this.#page), CELL[this.#font], this.#underline);
    return 1;
  }

  #realtime(b: Uint8Array, at: number): number {
    if (b[at + 1] !== 0x04) throw new Error(`DLE ${b[at + 1]} at ${at}`);
    return 3;
  }

  #esc(b: Uint8Array, at: number): number {
    const n = b[at + 2]!;
    switch (String.fromCharCode(b[at + 1]!)) {
      case '@':
        this.#reset();
        return 2;
      case '=':
      case 'R':
        return 3;
      case 't':
        this.#page = n;
        return 3;
      case 'a':
        this.#align = n % 0x30;
        return 3;
      case 'E':
        this.#bold = n % 2 === 1;
        return 3;
      case '-':
        this.#underline = n % 0x30 > 0;
        return 3;
      case 'M':
        this.#font = n % 0x30 === 1 ? 'b' : 'a';
        return 3;
      case 'J':
        return this.#feed(n, 3);
      case 'd':
        return this.#feed(n * LINE_SPACING, 3);
      case '$':
        this.#x = n + 256 * b[at + 3]!;
        return 4;
      case '\\':
        this.#x += ((n + 256 * b[at + 3]!) << 16) >> 16;
        return 4;
      case '*':
        return this.#columns(b, at);
      default:
        throw new Error(`ESC ${b[at + 1]} at ${at}`);
    }
  }

  #fs(b: Uint8Array, at: number): number {
    switch (String.fromCharCode(b[at + 1]!)) {
      case '&':
        this.#twoByte = this.#decode !== undefined;
        return 2;
      case '.':
        this.#twoByte = false;
        return 2;
      case 'C':
        return 3;
      case '-':
        this.#wideUnderline = b[at + 2]! % 0x30 > 0;
        return 3;
      default:
        throw new Error(`FS ${b[at + 1]} at ${at}`);
    }
  }

  #gs(b: Uint8Array, at: number): number {
    const n = b[at + 2]!;
    switch (String.fromCharCode(b[at + 1]!)) {
      case '!':
        this.#across = (n >> 4) + 1;
        this.#down = (n & 15) + 1;
        return 3;
      case 'B':
        this.#invert = n % 2 === 1;
        return 3;
      case 'V':
        return n === 65 || n === 66 ? 4 : 3;
      case 'v':
        return this.#rows8(b, at);
      case '(':
        // Real-time commands off (GS ( D) and the end of the job asked for (GS ( H): nothing on paper.
        if (n !== 0x44 && n !== 0x48) throw new Error(`GS ( ${n} at ${at}`);
        return 5 + b[at + 3]! + 256 * b[at + 4]!;
      default:
        throw new Error(`GS ${b[at + 1]} at ${at}`);
    }
  }

  #reset(): void {
    this.#pieces = [];
    this.#text = '';
    [this.#x, this.#across, this.#down, this.#align, this.#page] = [0, 1, 1, 0, 0];
    [this.#bold, this.#underline, this.#wideUnderline, this.#invert] = [false, false, false, false];
    this.#font = 'a';
    this.#twoByte = this.#startsInTwoByteMode;
  }

  #wide(b: Uint8Array, at: number): number {
    // GB 18030 has characters of four bytes, whose second one is a digit.
    const length = this.#fonts.twoByte === 'gb18030' && b[at + 1]! >= 0x30 && b[at + 1]! <= 0x39 ? 4 : 2;
    const halfWidth = this.#fonts.twoByte === 'shift_jis' && b[at]! >= 0xa1 && b[at]! <= 0xdf;
    const text = this.#decode!(b.subarray(at, at + (halfWidth ? 1 : length)));
    this.#put(text, halfWidth ? CELL[this.#font] : WIDE, this.#wideUnderline);
    return halfWidth ? 1 : length;
  }

  #put(character: string, [cellWidth, cellHeight]: readonly [number, number], underline: boolean): void {
    this.#text += character;
    const cell = blank(cellWidth, cellHeight);
    const glyph = this.#fonts.glyph(character, cellWidth, cellHeight);
    draw(cell, glyph, 0, 0);
    if (this.#bold) draw(cell, glyph, 1, 0);
    if (underline) cell.ink.fill(BLACK, (cellHeight - 1) * cellWidth);
    const ink = this.#invert ? cell.ink.map((each) => BLACK - each) : cell.ink;
    this.#add(enlarged({ ...cell, ink }, this.#across, this.#down));
  }

  #add(bitmap: Bitmap): void {
    // A printer begins a new line by itself; a node that sends more than fits has counted wrongly.
    if (this.#x + bitmap.width > this.#dots) throw new Error(`a row is wider than ${this.#dots} dots`);
    this.#pieces.push({ bitmap, x: this.#x });
    this.#x += bitmap.width;
  }

  /** ESC *: columns of 8 or 24 dots, the topmost is the highest bit. */
  #columns(b: Uint8Array, at: number): number {
    const mode = b[at + 2]!;
    if (mode !== 33) throw new Error(`ESC * of mode ${mode} at ${at}`);
    const width = b[at + 3]! + 256 * b[at + 4]!;
    const bitmap = blank(width, 24);
    for (let x = 0; x < width; x += 1) {
      for (let y = 0; y < 24; y += 1) {
        if (b[at + 5 + 3 * x + (y >> 3)]! & (0x80 >> (y & 7))) bitmap.ink[y * width + x] = BLACK;
      }
    }
    this.#add(bitmap);
    return 5 + 3 * width;
  }

  /** GS v 0: rows, each from the left. */
  #rows8(b: Uint8Array, at: number): number {
    if (this.#pieces.length > 0) throw new Error(`a raster at ${at} in the middle of a line, which no printer prints`);
    const [mode, bytes, height] = [b[at + 3]!, b[at + 4]! + 256 * b[at + 5]!, b[at + 6]! + 256 * b[at + 7]!];
    if (mode % 0x30 !== 0) throw new Error(`an enlarged raster at ${at}`);
    const bitmap = blank(bytes * 8, height);
    for (let index = 0; index < bitmap.ink.length; index += 1) {
      const [x, y] = [index % bitmap.width, Math.floor(index / bitmap.width)];
      if (b[at + 8 + y * bytes + (x >> 3)]! & (0x80 >> (x & 7))) bitmap.ink[index] = BLACK;
    }
    const { x = 0, width = 0 } = inkArea(bitmap) ?? {};
    this.#beyond = Math.max(this.#beyond, x + width - this.#dots);
    const strip = this.#placed([{ bitmap, x: 0 }], bitmap.width, height);
    this.#row(strip, height, '');
    return 8 + bytes * height;
  }

  #placed(pieces: readonly Piece[], width: number, height: number): Bitmap {
    const strip = blank(this.#dots, height);
    const left = Math.max(
      0,
      this.#align === 0 ? 0 : this.#align === 1 ? (this.#dots - width) >> 1 : this.#dots - width,
    );
    for (const { bitmap, x } of pieces) draw(strip, bitmap, left + x, height - bitmap.height);
    return strip;
  }

  #row(bitmap: Bitmap, height: number, text: string): void {
    this.#strips.push({ y: this.#y, bitmap });
    this.#rows.push({ x: 0, y: this.#y, width: this.#dots, height, text });
    this.#y += height;
  }

  #endLine(): number {
    if (this.#pieces.length === 0) return this.#feed(LINE_SPACING, 1);
    const height = Math.max(...this.#pieces.map(({ bitmap }) => bitmap.height));
    const strip = this.#placed(this.#pieces, this.#x, height);
    this.#row(strip, Math.max(LINE_SPACING, height), this.#text);
    this.#pieces = [];
    this.#text = '';
    this.#x = 0;
    return 1;
  }

  #feed(dots: number, length: number): number {
    this.#y += dots;
    return length;
  }
}

/** Each dot as so many: what GS ! makes of a character. */
function enlarged({ width, height, ink }: Bitmap, across: number, down: number): Bitmap {
  if (across === 1 && down === 1) return { width, height, ink };
  const large = blank(width * across, height * down);
  for (let at = 0; at < large.ink.length; at += 1) {
    const [x, y] = [at % large.width, Math.floor(at / large.width)];
    large.ink[at] = ink[Math.floor(y / down) * width + Math.floor(x / across)]!;
  }
  return large;
}

/** What is printed of one row, between two columns of dots. */
export const band = ({ paper }: Printout, { y, height }: PrintedRow, x: number, width: number): Bitmap =>
  crop(paper, { x, y, width, height });
