/** Lines that are pictures: banner, bar code, raster. Each function gives the reason where a line cannot be printed. */
import { linearData } from '../../../codecs/barcode.ts';
import { decodeBase64 } from '../../../codecs/base64.ts';
import { blockLetter, drawBlockLetters, LETTER_PITCH } from '../../../codecs/block-letters.ts';
import type { EscposOptions } from '../../../codecs/escpos.ts';
import { CHARACTER_DOTS, type EscposEncoder } from '../../../codecs/escpos-encoder.ts';
import { barcodeCommands, type Hri, pdf417Commands, qrCommands } from '../../../codecs/escpos-symbols.ts';
import { PDF417_LEVEL, pdf417Data, qrData } from '../../../codecs/matrix-code.ts';
import { isNoCharacter, printable } from '../../../codecs/printable.ts';
import type { Quiet } from '../../../codecs/quiet-zone.ts';
import { rasterFault, realtimeCommandAt } from '../../../codecs/raster.ts';
import {
  type Extent,
  linearModules,
  qrModules,
  quietRows,
  type Symbology,
  symbolDots,
} from '../../../codecs/symbol-size.ts';
import type { Line } from '../contract.ts';
import { NeedsShaping, type Shaping } from './shaping.ts';
import { afterRow, rowEnd, withoutTrailingSpaces } from './wrap.ts';

type Of<T extends Line['type']> = Extract<Line, { type: T }>;

/** Printed dots for one dot of a block letter: the least lets 24 characters fit 80 mm paper. */
const BANNER_SCALES = { least: 4, most: 16 } as const;

/**
 * Prints a text in block letters, as large as fits the line, or in the faces of `shaping` where it has other characters.
 * What neither has counts as substituted.
 */
export function banner(
  encoder: EscposEncoder,
  line: Of<'banner'>,
  options: EscposOptions,
  shaping: Shaping | undefined,
): void {
  const { dots } = options;
  const perRow = Math.max(1, Math.floor((dots / BANNER_SCALES.least + 1) / LETTER_PITCH));
  const value = printable(line.value).replaceAll('\t', ' ');
  if ([...value].some((char) => char !== '\n' && blockLetter(char) === undefined && !isNoCharacter(char))) {
    if (shaping === undefined) throw new NeedsShaping();
    if (shaping.banner(encoder, line, options)) return;
  }
  const parts: string[] = [];
  for (let from = 0; from >= 0; ) {
    const end = rowEnd(value, from, perRow);
    parts.push(value.slice(from, withoutTrailingSpaces(value, from, end)));
    from = afterRow(value, end);
  }
  const longest = Math.max(1, ...parts.map((part) => part.length));
  const scale = Math.floor(dots / (longest * LETTER_PITCH - 1));
  encoder.align(line.align ?? 'left');
  for (const part of parts) {
    const drawn = drawBlockLetters(part, Math.min(BANNER_SCALES.most, scale));
    encoder.raster(encoder.inPlace(drawn.bitmap), options.rasterRows);
    encoder.substituted += drawn.missing;
  }
  encoder.align('left');
}

/** UPC and EAN, which get wider modules (GS w) because tills scan them from further away. */
const RETAIL = /^(?:ean|upc)/;
const BARCODE_HEIGHT = 80;
/** Dots of a module: the least that printers accept, and the default, where the paper is wide enough for it. */
const LINEAR_DOTS = { least: 2, usual: 2 } as const;
const RETAIL_DOTS = { least: 2, usual: 3 } as const;
const QR_DOTS = { least: 1, usual: 6 } as const;
const PDF417_DOTS = { least: 2, usual: 3, most: 8 } as const;
const COMMANDS = 'the symbol would hold a command that printers obey wherever it stands (DLE DC4, ESC p)';

/** Prints a bar code, QR Code or PDF417. Gives the reason where it cannot: its value, its width, or bytes of a command. */
export function barcode(encoder: EscposEncoder, line: Of<'barcode'>, { dots }: EscposOptions): string | undefined {
  const { symbology, value, align } = line;
  const { length } = encoder.mark();
  if (symbology === 'qr') {
    const level = line.errorCorrection ?? 'm';
    const data = qrData(value, level);
    if (!data.ok) return data.reason;
    const extent = qrModules(data.value.length, level);
    const size = line.size ?? largest(QR_DOTS, symbology, extent, dots);
    const fault = widthFault(symbology, extent, size, dots);
    if (fault !== undefined) return fault;
    encoder.align(align ?? 'left');
    encoder.symbol(qrCommands(data.value, size, level), extent.down * size, around(symbology, size));
  } else if (symbology === 'pdf417') {
    const level = PDF417_LEVEL[line.errorCorrection ?? 'l'];
    const data = pdf417Data(value, level);
    if (!data.ok) return data.reason;
    const { bytes, extent } = data.value;
    const size = line.size ?? largest(PDF417_DOTS, symbology, extent, dots);
    if (size < PDF417_DOTS.least || size > PDF417_DOTS.most) return 'the size of pdf417 is 2 to 8';
    const fault = widthFault(symbology, extent, size, dots);
    if (fault !== undefined) return fault;
    encoder.align(align ?? 'left');
    encoder.symbol(pdf417Commands(bytes, size, level), extent.down * size, around(symbology, size));
  } else {
    const data = linearData(symbology, value);
    if (!data.ok) return data.reason;
    const extent = { across: linearModules(symbology, data.value) };
    const usual = RETAIL.test(symbology) ? RETAIL_DOTS : LINEAR_DOTS;
    const moduleWidth = line.moduleWidth ?? largest(usual, symbology, extent, dots);
    const fault = widthFault(symbology, extent, moduleWidth, dots);
    if (fault !== undefined) return fault;
    encoder.align(align ?? 'left');
    const { height = BARCODE_HEIGHT, hri = 'below' } = line;
    const commands = barcodeCommands(symbology, data.value, { height, moduleWidth, hri });
    encoder.symbol(commands, height + hriRows(hri), around(symbology, moduleWidth, hri));
  }
  encoder.align('left');
  const written = encoder.getBuffer().subarray(length);
  return realtimeCommandAt(written) >= 0 || holdsDrawerKick(written) ? COMMANDS : undefined;
}

/** White rows that a symbol wants above and below it. The text of a bar code is as good as white. */
function around(symbology: Symbology, moduleDots: number, hri: Hri = 'none'): Quiet {
  const rows = quietRows(symbology, moduleDots);
  const beside = Math.max(0, rows - CHARACTER_DOTS);
  return {
    above: hri === 'above' || hri === 'both' ? beside : rows,
    below: hri === 'below' || hri === 'both' ? beside : rows,
  };
}

/** Rows of the text of a bar code. */
const hriRows = (hri: Hri): number => CHARACTER_DOTS * (hri === 'none' ? 0 : hri === 'both' ? 2 : 1);

/** True where the bytes contain ESC p. The outlet would replace a byte of it, and the symbol would have another value. */
function holdsDrawerKick(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1b); at >= 0; at = bytes.indexOf(0x1b, at + 1)) if (bytes[at + 1] === 0x70) return true;
  return false;
}

type Across = Pick<Extent, 'across'>;

/** The largest module, in dots, with which a symbol fits a line of `dots`: at most the usual one, at least the least. */
function largest(
  { least, usual }: { readonly least: number; readonly usual: number },
  symbology: Symbology,
  { across }: Across,
  dots: number,
): number {
  let size = usual;
  while (size > least && symbolDots(symbology, across, size) > dots) size -= 1;
  return size;
}

/** The reason where a symbol is wider than the paper: printers leave it out without an error. */
function widthFault(symbology: Symbology, { across }: Across, size: number, dots: number): string | undefined {
  const width = symbolDots(symbology, across, size);
  if (width <= dots) return undefined;
  return `${symbology} of ${width} dots (${across} modules of ${size}) is wider than the ${dots} of a line`;
}

/** Prints a bitmap. Gives the reason where it cannot: base64, size, or wider than the paper. */
export function raster(encoder: EscposEncoder, line: Of<'raster'>, options: EscposOptions): string | undefined {
  const data = decodeBase64(line.data);
  if (data === undefined) return 'data is not canonical base64';
  const bitmap = { width: line.width, height: line.height, data };
  const fault = rasterFault(bitmap, options.dots);
  if (fault !== undefined) return fault;
  encoder.align(line.align ?? 'left');
  encoder.raster(encoder.inPlace(bitmap), options.rasterRows);
  encoder.align('left');
  return undefined;
}
