/** The paper of a roll in sizes that print dialogs know (PWG 5101.1). */
import { type Attributes, collection, integer, keyword, range } from '../../codecs/ipp.ts';
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
/** What phones and Windows offer where they know no roll; it is scaled to the paper, and the white is cut off. */
const SHEETS: readonly Size[] = [
  { name: 'oe_photo-l_3.5x5in', x: 8890, y: 12_700 },
  { name: 'na_index-4x6_4x6in', x: 10_160, y: 15_240 },
  { name: 'iso_a6_105x148mm', x: 10_500, y: 14_800 },
  { name: 'iso_a5_148x210mm', x: 14_800, y: 21_000 },
  { name: 'iso_a4_210x297mm', x: 21_000, y: 29_700 },
  { name: 'na_letter_8.5x11in', x: 21_590, y: 27_940 },
];

/** The width that the head prints, in whole millimetres. */
const widthOf = ({ dots, dpi }: Head): number => Math.round((dots * 25.4) / dpi);

const sizesOf = (head: Head): Size[] => {
  const width = widthOf(head);
  const rolls = LENGTHS.map((length) => ({
    name: `om_roll-${width}x${length}_${width}x${length}mm`,
    x: width * 100,
    y: length * 100,
  }));
  return [...rolls, ...SHEETS];
};

const sizeOf = ({ x, y }: Size): Attributes => ({ 'x-dimension': integer(x), 'y-dimension': integer(y) });

/** The lengths of a roll of which nobody knows the name. */
const anyLength = (width: number): Attributes => ({
  'x-dimension': range({ low: width * 100, high: width * 100 }),
  'y-dimension': range({ low: SHORTEST * 100, high: LONGEST * 100 }),
});

const columnOf = (size: Size): Attributes => ({
  'media-size': collection(sizeOf(size)),
  'media-size-name': keyword(size.name),
  ...marginsAndSource,
});

const marginsAndSource: Attributes = {
  'media-bottom-margin': integer(MARGIN),
  'media-left-margin': integer(MARGIN),
  'media-right-margin': integer(MARGIN),
  'media-top-margin': integer(MARGIN),
  'media-source': keyword('main-roll'),
  'media-type': keyword('continuous'),
};

/** Longest page, in mm, as `PaperMax` of the Bonjour Printing Specification wants it. */
export const PAPER_MAX = '<legal-A4';

/** The attributes of media (PWG 5100.7, 5100.14). `media-col-database` is large: it is given where it is asked for by name. */
export function mediaAttributes(head: Head): Attributes {
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
      ...marginsAndSource,
    }),
    'media-col-supported': keyword('media-size', 'media-size-name', ...Object.keys(marginsAndSource)),
    'media-bottom-margin-supported': integer(MARGIN),
    'media-left-margin-supported': integer(MARGIN),
    'media-right-margin-supported': integer(MARGIN),
    'media-top-margin-supported': integer(MARGIN),
    'media-source-supported': keyword('main-roll'),
    'media-type-supported': keyword('continuous'),
  };
}
