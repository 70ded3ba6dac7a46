/**
 * Commands of ePOS-Print XML for the paper that they are printed on, which no till knows: a receipt is drawn for 80 mm paper (Odoo: 512
 * dots), and may have rows that are longer than the paper.
 */
import { decodeBase64, encodeBase64 } from './base64-node.ts';
import { ditheredTo } from './dither.ts';
import type { EposCommand, EposLine } from './epos-xml.ts';
import { wrapped } from './epos-xml-wrap.ts';

const WHITE = 255;

/** What a receipt is laid out in. */
export interface EposPaper {
  /** Columns of Font A. */
  readonly columns: number;
  /** Dots across. */
  readonly dots: number;
}

/**
 * The same commands, with each image that is wider than the paper made as wide as that, its height in proportion, and rows of bold
 * and plain text wrapped. `letIn`: awaited before each of those images, which takes up to a tenth of a second.
 */
export async function fitted(
  commands: readonly EposCommand[],
  { columns, dots }: EposPaper,
  letIn: () => Promise<void>,
): Promise<EposCommand[]> {
  const all: EposCommand[] = [];
  for (const command of commands) {
    if (command.type !== 'print') {
      all.push(command);
      continue;
    }
    const lines: EposLine[] = [];
    for (const line of command.lines) {
      if (line.type === 'raster' && line.width > dots) await letIn();
      if (line.type === 'columns') for (const row of wrapped(line, columns)) lines.push(row);
      else lines.push(fittedLine(line, dots));
    }
    all.push({ ...command, lines });
  }
  return all;
}

/** Width in dots of the widest image; 0 where there is none. */
export function widestOf(commands: readonly EposCommand[]): number {
  let widest = 0;
  for (const command of commands)
    if (command.type === 'print')
      for (const line of command.lines) if (line.type === 'raster') widest = Math.max(widest, line.width);
  return widest;
}

function fittedLine(line: EposLine, dots: number): EposLine {
  if (line.type !== 'raster' || line.width <= dots) return line;
  const data = decodeBase64(line.data);
  // Another length is refused where it is printed.
  if (data?.length !== Math.ceil(line.width / 8) * line.height) return line;
  const bitmap = ditheredTo(shadesOf({ ...line, data }), dots, 'diffusion');
  return { ...line, width: bitmap.width, height: bitmap.height, data: encodeBase64(bitmap.data) };
}

function shadesOf({ width, height, data }: { width: number; height: number; data: Uint8Array }) {
  const rowBytes = Math.ceil(width / 8);
  const shades = new Uint8Array(width * height).fill(WHITE);
  for (let y = 0, pixel = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, pixel += 1)
      if ((data[y * rowBytes + (x >> 3)]! & (0x80 >> (x & 7))) !== 0) shades[pixel] = 0;
  return { width, height, data: shades };
}
