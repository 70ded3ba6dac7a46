import type { Paper } from './paper.ts';
import { NOTHING_YET, type Parts, whole } from './parts.ts';
import type { Bitmap, PageItem, Piece, PrintedSymbol, Row, RowOf } from './rows.ts';
import { HRI_HEIGHT } from './symbols.ts';

/** Characters of path data drawn; a picture of more noise than that is shown as a box. */
const MAX_PATH = 4_000_000;
const MARGIN = 32;
/** Browsers heed it on the text itself alone. */
const SPACES = 'xml:space="preserve"';

const escapeXml = (text: string): string =>
  text
    // Characters that XML 1.0 has no place for.
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Runs of dark dots, in the rows from `top` to `end` (exclusive), as strokes one dot high. */
const runs = (top: number, end: number, columns: number, dark: (x: number, y: number) => boolean): string => {
  const path: string[] = [];
  for (let y = top; y < end; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      const from = x;
      while (x < columns && dark(x, y)) x += 1;
      if (x > from) path.push(`M${from} ${y + 0.5}h${x - from}`);
    }
  }
  // Of one string, where `+=` would keep an object for each run as long as the document is drawn.
  return path.join('');
};

/** The data of a symbol that is only named, in rows below its name: as much as its frame holds. */
const dataIn = ({ text, width, height }: PrintedSymbol, x: number, y: number): string => {
  const across = Math.max(1, Math.floor((width - 16) / 9));
  const rows = text.match(new RegExp(`.{1,${across}}`, 'gsu')) ?? [];
  return rows
    .slice(0, Math.floor((height - 32) / 20))
    .map(
      (part, row) => `<text ${SPACES} x="${x + 8}" y="${y + 48 + row * 20}" font-size="14">${escapeXml(part)}</text>`,
    )
    .join('');
};

/** The colours of GS ( L; the first one is that of text. */
const INKS = ['#000', '#d00', '#06c', '#090'];

function* strokes(path: readonly string[], x: number, y: number, scaleX: number, scaleY: number, colour = 1): Parts {
  yield `<path transform="translate(${x} ${y}) scale(${scaleX} ${scaleY})" d="`;
  yield* path;
  yield `" stroke="${INKS[colour - 1] ?? '#000'}" shape-rendering="crispEdges"/>`;
}

const frame = (x: number, y: number, width: number, height: number, label: string): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="#000"/>` +
  `<text ${SPACES} x="${x + 8}" y="${y + 24}" font-size="18">${escapeXml(label)}</text>`;

/** Rows of dots of a picture that are drawn at a time. */
const STRIP_ROWS = 16;

function* bitmap({ width, height, scaleX, scaleY, rows, colour }: Bitmap, x: number, y: number, budget: Budget): Parts {
  const rowBytes = Math.ceil(width / 8);
  const isDark = (dx: number, dy: number) => (rows[dy * rowBytes + (dx >> 3)]! & (0x80 >> (dx & 7))) !== 0;
  const path: string[] = [];
  for (let top = 0; top < height && budget.left > 0; top += STRIP_ROWS) {
    const strip = runs(top, Math.min(height, top + STRIP_ROWS), width, isDark);
    path.push(strip);
    budget.left -= strip.length;
    yield NOTHING_YET;
  }
  if (budget.left <= 0) yield frame(x, y, width * scaleX, height * scaleY, `raster ${width}x${height}`);
  else yield* strokes(path, x, y, scaleX, scaleY, colour);
}

const words = (paper: Paper, piece: Extract<Piece, { kind: 'text' }>, x: number, y: number): string => {
  if (piece.style.turned) return turned(paper, piece, x, y);
  const { style, text, width, height } = piece;
  const cell = paper.cellOf(style);
  const box = style.invert ? `<rect x="${x}" y="${y}" width="${width}" height="${height}"/>` : '';
  const attributes = [
    `transform="translate(${x} ${y}) scale(${style.width} ${style.height})"`,
    `y="${Math.round(cell.height * 0.78)}" font-size="${cell.height * 0.83}"`,
    `textLength="${width / style.width}" lengthAdjust="spacingAndGlyphs"`,
    style.bold ? 'font-weight="bold"' : '',
    style.underline ? 'text-decoration="underline"' : '',
    style.invert ? 'fill="#fff"' : '',
    style.smooth ? 'text-rendering="geometricPrecision"' : '',
  ];
  return `${box}<text ${SPACES} ${attributes.filter(Boolean).join(' ')}>${escapeXml(text)}</text>`;
};

/** ESC V: each character by itself, turned about the corner of its cell. */
const turned = (paper: Paper, piece: Extract<Piece, { kind: 'text' }>, x: number, y: number): string => {
  const { turned: _, ...style } = piece.style;
  const cell = paper.cellOf(style);
  const size = { width: cell.width * style.width, height: cell.height * style.height };
  const advance = piece.width / piece.text.length;
  return [...piece.text]
    .map((text, at) => {
      const upright = words(paper, { ...piece, ...size, text, style, x: 0 }, 0, 0);
      return `<g transform="translate(${x + at * advance + size.height} ${y}) rotate(90)">${upright}</g>`;
    })
    .join('');
};

function* symbol(row: PrintedSymbol, x: number, y: number): Parts {
  const { width, height, modules, hri, text, hriFont = 'a' } = row;
  const line = HRI_HEIGHT[hriFont];
  const [first = ''] = modules;
  if (modules.length === 0) {
    yield frame(x, y, width, height, row.symbology) + dataIn(row, x, y);
    return;
  }
  const above = hri === 'above' || hri === 'both' ? line : 0;
  const below = hri === 'below' || hri === 'both' ? line : 0;
  const label = (top: number): string =>
    `<text ${SPACES} x="${x + width / 2}" y="${top + Math.round(line * 0.8)}" font-size="${Math.round(line * 0.84)}" text-anchor="middle">${escapeXml(text)}</text>`;
  const path = runs(0, modules.length, first.length, (dx, dy) => modules[dy]![dx] === '1');
  yield* strokes([path], x, y + above, width / first.length, (height - above - below) / modules.length);
  yield (above ? label(y) : '') + (below ? label(y + height - below) : '');
}

/** Commands that this paper does not show: a frame at the right edge, above what comes next. */
const note = ({ y, commands }: RowOf<'note'>, dots: number): string => {
  const label = `not shown: ${commands.join(', ')}`.slice(0, 60);
  const width = label.length * 7 + 8;
  return (
    `<g fill="#888"><rect x="${dots + MARGIN - width - 2}" y="${y - 8}" width="${width}" height="16" fill="#fff" stroke="#888" stroke-dasharray="3 3"/>` +
    `<text ${SPACES} x="${dots + MARGIN - width + 2}" y="${y + 4}" font-size="11">${escapeXml(label)}</text></g>`
  );
};

function* onPage({ x, y, turn, mark }: PageItem, top: number, paper: Paper, budget: Budget): Parts {
  yield `<g transform="translate(${x} ${top + y})${turn === 0 ? '' : ` rotate(${turn})`}">`;
  if (mark.kind === 'text') yield words(paper, mark, 0, 0);
  else yield* mark.kind === 'image' ? bitmap(mark.bitmap, 0, 0, budget) : symbol(mark, 0, 0);
  yield '</g>';
}

/** Glyphs stand on the bottom of their line. */
function* lineOf(row: RowOf<'line'>, paper: Paper, budget: Budget): Parts {
  const tallest = Math.max(...row.pieces.map((each) => each.height));
  const width = Math.max(...row.pieces.map((piece) => piece.x + piece.width));
  if (row.upsideDown) yield `<g transform="rotate(180 ${row.x + width / 2} ${row.y + tallest / 2})">`;
  for (const piece of row.pieces) {
    const y = row.y + tallest - piece.height;
    if (piece.kind === 'text') yield words(paper, piece, row.x + piece.x, y);
    else yield* bitmap(piece.bitmap, row.x + piece.x, y, budget);
  }
  if (row.upsideDown) yield '</g>';
}

const cut = ({ y, height, partial }: Extract<Row, { kind: 'cut' }>, dots: number): string =>
  `<line x1="0" x2="${dots}" y1="${y + height / 2}" y2="${y + height / 2}" stroke="#888" stroke-dasharray="${partial ? '4 8' : '12 6'}"/>` +
  `<text x="${-MARGIN + 4}" y="${y + height / 2 + 7}" fill="#888">✂</text>`;

interface Budget {
  left: number;
}

function* draw(row: Row, paper: Paper, budget: Budget): Parts {
  if (row.kind === 'line') yield* lineOf(row, paper, budget);
  else if (row.kind === 'page') for (const item of row.items) yield* onPage(item, row.y, paper, budget);
  else if (row.kind === 'note') yield note(row, paper.dots);
  else if (row.kind === 'raster') yield* bitmap(row.bitmap, row.x, row.y, budget);
  else if (row.kind === 'symbol') yield* symbol(row, row.x, row.y);
  else if (row.kind === 'cut') yield cut(row, paper.dots);
}

/** What the document of a paper says beside the picture: how many characters are question marks or were left out, and its text. */
export interface AboutPaper {
  readonly substituted: number;
  readonly leftOut: number;
  readonly text: Iterable<string>;
}

const saidOf = ({ substituted, leftOut }: AboutPaper): string =>
  ` data-substituted="${substituted}"${leftOut > 0 ? ` data-left-out="${leftOut}"` : ''}`;

/** The paper as a picture: one unit is one dot. */
export const paperSvg = (paper: Paper): string => whole(svgParts(paper));

/** What `paperSvg` gives, with what is said about it: parts of at most a symbol, or a few rows of a picture. */
export function* svgParts(paper: Paper, about?: AboutPaper): Parts {
  const top = paper.rows[0]?.y ?? 0;
  const box = [-MARGIN, top - MARGIN, paper.dots + 2 * MARGIN, paper.height - top + 2 * MARGIN];
  const budget = { left: MAX_PATH };
  yield `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.join(' ')}" width="${box[2]}" height="${box[3]}" font-family="monospace" font-size="20"${about === undefined ? '' : saidOf(about)}>\n`;
  if (about !== undefined) {
    yield `<desc ${SPACES}>`;
    for (const part of about.text) yield escapeXml(part);
    yield '</desc>\n';
  }
  yield `<rect x="${box[0]}" y="${box[1]}" width="${box[2]}" height="${box[3]}" fill="#fff"/>\n`;
  for (const row of paper.rows) {
    yield* draw(row, paper, budget);
    if (row.kind !== 'feed') yield '\n';
  }
  yield '</svg>\n';
}
