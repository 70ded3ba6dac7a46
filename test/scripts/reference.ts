/** A receipt as it should look: every text of it shaped by Pango, at the place where the layout has it. */
import { faceRows } from '../../runtime/assembly/page/fonts/table.ts';
import { type Area, type Bitmap, blank, draw, scaled, sharp } from './bitmap.ts';
import { EM, LEAST, MONO, MONO_ADVANCE, MOST, shaped } from './pango.ts';
import { COLUMNS, type Item, itemsOf, receipt, type Shop } from './shop.ts';

/** Dots of a column, and of a row. */
const COLUMN = 12;
const ROW = 36;
const WIDTH = COLUMNS * COLUMN;

/** Dots of the em of a face, as the image draws it. Throws where it is too small or too large to be read. */
function emOf(face: string): number {
  if (face === MONO) return COLUMN / MONO_ADVANCE;
  const dots = faceRows('all').find(({ from }) => from.endsWith(`/${face}`))?.dots ?? 0;
  if (dots < LEAST || dots > MOST) throw new Error(`an em of ${face} is ${dots} dots`);
  return dots;
}

/** One row of paper that has texts on it. */
export interface Row {
  readonly items: readonly Item[];
  /** What a person reads on it. */
  readonly text: string;
}

export interface Reference {
  readonly rows: readonly Row[];
  readonly paper: Bitmap;
  readonly areas: readonly Area[];
  /** The text of each item of each row, drawn with an em of EM pixels, cut to its ink. */
  readonly drawn: readonly (readonly Bitmap[])[];
}

/** As printers do it: once more, a dot further right. */
function emboldened(bitmap: Bitmap): Bitmap {
  const bold = blank(bitmap.width + 1, bitmap.height);
  for (const x of [0, 1]) draw(bold, bitmap, x, 0);
  return bold;
}

/** The rows of a receipt that have texts, from the last one up to the first below the banner. */
export const rowsOfTexts = (shop: Shop): Row[] =>
  receipt(shop)
    .map((line) => itemsOf(line, shop))
    .filter((items) => items.length > 0)
    .map((items) => {
      const reading = shop.rtl ? [...items].reverse() : items;
      return { items, text: reading.map(({ text }) => text).join(' ') };
    });

/** Draws the receipt of a shop, but for its banner, in letters of the size that the node draws. */
export async function reference(shop: Shop): Promise<Reference> {
  const rows = rowsOfTexts(shop);
  const em = emOf(shop.face);
  const texts = rows.flatMap(({ items }) =>
    items.map((item) => ({ ...item, text: item.text.replaceAll('\t', '    ') })),
  );
  const drawings = await shaped(texts, shop.face, (COLUMN / em) * EM);
  const scale = em / EM;
  const drawn = rows.map(({ items }) => drawings.splice(0, items.length));
  const sized = rows.map(({ items }, row) =>
    items.map(({ across, down, bold }, at) => {
      const plain = sharp(scaled(drawn[row]![at]!, scale * across, scale * down));
      return bold ? emboldened(plain) : plain;
    }),
  );
  let y = 0;
  const areas = sized.map((bitmaps) => {
    const height = Math.max(ROW, ...bitmaps.map((each) => each.height + 6));
    y += height;
    return { x: 0, y: y - height, width: WIDTH, height };
  });
  const paper = blank(WIDTH, y);
  for (const [row, { items }] of rows.entries()) {
    for (const [at, { x, width, align }] of items.entries()) {
      const bitmap = sized[row]![at]!;
      const area = areas[row]!;
      const free = width - bitmap.width;
      const left = align === 'left' ? 0 : align === 'right' ? free : free >> 1;
      draw(paper, bitmap, x + left, area.y + ((area.height - bitmap.height) >> 1));
    }
  }
  return { rows, paper, areas, drawn };
}
