/** What a reader, and a comparison dot by dot, make of a printed receipt. */
import { type Bitmap, BLACK, crop, inkArea, scaled, sharp, trimmed } from './bitmap.ts';
import { decoded } from './decode.ts';
import { likeness } from './likeness.ts';
import { found, type Looks, readRows, wordsOf } from './ocr.ts';
import { EM, LEAST, MOST, unshaped } from './pango.ts';
import type { Printed } from './printed.ts';
import type { PrintedRow, Printout } from './printout.ts';
import { type Reference, reference } from './reference.ts';
import type { Screen } from './screen.ts';
import { type Item, receipt, type Shop } from './shop.ts';

/** Drawings that differ less cannot be told apart on paper. */
const ALIKE = 0.96;
/** Around the paper in a picture of the twin's, in dots. */
const PICTURE_MARGIN = 32;
/** Letters and spaces alone: what the face of one script draws. */
const LETTERS = /^[\p{L}\p{M}\p{Cf} ]+$/u;

/** How many words the reader should find, and which it did not. */
export interface Reading {
  readonly words: number;
  readonly missed: readonly string[];
}

export interface Outcome {
  readonly job: Printed;
  readonly printout: Printout;
  readonly ofBytes: Reading;
  readonly ofPaper: Reading;
  /** Texts that look different when they are not shaped, and those that look no more like the shaped ones. */
  readonly shaped: { readonly texts: number; readonly unlike: readonly string[] };
}

/** Examines one job. */
export async function examine(shop: Shop, job: Printed, screen: Screen): Promise<Outcome> {
  const [expected, printout] = await Promise.all([reference(shop), decoded(job.bytes)]);
  const rows = rowsOfTexts(printout, shop);
  const picture = crop(await screen.picture(job.svg), { ...printout.paper, x: PICTURE_MARGIN, y: PICTURE_MARGIN });
  for (const paper of [printout.paper, picture]) uninvert(paper, rows, expected);
  const wanted = await readRows(expected.paper, expected.areas, shop.ocr);
  const fromBytes = await readRows(printout.paper, rows, shop.ocr);
  const fromPaper = await readRows(picture, rows, shop.ocr);
  return {
    job,
    printout,
    ofBytes: compared(shop, expected, wanted, fromBytes),
    ofPaper: compared(shop, expected, wanted, fromPaper),
    shaped: await shapedTexts(shop, expected, printout, rows),
  };
}

/** Makes white letters on black ones a reader knows. */
function uninvert(paper: Bitmap, areas: readonly PrintedRow[], { rows }: Reference): void {
  for (const [row, { items }] of rows.entries()) {
    if (!items.some(({ invert }) => invert)) continue;
    const { y } = areas[row]!;
    const box = inkArea(crop(paper, areas[row]!))!;
    for (let line = y + box.y; line < y + box.y + box.height; line += 1) {
      for (let x = box.x; x < box.x + box.width; x += 1) paper.ink[line * paper.width + x]! ^= BLACK;
    }
  }
}

/** The rows of the lines that have texts, but for the banner, which takes as many as it is high. */
function rowsOfTexts({ rows }: Printout, shop: Shop): PrintedRow[] {
  const lines = receipt(shop).slice(1, -1);
  return rows.slice(-lines.length).filter((_, index) => lines[index]!.type !== 'rule');
}

/** Which words are surely read of the reference, in each look, and in no look at what was printed. */
function compared(shop: Shop, { rows }: Reference, wanted: Looks, read: Looks): Reading {
  const missed: string[] = [];
  let words = 0;
  for (const [row, { text }] of rows.entries()) {
    const all = wordsOf(text, shop.code);
    const [ofReference, ofPrint] = [wanted, read].map((looks) => looks.map((rows) => found(all, rows[row]!)));
    for (const [index, word] of all.entries()) {
      if (!ofReference!.every((look) => look[index])) continue;
      words += 1;
      if (!ofPrint!.some((look) => look[index])) missed.push(word);
    }
  }
  return { words, missed };
}

/** Compares each text that is letters alone with its reference, and with its letters unshaped. */
async function shapedTexts(
  shop: Shop,
  { rows, drawn }: Reference,
  { paper }: Printout,
  areas: readonly PrintedRow[],
): Promise<Outcome['shaped']> {
  const texts: { readonly item: Item; readonly drawing: Bitmap; readonly printed: Bitmap }[] = [];
  for (const [row, { items }] of rows.entries()) {
    const { y, height } = areas[row]!;
    for (const [at, item] of items.entries()) {
      if (!LETTERS.test(item.text) || item.underline) continue;
      const printed = trimmed(crop(paper, { x: item.x, y, width: item.width, height }));
      texts.push({ item, drawing: drawn[row]![at]!, printed });
    }
  }
  const controls = await unshaped(
    texts.map(({ item }) => item.text),
    shop.face,
  );
  const unlike: string[] = [];
  let counted = 0;
  for (const [index, { item, drawing, printed }] of texts.entries()) {
    const sizes = (least: number, most: number) => ({ least: least / EM, most: most / EM });
    const plain = trimmed(sharp(scaled(drawing, LEAST / EM, LEAST / EM)));
    if (likeness(plain, controls[index]!, { ...sizes(LEAST, MOST), stretch: 1 }) >= ALIKE) continue;
    counted += 1;
    const { across, down } = item;
    const scale = { ...sizes(LEAST * across, MOST * across), stretch: down / across };
    if (likeness(printed, drawing, scale) <= likeness(printed, controls[index]!, scale)) unlike.push(item.text);
  }
  return { texts: counted, unlike };
}
