/** Lines that are pictures: banner, raster. Each function gives the reason where a line cannot be printed. */
import { decodeBase64 } from '../../../codecs/base64.ts';
import { blockLetter, drawBlockLetters, LETTER_PITCH } from '../../../codecs/block-letters.ts';
import type { EscposOptions } from '../../../codecs/escpos.ts';
import type { EscposEncoder } from '../../../codecs/escpos-encoder.ts';
import { isNoCharacter, printable } from '../../../codecs/printable.ts';
import { rasterFault, withoutPadding } from '../../../codecs/raster.ts';
import type { Line } from '../contract/lines.ts';
import { NeedsShaping, type Shaping } from './shaping.ts';
import { afterRow, rowEnd, rowText, withoutTrailingSpaces } from './wrap.ts';

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
  const letters = value.replace(/[\n\u00ad\u200b]/g, '');
  if ([...letters].some((char) => blockLetter(char) === undefined && !isNoCharacter(char))) {
    if (shaping === undefined) throw new NeedsShaping();
    if (shaping.banner(encoder, line, options)) return;
  }
  const parts: string[] = [];
  for (let from = 0; from >= 0; ) {
    const end = rowEnd(value, from, perRow);
    parts.push(rowText(value, from, withoutTrailingSpaces(value, from, end), end, perRow));
    from = afterRow(value, end);
  }
  const longest = Math.max(1, ...parts.map((part) => part.length));
  const scale = Math.floor(dots / (longest * LETTER_PITCH - 1));
  encoder.align(line.align ?? 'left');
  for (const part of parts) {
    const drawn = drawBlockLetters(part, Math.min(BANNER_SCALES.most, scale), line.align === 'center');
    encoder.drawnRaster(drawn.bitmap, options.rasterRows, part);
    encoder.substituted += drawn.missing;
  }
  encoder.align('left');
}

/** Prints a bitmap. Gives the reason where it cannot: base64, size, or wider than the paper. */
export function raster(encoder: EscposEncoder, line: Of<'raster'>, options: EscposOptions): string | undefined {
  const data = decodeBase64(line.data);
  if (data === undefined) return 'data is not canonical base64';
  const bitmap = { width: line.width, height: line.height, data };
  const fault = rasterFault(bitmap, options.dots);
  if (fault !== undefined) return fault;
  encoder.align(line.align ?? 'left');
  encoder.raster(encoder.inPlace(withoutPadding(bitmap)), options.rasterRows);
  encoder.align('left');
  return undefined;
}
