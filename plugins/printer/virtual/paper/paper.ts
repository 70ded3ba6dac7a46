/** The paper of the virtual printer: printed rows, with positions in dots from the top. */
import type { Lack } from '../state/lacks.ts';
import type { StoredGraphics } from '../state/memory.ts';
import { type Direction, LINE_SPACING, type Modes } from '../state/modes.ts';
import type { LinearSymbology } from '../symbols/barcode.ts';
import { type AskedPrint, AskedSymbols } from './asked-symbols.ts';
import { UNKNOWN } from './codepage-tables.ts';
import type { Glyphs } from './codepages.ts';
import { type Cell, LineBuffer } from './line-buffer.ts';
import type { PaperModel } from './model.ts';
import { type Area, Page } from './page.ts';
import type { Bitmap, PrintedSymbol, RasterShape, Row, Style } from './rows.ts';
import { Strips } from './strips.ts';
import { askedOf, barcodeOf, frameOf, pdf417Of, qrOf } from './symbols.ts';
import type { TwoByteGlyphs } from './two-byte-glyphs.ts';

/** A character of the two-byte font. */
const WIDE_CELL: Cell = { width: 24, height: 24 };
/** Rows kept; older ones are torn off. */
const MAX_ROWS = 16_384;

/** The paper of one model of printer. The interpreter prints on it; `rows` is what it shows. */
export class Paper {
  readonly #glyph: Glyphs;
  readonly #twoByte: TwoByteGlyphs | undefined;
  /** The first byte of a character whose second has not come. */
  #first: number | undefined;
  readonly #cells: Readonly<Record<Modes['font'], Cell>>;
  readonly dots: number;
  #rows: Row[] = [];
  #y = 0;
  readonly #line = new LineBuffer();
  #raster: Strips | undefined;
  #page: Page | undefined;
  #tornOffRows = 0;
  readonly #ignored = new Map<string, number>();
  readonly askedSymbols: AskedSymbols;
  /** How many commands were obeyed. */
  commands = 0;

  constructor({ glyph, twoByte, dots, columns, symbols }: PaperModel) {
    this.askedSymbols = new AskedSymbols(symbols);
    this.#glyph = glyph;
    this.#twoByte = twoByte;
    this.dots = dots;
    this.#cells = { a: { width: Math.floor(dots / columns), height: 24 }, b: { width: 9, height: 17 } };
  }

  cellOf({ font, wide }: Pick<Style, 'font' | 'wide'>): Cell {
    return wide ? WIDE_CELL : this.#cells[font];
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Rows that are no longer kept. */
  get tornOffRows(): number {
    return this.#tornOffRows;
  }

  /** The commands that it does not show, by name, and how often each came. */
  get ignored(): ReadonlyMap<string, number> {
    return this.#ignored;
  }

  /** A command that it does not show: listed, and named where it stood where it is to be told there. */
  ignore(command: string, as: Lack = 'told'): void {
    this.#ignored.set(command, (this.#ignored.get(command) ?? 0) + 1);
    if (as === 'listed') return;
    const y = this.#nextY();
    const last = this.#rows.at(-1);
    if (last?.kind !== 'note' || last.y !== y) this.#add({ kind: 'note', y, height: 0, commands: [command] });
    else if (!last.commands.includes(command)) {
      this.#rows[this.#rows.length - 1] = { ...last, commands: [...last.commands, command] };
    }
  }

  /** Dots printed so far. */
  get height(): number {
    return this.#y;
  }

  /** The line buffer is not paper yet, and a raster may lack its last rows: what is there of it is closed. */
  finish(): void {
    this.#closeRaster();
  }

  text(bytes: Uint8Array, from: number, end: number, modes: Modes): void {
    const { bold, underline, invert, font, width, height, turned, smooth } = modes;
    const narrow: Style = {
      ...{ bold, underline, invert, font, width, height },
      ...(turned && { turned }),
      ...(smooth && { smooth }),
    };
    const wideStyle: Style = {
      ...{ ...narrow, underline: modes.twoByteUnderline, wide: true },
      ...{ width: modes.twoByteWidth, height: modes.twoByteHeight },
    };
    let style = narrow;
    let text = '';
    const advance = (): number => {
      const cell = this.cellOf(style);
      const spacing = style.wide ? modes.twoByteSpacing : modes.characterSpacing;
      return turned ? (cell.height + spacing) * style.height : (cell.width + spacing) * style.width;
    };
    const put = (): void => {
      if (text) this.#line.text(text, style, this.cellOf(style), advance());
      text = '';
    };
    const makeRoom = (characters: number): void => {
      const started = text !== '' || !this.#line.isEmpty;
      if (started && this.#line.x + (characters + 1) * advance() > this.#lineWidth(modes)) {
        put();
        this.endLine(modes);
      }
    };
    const show = (char: string, own: Bitmap | undefined, wide: boolean): void => {
      if (wide !== (style.wide ?? false)) {
        put();
        style = wide ? wideStyle : narrow;
      }
      makeRoom(text.length);
      if (!own) text += char;
      else {
        put();
        this.image({ ...own, scaleX: style.width, scaleY: style.height });
        this.#line.x += advance() - own.width * style.width;
      }
    };
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at]!;
      const first = this.#first;
      this.#first = undefined;
      if (first !== undefined && this.#twoByte?.isFirst(first, modes)) {
        const known = byte > 0x20;
        const own = modes.ownWide.get((first << 8) | byte);
        show(known ? this.#twoByte.glyph(first, byte, modes) : UNKNOWN, own, true);
        if (known) continue;
      }
      if (byte < 0x20) {
        put();
        style = narrow;
        this.#control(byte, modes, advance());
      } else if (this.#twoByte?.isFirst(byte, modes)) this.#first = byte;
      else {
        const own = modes.ownSelected ? modes.own[font].get(byte) : undefined;
        show(this.#glyph(byte, modes.codePage, modes.national), own, false);
      }
    }
    put();
  }

  image(bitmap: Bitmap): void {
    this.#line.image(bitmap);
  }

  moveTo(x: number): void {
    this.#line.x = x;
  }

  moveBy(dots: number): void {
    this.#line.x = Math.max(0, this.#line.x + dots);
  }

  discardLine(): void {
    this.#first = undefined;
    this.#line.take();
  }

  /** Prints the line buffer if there is anything in it. */
  endLine(modes: Modes): void {
    if (this.#page) {
      const { isEmpty } = this.#line;
      this.#writeOnPage();
      this.discardLine();
      if (!isEmpty) this.feed(modes.lineSpacing);
      return;
    }
    const end = this.#line.x;
    this.#first = undefined;
    const pieces = this.#line.take();
    if (pieces.length === 0) return;
    const height = Math.max(modes.lineSpacing, ...pieces.map((piece) => piece.height));
    // ESC $ goes back, too: the last position need not be the end of the line.
    const inked = Math.max(...pieces.map((piece) => piece.x + piece.width));
    const x = this.#place(Math.max(end, inked), modes);
    if (!modes.upsideDown) this.#add({ kind: 'line', y: this.#nextY(), x, height, pieces });
    else {
      const mirrored = 2 * modes.leftMargin + this.#lineWidth(modes) - x - inked;
      this.#add({ kind: 'line', y: this.#nextY(), x: Math.max(0, mirrored), height, pieces, upsideDown: true });
    }
  }

  /** ESC L: begins a page, unless one was begun. */
  beginPage(): void {
    if (this.#page) return;
    this.discardLine();
    this.#closeRaster();
    this.#page = new Page(this.dots);
  }

  /** ESC W, ESC T, CAN: in units of a dot. */
  selectArea(area: Area): void {
    this.#writeOnPage();
    this.#line.x = 0;
    this.#page?.select({ ...area, width: Math.max(0, Math.min(area.width, this.dots - area.x)) });
  }

  turnPage(direction: Direction): void {
    this.#writeOnPage();
    this.#line.x = 0;
    this.#page?.turn(direction);
  }

  clearArea(): void {
    this.discardLine();
    this.#page?.clear();
  }

  /** GS $ and GS \\: the bottom of what is written next, from the beginning of the area or from where it is. */
  movePageTo(bottom: number): void {
    this.#writeOnPage();
    this.#page?.moveTo(bottom);
  }

  movePageBy(dots: number): void {
    if (this.#page) this.movePageTo(this.#page.bottom + dots);
  }

  /** FF and ESC FF print the page; the second one keeps it. */
  printPage(keep: boolean): void {
    this.#writeOnPage();
    const page = this.#page;
    if (!page) return;
    const { items, height } = page.printed;
    this.#page = undefined;
    if (height > 0) this.#add({ kind: 'page', y: this.#nextY(), height, items });
    if (keep) this.#page = page;
    else this.discardLine();
  }

  /** ESC S. */
  dropPage(): void {
    this.discardLine();
    this.#page = undefined;
  }

  /** `lines` is how many blank lines that is to a reader. */
  feed(dots: number, lines = dots / LINE_SPACING): void {
    if (dots === 0) return;
    this.#closeRaster();
    if (this.#page) {
      this.movePageBy(dots);
      return;
    }
    const last = this.#rows.at(-1);
    if (last?.kind === 'feed') {
      this.#rows.pop();
      this.#y = last.y;
      this.#add({ kind: 'feed', y: last.y, height: last.height + dots, lines: last.lines + lines });
    } else this.#add({ kind: 'feed', y: this.#nextY(), height: dots, lines });
  }

  cut(partial: boolean): void {
    this.#add({ kind: 'cut', y: this.#nextY(), height: 24, partial });
  }

  /** Bytes of a raster, from `offset` on; a raster of the same shape below another one continues it. */
  raster(shape: RasterShape, offset: number, bytes: Uint8Array, modes: Modes): void {
    const x = this.#page ? this.#line.x : this.#place(Strips.width(shape), modes);
    if (!this.#raster?.continues(shape, x, offset)) {
      const y = this.#nextY();
      this.#raster = new Strips(shape, x, y, offset % shape.rowBytes);
    }
    this.#raster?.add(bytes, offset);
  }

  /** Graphics in colours, printed over each other. */
  graphics(layers: readonly StoredGraphics[], modes: Modes): void {
    const [first, ...more] = layers;
    if (!first) return;
    const width = (layer: StoredGraphics): number => layer.width * layer.scaleX;
    const widest = Math.max(...layers.map(width));
    if (more.length === 0 && (first.colour ?? 1) === 1 && !this.#page) {
      const { width, height: _, rows, ...shape } = first;
      this.raster({ ...shape, rowBytes: Math.ceil(width / 8), width }, 0, rows, modes);
      return;
    }
    const y = this.#nextY();
    const x = this.#page ? this.#line.x : this.#place(widest, modes);
    const height = Math.max(...layers.map((layer) => layer.height * layer.scaleY));
    for (const bitmap of layers) {
      const box = { width: width(bitmap), height: bitmap.height * bitmap.scaleY };
      if (this.#page) this.#page.put({ kind: 'image', x: 0, ...box, bitmap }, x);
      else this.#add({ kind: 'raster', x, y, ...box, bitmap, sent: [bitmap.rows] });
    }
    if (this.#page) this.#line.x += widest;
    else this.#y = y + height;
  }

  /** Prints a bar code; one that is invalid or too wide is left out, as printers do: false. */
  barcode(symbology: LinearSymbology, data: Uint8Array, modes: Modes): boolean {
    return this.symbol(barcodeOf(symbology, data, modes), modes);
  }

  qr(data: Uint8Array, modes: Modes): boolean {
    return this.symbol(qrOf(data, modes), modes);
  }

  pdf417(data: Uint8Array, modes: Modes): boolean {
    return this.symbol(pdf417Of(data, modes, this.#lineWidth(modes)), modes);
  }

  /** What prints and is not drawn here: a frame with its name and data. */
  frame(name: string, text: string, modes: Modes): void {
    this.symbol(frameOf(name, text, this.#lineWidth(modes)), modes);
  }

  /** A symbol that is drawn in another place: its frame where it was not yet, or could not be. */
  asked(name: string, print: AskedPrint, modes: Modes): boolean {
    const modules = this.askedSymbols.modulesOf(print.asked);
    if (modules) return this.symbol(askedOf(print, modules, modes), modes);
    this.frame(name, print.text, modes);
    return false;
  }

  /** False where it is none, or too wide. */
  symbol(symbol: PrintedSymbol | undefined, modes: Modes): boolean {
    if (!symbol || symbol.width > this.#lineWidth(modes)) return false;
    if (this.#page) {
      this.#writeOnPage();
      const fits = this.#page.put({ kind: 'symbol', ...symbol }, this.#line.x);
      this.#line.x += symbol.width;
      return fits;
    }
    this.#add({ kind: 'symbol', y: this.#nextY(), x: this.#place(symbol.width, modes), ...symbol });
    return true;
  }

  #control(byte: number, modes: Modes, advance: number): void {
    if (byte === 0x0a && this.#line.isEmpty) this.feed(modes.lineSpacing, 1);
    else if (byte === 0x0a || byte === 0x0c) this.endLine(modes);
    else if (byte === 0x09) {
      const stop = modes.tabs.find((column) => column * advance > this.#line.x);
      if (stop !== undefined && stop * advance < this.#lineWidth(modes)) this.#line.x = stop * advance;
    }
  }

  /** What waits in the line buffer is written where it stands; the position stays behind it. */
  #writeOnPage(): void {
    this.#closeRaster();
    const { x } = this.#line;
    const pieces = this.#line.take();
    this.#line.x = x;
    if (!this.#page || pieces.length === 0) return;
    this.#page.moveTo(Math.max(this.#page.bottom, ...pieces.map(({ height }) => height)));
    for (const piece of pieces) this.#page.put(piece, piece.x);
  }

  #lineWidth({ leftMargin, printWidth }: Modes): number {
    if (this.#page) return this.#page.across;
    return Math.max(0, Math.min(printWidth, this.dots - leftMargin));
  }

  /** Left edge, in dots, of something of this width, by the alignment. */
  #place(width: number, modes: Modes): number {
    const free = Math.max(0, this.#lineWidth(modes) - width);
    return modes.leftMargin + (modes.align === 'left' ? 0 : modes.align === 'right' ? free : Math.floor(free / 2));
  }

  #nextY(): number {
    this.#closeRaster();
    return this.#y;
  }

  #closeRaster(): void {
    const open = this.#raster;
    this.#raster = undefined;
    if (!open) return;
    const row = open.close();
    if (this.#page) {
      this.#page.put({ ...row, kind: 'image', x: 0 }, row.x);
      this.#line.x = row.x + row.width;
    } else this.#add(row);
  }

  #add(row: Row): void {
    this.#rows.push(row);
    this.#y = row.y + row.height;
    if (this.#rows.length <= MAX_ROWS) return;
    this.#rows = this.#rows.slice(MAX_ROWS / 4);
    this.#tornOffRows += MAX_ROWS / 4;
  }
}
