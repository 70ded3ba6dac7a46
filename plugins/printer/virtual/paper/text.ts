import type { Bitmap, Paper, Row } from './paper.ts';

/** Dots; a bitmap up to this size is drawn, a larger one is named. */
const DRAWN = 96;
const FONT_A = { font: 'a' } as const;

const dark = ({ width, height, rows }: Bitmap, x: number, y: number): boolean =>
  x < width && y < height && (rows[y * Math.ceil(width / 8) + (x >> 3)]! & (0x80 >> (x & 7))) !== 0;

/** Two rows of dots in one row of half blocks. */
const drawn = (bitmap: Bitmap): string[] => {
  if (bitmap.width > DRAWN || bitmap.height > DRAWN) return [`[raster ${bitmap.width}x${bitmap.height}]`];
  const lines: string[] = [];
  for (let y = 0; y < bitmap.height; y += 2) {
    let line = '';
    for (let x = 0; x < bitmap.width; x += 1) {
      line += ' ▀▄█'[(dark(bitmap, x, y) ? 1 : 0) + (dark(bitmap, x, y + 1) ? 2 : 0)];
    }
    lines.push(line.trimEnd());
  }
  return lines;
};

const line = (row: Extract<Row, { kind: 'line' }>, paper: Paper): string => {
  let text = '';
  for (const piece of row.pieces) {
    const cell = paper.cellOf(piece.kind === 'text' ? piece.style : FONT_A).width;
    text = text.padEnd(Math.round((row.x + piece.x) / cell));
    text += piece.kind === 'text' ? piece.text : `[image ${piece.bitmap.width}x${piece.bitmap.height}]`;
  }
  return text.trimEnd();
};

/** As wide as the paper. */
const scissors = (partial: boolean, columns: number): string =>
  `✂ ${partial ? '- '.repeat(columns / 2 - 1) : '-'.repeat(columns - 2)}`.trimEnd();

const linesOf = (row: Row, paper: Paper): string[] => {
  const cell = paper.cellOf(FONT_A).width;
  switch (row.kind) {
    case 'line':
      return [line(row, paper)];
    case 'feed':
      return new Array<string>(Math.round(row.lines)).fill('');
    case 'raster':
      return drawn(row.bitmap).map((text) => ' '.repeat(Math.round(row.x / cell)) + text);
    case 'symbol':
      return [`${' '.repeat(Math.round(row.x / cell))}[${row.symbology} ${row.text}]`];
    case 'cut':
      return [scissors(row.partial, Math.floor(paper.dots / cell))];
  }
};

/** The paper as plain text, a row for each printed line; styles are not shown. Ends with a newline unless empty. */
export const paperText = (paper: Paper): string =>
  paper.rows
    .flatMap((row) => linesOf(row, paper))
    .map((text) => `${text}\n`)
    .join('');
