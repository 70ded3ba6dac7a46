/** The paper of a roll in sizes that print dialogs know (PWG 5101.1). */
import { collection, type IppAttributes, integer, keyword, range } from '../../codecs/ipp.ts';
import type { Head } from './document.ts';

/** Hundredths of a millimetre. */
interface Size {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** Margins of every size. With none, CUPS names each size borderless and finds none again: the page counts as Letter. */
const MARGIN = 150;
/** Lengths of rolls, in mm, the default first: on a page that is shorter than it, CUPS would turn a receipt around. */
const LENGTHS = [200, 100, 297, 600, 1000];
const SHORTEST = 25;
const LONGEST = 3000;
/** Sizes that differ by no more are the same: clients count in points, or inches. */
const NEAR = 100;
/** What phones and Windows offer where they know no roll; it is scaled to the paper, and the white is cut off. */
const SHEETS: readonly string[] = [
  'oe_photo-l_3.5x5in',
  'na_index-4x6_4x6in',
  'iso_a6_105x148mm',
  'iso_a5_148x210mm',
  'iso_a4_210x297mm',
  'na_letter_8.5x11in',
];

/** The width that the head prints, in whole millimetres. */
const widthOf = ({ dots, dpi }: Head): number => Math.round((dots * 25.4) / dpi);

/** The size that a name says (PWG 5101.1, 5). */
function sizeNamed(name: string): Size {
  const [, x, y, unit] = /_([\d.]+)x([\d.]+)(mm|in)$/.exec(name) ?? [];
  const hundredths = unit === 'in' ? 2540 : 100;
  return { name, x: Math.round(Number(x) * hundredths), y: Math.round(Number(y) * hundredths) };
}

const sizesOf = (head: Head): Size[] => {
  const width = widthOf(head);
  const rolls = LENGTHS.map((length) => `om_roll-${width}x${length}_${width}x${length}mm`);
  return [...rolls, ...SHEETS].map(sizeNamed);
};

const sizeOf = ({ x, y }: Size): IppAttributes => ({ 'x-dimension': integer(x), 'y-dimension': integer(y) });

/** The lengths of a roll of which nobody knows the name. */
const anyLength = (width: number): IppAttributes => ({
  'x-dimension': range({ low: width * 100, high: width * 100 }),
  'y-dimension': range({ low: SHORTEST * 100, high: LONGEST * 100 }),
});

const columnOf = (size: Size): IppAttributes => ({
  'media-size': collection(sizeOf(size)),
  'media-size-name': keyword(size.name),
  ...COMMON,
});

/** What all sizes have, but for their size. */
const COMMON: IppAttributes = /* @__PURE__ */ Object.fromEntries([
  ...['bottom', 'left', 'right', 'top'].map((side) => [`media-${side}-margin`, integer(MARGIN)]),
  ['media-source', keyword('main-roll')],
  ['media-type', keyword('continuous')],
]);

/** Longest page, in mm, as `PaperMax` of the Bonjour Printing Specification wants it. */
export const PAPER_MAX = '<legal-A4';

/** Whether paper of this name is there, or a roll can be cut to it. */
export const isMedia = (name: string, head: Head): boolean => isSize(sizeNamed(name), head);

/** As `isMedia`, of a size in hundredths of a millimetre. */
export function isSize({ x, y }: Pick<Size, 'x' | 'y'>, head: Head): boolean {
  const isNear = (one: number, other: number) => Math.abs(one - other) <= NEAR;
  if (isNear(x, widthOf(head) * 100) && y >= SHORTEST * 100 - NEAR && y <= LONGEST * 100 + NEAR) return true;
  return SHEETS.map(sizeNamed).some((sheet) => isNear(sheet.x, x) && isNear(sheet.y, y));
}

/** The attributes of media (PWG 5100.7, 5100.14). `media-col-database` is large: it is given where it is asked for by name. */
export function mediaAttributes(head: Head): IppAttributes {
  const sizes = sizesOf(head);
  const [first] = sizes as [Size];
  const width = widthOf(head);
  const custom = [`custom_min_${width}x${SHORTEST}mm`, `custom_max_${width}x${LONGEST}mm`];
  return {
    'media-default': keyword(first.name),
    'media-ready': keyword(...sizes.map(({ name }) => name)),
    'media-supported': keyword(...sizes.map(({ name }) => name), ...custom),
    'media-size-supported': collection(...sizes.map(sizeOf), anyLength(width)),
    'media-col-default': collection(columnOf(first)),
    'media-col-ready': collection(...sizes.map(columnOf)),
    'media-col-database': collection(...sizes.map(columnOf), {
      'media-size': collection(anyLength(width)),
      ...COMMON,
    }),
    'media-col-supported': keyword('media-size', 'media-size-name', ...Object.keys(COMMON)),
    ...Object.fromEntries(Object.entries(COMMON).map(([name, values]) => [`${name}-supported`, values])),
  };
}
