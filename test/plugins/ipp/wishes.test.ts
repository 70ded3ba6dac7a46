/** What a job asks for that the printer cannot do is told, and refused where the client insists (RFC 8011, 4.1.7 and 5.2). */
import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type IppNode, startIppNode } from './ipp-node.ts';
import { type Part, VALIDATE_JOB } from './messages.ts';

let node: IppNode;
beforeAll(async () => {
  node = await startIppNode();
});
afterAll(() => node.stop());

const int = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const ranges = (...all: readonly [number, number][]): Part[] =>
  all.map(([low, high], n) => [0x33, n === 0 ? 'page-ranges' : '', Buffer.concat([int(low), int(high)])]);
const dpi = (across: number, down = across): Part[] => [
  [0x32, 'printer-resolution', Buffer.concat([int(across), int(down), Buffer.from([3])])],
];
const collection = (name: string, ...members: readonly Part[]): Part[] => [
  [0x34, name, ''],
  ...members,
  [0x37, '', ''],
];
const sized = (x: number, y: number): Part[] =>
  collection(
    'media-col',
    ...([
      [0x4a, '', 'media-size'],
      [0x34, '', ''],
      [0x4a, '', 'x-dimension'],
      [0x21, '', x],
      [0x4a, '', 'y-dimension'],
      [0x21, '', y],
      [0x37, '', ''],
    ] as const),
  );
const validated = async (wishes: readonly Part[], insists = false) => {
  const fidelity: Part[] = insists ? [[0x22, 'ipp-attribute-fidelity', Buffer.from([1])]] : [];
  return (await node.ask(VALIDATE_JOB, [...fidelity, [2], ...wishes])).status;
};

it.each<[string, Part[]]>([
  ['a sheet that no roll is', [[0x44, 'media', 'iso_a0_841x1189mm']]],
  ['a length that no roll is cut to', [[0x44, 'media', 'custom_x_72x15000mm']]],
  ['a word that names no paper', [[0x44, 'media', 'foolscap']]],
  ['a size of media-col that no roll has', sized(84_100, 118_900)],
  [
    'the name of another size in media-col',
    collection('media-col', [0x4a, '', 'media-size-name'], [0x44, '', 'iso_a3_297x420mm']),
  ],
  ['dots that the head has not', dpi(600)],
  ['dots that differ', dpi(203, 406)],
  ['a priority over 100', [[0x21, 'job-priority', 500]]],
  ['pages sorted by copies', [[0x44, 'multiple-document-handling', 'separate-documents-uncollated-copies']]],
  [
    'other values for some pages',
    collection('overrides', [0x4a, '', 'pages'], [0x33, '', Buffer.concat([int(1), int(1)])]),
  ],
  ['finishings in a collection', collection('finishings-col', [0x4a, '', 'finishing-template'], [0x44, '', 'punch'])],
  ['more copies than are printed', [[0x21, 'copies', 100]]],
  ['a page 0', ranges([0, 3])],
])('a wish that cannot be met is told, and refused where the client insists: %s', async (_, wishes) => {
  expect(await validated(wishes)).toBe(0x0001);
  expect(await validated(wishes, true)).toBe(0x040b);
});

it.each<[string, Part[]]>([
  ['the default roll', [[0x44, 'media', 'om_roll-72x200_72x200mm']]],
  ['a roll of another length', [[0x44, 'media', 'custom_receipt_72x150mm']]],
  ['a sheet that phones know', [[0x44, 'media', 'na_index-4x6_4x6in']]],
  ['a size of media-col, counted in points', sized(7197, 20_003)],
  [
    'a media-col that says the type of paper alone',
    collection('media-col', [0x4a, '', 'media-type'], [0x44, '', 'continuous']),
  ],
  ['the dots of the head', dpi(203)],
  ['a priority', [[0x21, 'job-priority', 50]]],
  ['copies one behind the other', [[0x44, 'multiple-document-handling', 'separate-documents-collated-copies']]],
  ['ranges of pages that ascend', ranges([1, 1], [3, 2_147_483_647])],
])('a wish is met: %s', async (_, wishes) => {
  expect(await validated(wishes, true)).toBe(0);
});

it.each<[string, Part[]]>([
  ['overlap', ranges([1, 3], [3, 4])],
  ['descend', ranges([5, 6], [1, 2])],
])('ranges of pages that %s are refused', async (_, wishes) => {
  expect(await validated(wishes)).toBe(0x0400);
});
