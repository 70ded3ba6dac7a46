/** Shops in the scripts of the world, and the receipts that they print. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Line } from '../../plugins/printer/contract.ts';

/** What one shop says on paper, in its language; a file of `shops/` each. */
export interface Shop {
  /** Code of the file: BCP 47. */
  readonly code: string;
  readonly language: string;
  /** The language data of tesseract(1). */
  readonly ocr: string;
  /** The face of its script, as npm names it. */
  readonly face: string;
  readonly rtl?: boolean;
  /** The font of a printer that is sold where this language is written. */
  readonly twoByte?: 'gb18030' | 'shift_jis' | 'big5' | 'ks';
  readonly banner: string;
  readonly name: string;
  readonly address: string;
  readonly phone: string;
  readonly receipt: string;
  readonly cashier: string;
  /** Goods, how many, how much. */
  readonly header: readonly [string, string, string];
  readonly goods: readonly string[];
  readonly subtotal: string;
  readonly vat: string;
  readonly total: string;
  readonly currency: string;
  readonly paid: string;
  readonly sale: string;
  readonly policy: string;
  readonly hours: string;
  readonly thanks: string;
}

const FOLDER = resolve('test/scripts/shops');

export const shops: readonly Shop[] = readdirSync(FOLDER).map((name) => ({
  code: name.slice(0, -'.json'.length),
  ...(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Omit<Shop, 'code'>),
}));

/** Columns of 576 dots. */
export const COLUMNS = 48;
const PRICE_COLUMNS = 14;
const PRICES = ['3.50', '12.00', '7.25', '105.90', '8.40', '24.00', '6.75', '18.30', '9.99', '2.00'];

/** A name at the side where a reader begins, and an amount at the other. */
function priced(shop: Shop, value: string, amount: string, columns: number, bold = false): Line {
  const name = { value, width: columns - PRICE_COLUMNS, align: shop.rtl ? 'right' : 'left', bold } as const;
  const price = { value: amount, width: PRICE_COLUMNS, align: shop.rtl ? 'left' : 'right', bold } as const;
  return { type: 'columns', cells: shop.rtl ? [price, name] : [name, price] };
}

/** A receipt of 30 lines, each of which is one row of the paper but for the first, the banner. */
export function receipt(shop: Shop, columns = COLUMNS): Line[] {
  const [item, amount, sum] = shop.header;
  const goods = columns - 2 * PRICE_COLUMNS;
  const header = [
    { value: item, width: goods, align: shop.rtl ? 'right' : 'left', bold: true },
    { value: amount, width: PRICE_COLUMNS, align: 'center', bold: true },
    { value: sum, width: PRICE_COLUMNS, align: shop.rtl ? 'left' : 'right', bold: true },
  ] as const;
  return [
    { type: 'banner', value: shop.banner, align: 'center' },
    { type: 'text', value: shop.name, align: 'center', size: '2x', bold: true },
    { type: 'text', value: shop.address, align: 'center' },
    { type: 'text', value: shop.phone, align: 'center' },
    { type: 'rule' },
    { type: 'text', value: shop.receipt },
    { type: 'text', value: shop.cashier },
    { type: 'columns', cells: shop.rtl ? [...header].reverse() : [...header] },
    ...shop.goods.map((good, index) => priced(shop, good, PRICES[index]!, columns)),
    { type: 'rule', style: 'dashed' },
    priced(shop, shop.subtotal, '198.09', columns),
    priced(shop, shop.vat, '31.69', columns),
    priced(shop, shop.total, `229.78 ${shop.currency}`, columns, true),
    { type: 'text', value: shop.total, size: '1x2' },
    { type: 'text', value: shop.paid, underline: true },
    { type: 'text', value: shop.sale, invert: true, align: 'center' },
    { type: 'text', value: `${shop.goods[0]}\t2\t7.00` },
    { type: 'text', value: shop.policy, font: 'b' },
    { type: 'text', value: shop.hours, align: 'center' },
    { type: 'text', value: shop.thanks, align: 'center', bold: true },
    { type: 'cut' },
  ];
}

/** A text of a receipt that stands by itself. */
export interface Item {
  readonly text: string;
  /** Dots of its row that it may take. */
  readonly x: number;
  readonly width: number;
  readonly align: 'left' | 'center' | 'right';
  /** Size of its letters, as multiples of those of Font A. */
  readonly across: number;
  readonly down: number;
  readonly bold?: boolean | undefined;
  readonly underline?: boolean | undefined;
  readonly invert?: boolean | undefined;
}

const DOTS_OF_COLUMN = 12;
const FONT_B = 3 / 4;

/** The texts of each line that is one row of the paper; none of a banner, a rule or a cut. */
export function itemsOf(line: Line, shop: Shop): Item[] {
  const start = shop.rtl ? 'right' : 'left';
  if (line.type === 'columns') {
    let x = 0;
    return line.cells.map(({ value, width = 0, align = start, bold }) => {
      const item = { text: value, x, width: width * DOTS_OF_COLUMN, align, across: 1, down: 1, bold };
      x += item.width;
      return item;
    });
  }
  if (line.type !== 'text') return [];
  const { value, align = start, font, size = '1x', bold, underline, invert } = line;
  const font1x = font === 'b' ? FONT_B : 1;
  const [across, down = across] = size.split('x').filter(Boolean).map(Number) as [number, number?];
  const scale = { across: across * font1x, down: down * font1x };
  return [{ text: value, x: 0, width: COLUMNS * DOTS_OF_COLUMN, align, ...scale, bold, underline, invert }];
}
