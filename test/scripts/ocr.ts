/** Paper read by Debian's tesseract(1). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { tesseractData } from '../tools.ts';
import { type Area, type Bitmap, blank, crop, draw, scaled, write } from './bitmap.ts';

/** Beside the paper, and between its rows, in dots. */
const MARGIN = 24;
const GAP = 12;
/** Dots an inch of a print head, and tesseract's mode for a page that is one block of lines. */
const DENSITY = '203';
const ONE_BLOCK = '6';

/** Each dot as the mean of itself and its neighbours: warm dots run into each other on paper, and it reads that best. */
function soft({ width, height, ink }: Bitmap): Bitmap {
  const to = blank(width, height);
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      let sum = 0;
      for (let row = y - 1; row <= y + 1; row += 1) {
        for (let column = x - 1; column <= x + 1; column += 1) sum += ink[row * width + column]!;
      }
      to.ink[y * width + x] = Math.round(sum / 9);
    }
  }
  return to;
}

/** What reading these languages needs, for `needTools`. */
export const readingTools = (languages: readonly string[]): string[] => ['tesseract', ...languages.map(tesseractData)];

/** Rows of paper, and what is read in each of them at several distances: in each look, the text of each row. */
export type Looks = readonly (readonly string[])[];

/** How large a dot is in pixels: what it reads at one of these it may not at another. */
const DISTANCES = [1, 1.25, 0.85];

/**
 * What it reads in each row of this paper. The rows are set apart first: where one ends, it cannot tell as a person can.
 * `language`: as it names its data.
 */
export async function readRows(paper: Bitmap, rows: readonly Area[], language: string): Promise<Looks> {
  const page = blank(
    paper.width + 2 * MARGIN,
    rows.reduce((sum, { height }) => sum + height + GAP, GAP),
  );
  const bottoms: number[] = [];
  for (const row of rows) {
    const y = (bottoms.at(-1) ?? 0) + GAP;
    draw(page, crop(paper, row), MARGIN, y);
    bottoms.push(y + row.height);
  }
  const looks: string[][] = [];
  for (const distance of DISTANCES) {
    const read = rows.map(() => '');
    for (const { word, middle } of await look(scaled(soft(page), distance, distance), language)) {
      const row = bottoms.findIndex((bottom) => middle / distance < bottom);
      if (row >= 0) read[row] += `${word} `;
    }
    looks.push(read);
  }
  return looks;
}

/** The words of a page, and how far down the middle of each is. */
async function look(page: Bitmap, language: string): Promise<{ readonly word: string; readonly middle: number }[]> {
  const options = ['stdin', 'stdout', '-l', language, '--psm', ONE_BLOCK, '--dpi', DENSITY, 'tsv'];
  // Threads of its own make it slower.
  const env = { ...process.env, OMP_THREAD_LIMIT: '1' };
  const child = spawn('tesseract', options, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(write(page));
  const [table, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`tesseract ended with ${code}`);
  return table
    .split('\n')
    .slice(1, -1)
    .map((line) => {
      // level page block paragraph line word left top width height confidence text (tesseract(1), tsv)
      const [, , , , , , , top, , height, , word = ''] = line.split('\t');
      return { word, middle: Number(top) + Number(height) / 2 };
    });
}

/** Malayalam letters without a vowel, and the same as they were written before Unicode 5.1: its data has the latter. */
const CHILLU: Readonly<Record<string, string>> = { ൺ: 'ണ്', ൻ: 'ന്', ർ: 'ര്', ൽ: 'ല്', ൾ: 'ള്' };

/** The text without spaces and characters that have no shape: a reader of pictures cannot know of them. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\s\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/[ൺൻർൽൾ]/g, (letter) => CHILLU[letter]!);

/** The words of a text; a number is none. `language`: BCP 47. */
export const wordsOf = (line: string, language: string): string[] =>
  [...new Intl.Segmenter(language, { granularity: 'word' }).segment(line)]
    .filter(({ segment, isWordLike }) => isWordLike && /\p{L}/u.test(segment))
    .map(({ segment }) => segment);

/** Which of these words stand in what was read, in this order: as many as there can be. */
export function found(words: readonly string[], read: string): boolean[] {
  const within = plain(read);
  /** By how many words were found: which, and the least end of them. */
  let best: { readonly end: number; readonly which: readonly number[] }[] = [{ end: 0, which: [] }];
  for (const [index, word] of words.entries()) {
    const next = [...best];
    for (const [count, { end, which }] of best.entries()) {
      const at = within.indexOf(plain(word), end);
      if (at < 0) continue;
      const reached = at + plain(word).length;
      if (next[count + 1] === undefined || reached < next[count + 1]!.end) {
        next[count + 1] = { end: reached, which: [...which, index] };
      }
    }
    best = next;
  }
  const which = new Set(best.at(-1)?.which);
  return words.map((_, index) => which.has(index));
}
