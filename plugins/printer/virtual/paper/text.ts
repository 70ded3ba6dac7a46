import { LINE_SPACING } from '../state/modes.ts';
import type { DrawnTexts } from './drawn-texts.ts';
import type { Paper } from './paper.ts';
import { type Parts, whole } from './parts.ts';
import type { Bitmap, PageItem, Piece, Row, RowOf } from './rows.ts';

/** Dots; a bitmap up to this size is drawn, a larger one is named. */
const DRAWN = 96;
/** Text by the data of the picture that it was drawn as. */
type Said = ReadonlyMap<Uint8Array, string>;
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

const isBlank = (dots: Uint8Array): boolean => dots.every((byte) => byte === 0);

/** What the commands of a raster draw, where somebody said that of one of them. */
const saidOf = ({ sent, bitmap }: Extract<Row, { kind: 'raster' }>, texts: Said): string[] | undefined => {
  const said = sent.map((dots) => texts.get(dots));
  return said.every((text) => text === undefined)
    ? undefined
    : // Of a row in several strips the first one with ink has the text.
      said
        .map((text, strip) => text ?? (isBlank(sent[strip]!) ? '' : `[raster ${bitmap.width}x${bitmap.height}]`))
        .filter((text) => text !== '');
};

/** The data of the command that printed an image within a line. */
const dataOf = ({ bitmap }: Extract<Piece, { kind: 'image' }>): Uint8Array => bitmap.sent ?? bitmap.rows;

/** The data of the commands that print pictures, in the order of the paper. */
const picturesOn = ({ rows }: Paper): Uint8Array[] =>
  rows.flatMap((row) => {
    if (row.kind === 'raster') return row.sent;
    const marks = row.kind === 'line' ? row.pieces : row.kind === 'page' ? row.items.map(({ mark }) => mark) : [];
    return marks.flatMap((mark) => (mark.kind === 'image' ? [dataOf(mark)] : []));
  });

const named = ({ width, height }: Bitmap): string => `[image ${width}x${height}]`;

/** The words of a text, each where it stands. */
const wordsOf = (piece: Piece): Piece[] => {
  if (piece.kind !== 'text') return [piece];
  const advance = piece.width / piece.text.length;
  return [...piece.text.matchAll(/[^ ]+/g)].map(({ 0: text, index }) => ({
    ...piece,
    ...{ text, x: piece.x + index * advance, width: text.length * advance },
  }));
};

/** From left to right, also where a program went back (ESC $, ESC \) and wrote over spaces, as into the cells of a frame. */
const inOrder = (pieces: readonly Piece[]): readonly Piece[] => {
  const wentBack = pieces.some(({ x }, at) => at > 0 && x < pieces[at - 1]!.x + pieces[at - 1]!.width);
  return wentBack ? pieces.flatMap(wordsOf).sort((one, other) => one.x - other.x) : pieces;
};

const line = (row: Pick<RowOf<'line'>, 'x' | 'pieces'>, paper: Paper, said: Said): string => {
  const column = paper.cellOf(FONT_A).width;
  let text = '';
  /**
   * Where the last piece ended. A gap is as many spaces as columns of Font A are free, whatever is before it; what is not a
   * whole column counts in the next gap.
   */
  let end = 0;
  let rest = 0;
  for (const piece of inOrder(row.pieces)) {
    const words = piece.kind === 'text' ? piece.text : said.get(dataOf(piece));
    // A picture without ink only moves what comes behind it.
    if (piece.kind === 'image' && words === undefined && isBlank(piece.bitmap.rows)) continue;
    const x = row.x + piece.x;
    const free = Math.max(0, x - end) / column + rest;
    const spaces = Math.max(0, Math.round(free));
    rest = free - spaces;
    text += ' '.repeat(spaces);
    text += piece.kind === 'image' ? (words ?? named(piece.bitmap)) : piece.text;
    end = x + piece.width;
  }
  return text.trimEnd();
};

/** Where an item stands on a page that one turns so that it is upright: how far down its bottom is, and from the left. */
const upright = ({ x, y, turn, mark }: PageItem): { bottom: number; left: number } => {
  const [left, top] = { 0: [x, y], 90: [y, -x], 180: [-x, -y], 270: [-y, x] }[turn] as [number, number];
  return { bottom: top + mark.height, left };
};

/** A page, one direction after the other, each in rows from its top; what does not stand upright begins on the left. */
const pageLines = (items: readonly PageItem[], paper: Paper, said: Said): string[] => {
  const cell = paper.cellOf(FONT_A).width;
  return ([0, 90, 180, 270] as const).flatMap((turn) => {
    const placed = items.filter((item) => item.turn === turn).map((item) => ({ ...upright(item), mark: item.mark }));
    const edge = turn === 0 ? 0 : Math.min(...placed.map(({ left }) => left));
    return [...new Set(placed.map(({ bottom }) => bottom))]
      .sort((a, b) => a - b)
      .flatMap((bottom) => {
        const row = placed.filter((each) => each.bottom === bottom).sort((a, b) => a.left - b.left);
        const pieces = row.flatMap(({ mark, left }) => (mark.kind === 'symbol' ? [] : [{ ...mark, x: left - edge }]));
        const symbols = row.flatMap(({ mark, left }) =>
          mark.kind === 'symbol'
            ? [`${' '.repeat(Math.round((left - edge) / cell))}[${mark.symbology} ${mark.text}]`]
            : [],
        );
        return [...(pieces.length > 0 ? [line({ x: 0, pieces }, paper, said)] : []), ...symbols];
      });
  });
};

/** As wide as the paper. */
const scissors = (partial: boolean, columns: number): string =>
  `✂ ${partial ? '- '.repeat(columns / 2 - 1) : '-'.repeat(columns - 2)}`.trimEnd();

const linesOf = (row: Row, paper: Paper, said: Said): string[] => {
  const cell = paper.cellOf(FONT_A).width;
  switch (row.kind) {
    case 'line':
      return [line(row, paper, said)];
    case 'feed':
      return new Array<string>(Math.round(row.lines)).fill('');
    case 'raster':
      if (isBlank(row.bitmap.rows)) return new Array<string>(Math.round(row.height / LINE_SPACING)).fill('');
      return (saidOf(row, said) ?? drawn(row.bitmap)).map((text) => ' '.repeat(Math.round(row.x / cell)) + text);
    case 'page':
      return pageLines(row.items, paper, said);
    case 'note':
      return [];
    case 'symbol':
      return [`${' '.repeat(Math.round(row.x / cell))}[${row.symbology} ${row.text}]`];
    case 'cut':
      return [scissors(row.partial, Math.floor(paper.dots / cell))];
  }
};

/**
 * The paper as plain text, a row for each printed line; styles are not shown. Ends with a newline unless empty. `texts`: what
 * is known of drawn rows.
 */
export const paperText = (paper: Paper, texts?: DrawnTexts): string => whole(textParts(paper, texts));

/** What `paperText` gives; a part ends where a line of it does. */
export function* textParts(paper: Paper, texts?: DrawnTexts): Parts {
  const said: Said = texts === undefined ? new Map() : yield* texts.of(picturesOn(paper));
  for (const row of paper.rows)
    yield linesOf(row, paper, said)
      .map((text) => `${text}\n`)
      .join('');
}
