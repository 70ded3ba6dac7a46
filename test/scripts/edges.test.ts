/** "`columns` cells keep their edges to the dot with any mix", on paper of 48 and of 32 columns. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Line } from '../../plugins/printer/contract.ts';
import { blank, crop, inkArea } from './bitmap.ts';
import { type Counter, openCounter } from './printed.ts';
import { type Fonts, printout } from './printout.ts';
import { receipt, shops } from './shop.ts';

const BLACK = 255;
const COLUMN = 12;
/** A printer's own characters are boxes here, as wide as their cell: what counts is where they stand. */
const boxes: Fonts = {
  character: (byte) => (byte === 0x20 ? ' ' : String.fromCharCode(byte)),
  glyph: (character, width, height) => {
    const cell = blank(width, height);
    if (character !== ' ') cell.ink.fill(BLACK);
    return cell;
  },
};

/** Ends in a letter of every language that there is a receipt in. */
const MIXED = shops.map(({ goods }) => goods[0]!);

describe.each([48, 32])('on paper of %i columns', (columns) => {
  const dots = columns * COLUMN;
  let counter: Counter;
  beforeAll(async () => {
    counter = await openCounter({ columns, dots });
  });
  afterAll(() => counter.stop());

  /** Each row of the paper, between these columns: the dots before and behind its ink. */
  async function margins(lines: readonly Line[], from: number, to: number) {
    const { bytes } = await counter.print(lines);
    const { paper, rows } = printout(bytes, boxes, dots);
    const width = (to - from) * COLUMN;
    return rows.map(({ y, height }) => {
      const ink = inkArea(crop(paper, { x: from * COLUMN, y, width, height }))!;
      return { before: ink.x, behind: width - ink.x - ink.width };
    });
  }

  it('prices stand below each other to the dot, whatever the name beside them is written in', async () => {
    const price = 8;
    const lines = MIXED.map(
      (value): Line => ({
        type: 'columns',
        cells: [
          { value, width: columns - price, align: 'left' },
          { value: '14.90', width: price, align: 'right' },
        ],
      }),
    );
    const edges = await margins(lines, columns - price, columns);
    // A printed figure is the box of its cell; a drawn one has white of its own in it.
    const [least, most] = [Math.min, Math.max].map((of) => of(...edges.map(({ behind }) => behind)));
    expect(most! - least!).toBeLessThanOrEqual(2);
    expect(edges.length).toBe(lines.length);
  });

  it('a cell never reaches into the next one', async () => {
    const half = columns / 2;
    const lines = MIXED.map(
      (value): Line => ({
        type: 'columns',
        cells: [
          { value, width: half - 1, align: 'right' },
          { value: '', width: columns - half + 1 },
        ],
      }),
    );
    const { bytes } = await counter.print(lines);
    const { paper, rows } = printout(bytes, boxes, dots);
    for (const { y, height } of rows) {
      const beyond = { x: half * COLUMN, y, width: dots - half * COLUMN, height };
      expect(inkArea(crop(paper, beyond))).toBeUndefined();
    }
  });
});

describe('a receipt', () => {
  let counter: Counter;
  beforeAll(async () => {
    counter = await openCounter();
  });
  afterAll(() => counter.stop());

  it.for(shops)(
    'in $language has no ink beyond the paper, which a printer would leave out',
    async (shop, { expect }) => {
      const { bytes } = await counter.print(receipt(shop));
      expect(printout(bytes, boxes, 48 * COLUMN).beyond).toBe(0);
    },
  );
});
