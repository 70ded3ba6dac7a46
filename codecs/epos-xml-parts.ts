/**
 * A document of ePOS-Print XML as the commands that a node takes: each print command with place for its lines, and all of them looked at
 * before the first is sent, as nobody can take back paper or shut a drawer.
 */

import type { EposCommand, EposLine } from './epos-xml.ts';
import type { EposPaper } from './epos-xml-fit.ts';
import { columnsIn } from './text-columns.ts';

/** Characters of the JSON of one print command: its body takes 256 KiB at most. */
const PRINT_CHARACTERS = 200_000;
const PRINT_LINES = 4000;
/** Bytes for the printer that a print command is cut to, where one has turned out to take too many: half of it each further time. */
const DRAWN_BYTES = 200_000;
/** How often it is cut finer. */
const MOST_CUTS = 4;
/** Bytes of a symbol, and of a bar code, where it is drawn, about. */
const [SYMBOL_BYTES, BAR_CODE_BYTES] = [16_384, 8192];
/** Rows of dots that a row of text takes where it is drawn, about. */
const DRAWN_ROWS = 36;
/** Paper of a document, in dots: 20 m, as of one print command. */
const MOST_PAPER = 160_000;
/** A row of text, and the character in it. */
const ROW_DOTS = 30;
const CHARACTER_DOTS = 24;
const LATIN = /^[\0-\u024f\u2010-\u203a\u20ac]*$/;

/** Why a print command cannot be printed; `error`: a code of the node. */
export interface EposRefusal {
  readonly error: string;
  readonly detail: string;
}

/** The commands as they are sent, or why one of them cannot be printed, by its place among so many. */
export type EposParts =
  | { readonly parts: readonly EposCommand[]; readonly cuts: number }
  | (EposRefusal & { readonly index: number; readonly of: number });

/**
 * Cuts a document into commands that the node takes, as `cutInto` does with these `cuts`. `commands`: fitted to the paper. `refusalOf`: asks
 * the node about the lines of one; a single print command that begins the document is not asked about, as it is refused whole.
 */
export async function eposParts(
  commands: readonly EposCommand[],
  paper: EposPaper,
  refusalOf: (lines: EposLine[]) => Promise<EposRefusal | undefined>,
): Promise<EposParts> {
  let parts = cutInto(commands, paper, 0);
  const prints = parts.filter(({ type }) => type === 'print');
  const [first] = parts;
  const isRefusedWhole = prints.length === 0 || (prints.length === 1 && first?.type === 'print');
  if (isRefusedWhole && drawnBytes(first, paper) < DRAWN_BYTES) return { parts, cuts: 0 };
  if (prints.length > 1 && paperOf(commands, paper) > MOST_PAPER)
    return { error: 'render_too_large', detail: 'the document is larger than 20 m of paper', index: 0, of: 1 };
  for (let cuts = 0; ; cuts += 1) {
    const refused = await firstRefusal(parts, refusalOf);
    if (refused === undefined) return { parts, cuts };
    if (refused.error !== 'render_too_large' || cuts === MOST_CUTS) return refused;
    const finer = cutInto(commands, paper, cuts + 1);
    if (finer.length === parts.length) return refused;
    parts = finer;
  }
}

async function firstRefusal(
  parts: readonly EposCommand[],
  refusalOf: (lines: EposLine[]) => Promise<EposRefusal | undefined>,
) {
  for (const [index, command] of parts.entries()) {
    const refused = command.type === 'print' ? await refusalOf(command.lines) : undefined;
    if (refused !== undefined) return { ...refused, index, of: parts.length };
  }
  return undefined;
}

/**
 * The same commands, their lines in print commands that have place in a body; with `cuts`, by what they take when their text is drawn,
 * too. The same for the same arguments.
 */
export function cutInto(commands: readonly EposCommand[], paper: EposPaper, cuts: number): EposCommand[] {
  const most = cuts === 0 ? Number.POSITIVE_INFINITY : DRAWN_BYTES / 2 ** (cuts - 1);
  return commands.flatMap((command) => (command.type === 'print' ? printsOf(command.lines, paper, most) : command));
}

function printsOf(lines: readonly EposLine[], paper: EposPaper, most: number): EposCommand[] {
  const prints: { type: 'print'; lines: EposLine[] }[] = [];
  let characters = 0;
  let bytes = 0;
  for (const line of lines) {
    for (const each of most === Number.POSITIVE_INFINITY ? [line] : cutLine(line, paper, most)) {
      const [length, drawn] = [charactersOf(each), drawnBytesOf(each, paper)];
      const last = prints.at(-1);
      const fits =
        characters + length <= PRINT_CHARACTERS && bytes + drawn <= most && last?.lines.length !== PRINT_LINES;
      if (last === undefined || !fits) {
        prints.push({ type: 'print', lines: [each] });
        [characters, bytes] = [length, drawn];
      } else {
        last.lines.push(each);
        characters += length;
        bytes += drawn;
      }
    }
  }
  return prints;
}

/** A text of many rows as several. */
function* cutLine(line: EposLine, paper: EposPaper, most: number): Generator<EposLine> {
  if (line.type !== 'text' || drawnBytesOf(line, paper) <= most) {
    yield line;
    return;
  }
  const rows: string[] = [];
  let bytes = 0;
  for (const row of line.value.split('\n')) {
    const drawn = drawnBytesOf({ ...line, value: row }, paper);
    if (rows.length > 0 && bytes + drawn > most) {
      yield { ...line, value: rows.splice(0).join('\n') };
      bytes = 0;
    }
    rows.push(row);
    bytes += drawn;
  }
  yield { ...line, value: rows.join('\n') };
}

/** Characters of the JSON of a line, or a few more. */
const charactersOf = (line: EposLine): number =>
  line.type === 'raster' ? line.data.length + 100 : JSON.stringify(line).length;

const drawnBytes = (command: EposCommand | undefined, paper: EposPaper): number =>
  command?.type === 'print' ? command.lines.reduce((sum, line) => sum + drawnBytesOf(line, paper), 0) : 0;

/** Bytes for the printer, about: of text that is not Latin as if all of it were drawn. */
function drawnBytesOf(line: EposLine, { columns, dots }: EposPaper): number {
  if (line.type === 'raster') return Math.ceil(line.data.length * 0.75);
  if (line.type === 'barcode') return line.height === undefined ? SYMBOL_BYTES : BAR_CODE_BYTES;
  if (line.type === 'feed' || line.type === 'cut') return 8;
  const value = textIn(line);
  if (LATIN.test(value)) return value.length;
  const { width, height } = sizeOf(line);
  return rowsIn(value, columns / width) * height * DRAWN_ROWS * Math.ceil(dots / 8);
}

/** Dots of paper of all lines, or fewer. */
function paperOf(commands: readonly EposCommand[], { columns }: EposPaper): number {
  let dots = 0;
  for (const command of commands) {
    if (command.type !== 'print') continue;
    for (const line of command.lines) {
      if (line.type === 'raster') dots += line.height;
      else if (line.type === 'feed') dots += line.lines * ROW_DOTS;
      else if (line.type === 'text' || line.type === 'columns') {
        const { width, height } = sizeOf(line);
        dots += rowsIn(textIn(line), columns / width) * Math.max(ROW_DOTS, height * CHARACTER_DOTS);
      }
    }
  }
  return dots;
}

type Text = Extract<EposLine, { type: 'text' | 'columns' }>;

const textIn = (line: Text): string =>
  line.type === 'text' ? line.value : line.cells.map(({ value }) => value).join('');

/** Multiples of a character of Font A; Font B counts as it. */
function sizeOf(line: Text) {
  const [width = 1, height = 1] = line.type === 'text' ? (line.size ?? '1x1').split('x').map(Number) : [];
  return { width, height };
}

function rowsIn(text: string, columns: number): number {
  let rows = 0;
  for (const row of text.split('\n')) rows += Math.max(1, Math.ceil(columnsIn(row) / Math.max(1, columns)));
  return rows;
}
