/**
 * Lines that are symbols: bar codes, QR Codes and their like. The printer draws those that every printer has, the node the
 * others, and those that it has to put in their place itself.
 */
import type { EscposOptions } from '../../../codecs/escpos.ts';
import type { EscposEncoder } from '../../../codecs/escpos-encoder.ts';
import { CHARACTER_DOTS, FONT_B_DOTS, LEAST_LINE_DOTS } from '../../../codecs/escpos-line.ts';
import { type Bitmap, realtimeCommandAt } from '../../../codecs/raster.ts';
import { quietRows } from '../../../codecs/symbol-size.ts';
import type { Line } from '../contract/lines.ts';
import { printAreaOf } from './print-area.ts';
import { NeedsShaping, type Shaping } from './shaping.ts';
import { type BarcodeLine, isDrawn, type MadeSymbol, symbolOf } from './symbol-of.ts';

const COMMANDS = 'the symbol would hold a command that printers obey wherever it stands (DLE DC4, ESC p)';

/** True where a symbol of these lines has to be drawn by the node. */
export function drawsSymbols(
  lines: readonly Line[],
  settings: { readonly columns: number },
  options: EscposOptions,
): boolean {
  const placed = !options.printArea && printAreaOf(settings, options) !== options;
  return lines.some(
    (line) => line.type === 'barcode' && (isDrawn(line.symbology, options) || (placed && isMoved(line))),
  );
}

const isMoved = ({ align = 'left' }: BarcodeLine): boolean => align !== 'left';

/** Prints a symbol. Gives the reason where it cannot: its value, its width, or bytes of a command. */
export function barcode(
  encoder: EscposEncoder,
  line: BarcodeLine,
  options: EscposOptions,
  shaping: Shaping | undefined,
): string | undefined {
  const made = symbolOf(line, options, shaping);
  if (!made.ok) return made.reason;
  const { commands, across, moduleDots, height, hri, text, textByNode } = made.value;
  const byPrinter = commands !== undefined && !(encoder.placed && isMoved(line));
  if (!byPrinter && shaping === undefined) throw new NeedsShaping();

  const align = line.align ?? 'left';
  encoder.align(align);
  const width = across * moduleDots;
  const middle = encoder.startOf(width) + width / 2;
  const rows =
    hri === 'none' || (byPrinter && !textByNode)
      ? []
      : rowsOf(text.map(inAscii), Math.floor(options.dots / FONT_B_DOTS));
  const printText = (): void => {
    if (rows.length === 0) return;
    encoder.align('left');
    encoder.setTypeFontB();
    for (const row of rows) {
      const dots = row.length * encoder.cellDots;
      encoder.moveTo(Math.max(0, Math.min(options.dots - dots, Math.floor(middle - dots / 2))));
      encoder.text(row, 0, row.length);
      encoder.newLine();
    }
    encoder.setTypeFontA();
    encoder.align(align);
  };
  /** The text of a bar code is as good as white. */
  const textRows = rows.length > 0 ? rows.length * LEAST_LINE_DOTS : CHARACTER_DOTS;
  const wanted = quietRows(line.symbology, moduleDots);
  const isAbove = hri === 'above' || hri === 'both';
  const isBelow = hri === 'below' || hri === 'both';
  encoder.keep(isAbove ? wanted - textRows : wanted);
  if (isAbove) printText();
  if (byPrinter) {
    const texts = rows.length > 0 || hri === 'none' ? 0 : hri === 'both' ? 2 : 1;
    const from = encoder.length;
    encoder.symbol(commands, height + texts * CHARACTER_DOTS);
    const written = encoder.getBuffer();
    if (realtimeCommandAt(written, from) >= 0 || holdsDrawerKick(written, from)) return COMMANDS;
  } else shaping!.picture(encoder, bitmapOf(made.value), `[${line.symbology} ${line.value}]`, options);
  if (isBelow) printText();
  encoder.keep(isBelow ? wanted - textRows : wanted);
  encoder.align('left');
  return undefined;
}

/** What cannot be printed of the data of a bar code is a space, as printers do. */
const inAscii = (text: string): string => text.replace(/[^ -~]/g, ' ');

/** Puts parts of a text into rows of so many characters; one that is longer goes on in the next row. */
function rowsOf(parts: readonly string[], most: number): string[] {
  const rows: string[] = [];
  for (const part of parts) {
    const joined = (rows.at(-1) ?? '') + part;
    if (rows.length > 0 && joined.length <= most) rows[rows.length - 1] = joined;
    else for (let at = 0; at < part.length; at += most) rows.push(part.slice(at, at + most));
  }
  return rows;
}

/** The dots of a symbol. Its modules are two dots wide at least, of which no command is made (DLE, ESC p have single dots). */
function bitmapOf({ modules, across, moduleDots, rowDots }: MadeSymbol): Bitmap {
  const rows = modules();
  const width = across * moduleDots;
  const rowBytes = Math.ceil(width / 8);
  const data = new Uint8Array(rowBytes * rows.length * rowDots);
  for (const [index, row] of rows.entries()) {
    const first = index * rowDots * rowBytes;
    for (let x = 0; x < width; x += 1) {
      if (row[Math.floor(x / moduleDots)] === '1') data[first + (x >> 3)]! |= 0x80 >> (x & 7);
    }
    for (let copy = 1; copy < rowDots; copy += 1) data.copyWithin(first + copy * rowBytes, first, first + rowBytes);
  }
  return { width, height: rows.length * rowDots, data };
}

/** True where the bytes from `from` on contain ESC p. The outlet would replace a byte of it, and the symbol would have another value. */
function holdsDrawerKick(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.indexOf(0x1b, from); at >= 0; at = bytes.indexOf(0x1b, at + 1))
    if (bytes[at + 1] === 0x70) return true;
  return false;
}
