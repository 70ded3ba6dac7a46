/** Symbols that the drawing thread draws for the paper of the virtual printer: read from its picture, set as the printer was told. */
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { readBarcodes } from 'zxing-wasm/reader';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { besideSources } from '../../../runtime/assembly/variant/beside-sources.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { twinPlugins } from '../../plugins.ts';
import { pixelsOf } from '../../scan-paper.ts';
import { loadReader } from '../../symbol-reader.ts';

const FNC1 = '\u001d';
let node: TestNode;
beforeAll(loadReader);
beforeEach(async () => {
  node = await startTestNode({
    plugins: twinPlugins,
    beside: besideSources,
    devices: { printer: () => new VirtualPrinter() },
  });
});
afterEach(() => node.stop());

const functionOf = (cn: number, ...parameters: number[]) => [
  0x1d,
  0x28,
  0x6b,
  (parameters.length + 1) & 0xff,
  (parameters.length + 1) >> 8,
  cn,
  ...parameters,
];
const matrix = (cn: number, data: string, ...setup: number[][]) => [
  ...setup.flatMap((parameters) => functionOf(cn, ...parameters)),
  ...functionOf(cn, 80, 48, ...Buffer.from(data, 'latin1')),
  ...functionOf(cn, 81, 48),
];
const barcode = (m: number, data: string) => [0x1d, 0x6b, m, data.length, ...Buffer.from(data)];

interface Facts {
  readonly rows: number;
  readonly ignored: readonly { readonly command: string }[];
}
async function printed(...bytes: number[]) {
  const data = Buffer.from(bytes).toString('base64');
  const body = JSON.stringify({ type: 'raw', id: crypto.randomUUID(), endpoint: 'receipt', data });
  expect(await (await fetch(`${node.url}/raw`, { method: 'POST', body })).json()).toMatchObject({ ok: true });
  const get = (name: string) => fetch(`${node.url}/twin/${name}`);
  const svg = await (await get('paper')).text();
  const reads = await readBarcodes(pixelsOf(svg), { textMode: 'Plain', tryInvert: false });
  return {
    svg,
    reads: reads.map(({ symbologyIdentifier, text }) => `${symbologyIdentifier} ${text}`),
    text: await (await get('paper.txt')).text(),
    ignored: ((await (await get('paper.json')).json()) as Facts).ignored.map(({ command }) => command),
  };
}

it.each([
  ['Aztec Code', matrix(53, 'GATE 7'), ']z0 GATE 7', '[aztec GATE 7]\n'],
  ['compact Aztec Code', matrix(53, 'GATE 7', [66, 49, 0], [69, 50]), ']z0 GATE 7', '[aztec GATE 7]\n'],
  ['Data Matrix', matrix(54, 'LOT 7'), ']d1 LOT 7', '[datamatrix LOT 7]\n'],
  ['rectangular Data Matrix', matrix(54, 'LOT 7', [66, 1, 0, 0]), ']d1 LOT 7', '[datamatrix LOT 7]\n'],
  ['Data Matrix of 26 rows', matrix(54, 'LOT 7', [66, 0, 26, 26]), ']d1 LOT 7', '[datamatrix LOT 7]\n'],
  ['GS1 DataBar', barcode(75, '0952123454321'), ']e0 0109521234543213', '[gs1-databar (01)09521234543213]\n'],
  ['truncated GS1 DataBar', barcode(76, '0952123454321'), ']e0 0109521234543213', '[gs1-databar (01)09521234543213]\n'],
  ['GS1 DataBar Limited', barcode(77, '0952123454321'), ']e0 0109521234543213', '[gs1-databar (01)09521234543213]\n'],
  ['GS1 DataBar Expanded', barcode(78, '(10)AB{1(21)7'), `]e0 10AB${FNC1}217`, '[gs1-databar (10)AB(21)7]\n'],
])('%s is drawn, and read off the paper', async (_name, bytes, read, text) => {
  expect(await printed(...bytes)).toMatchObject({ reads: [read], text, ignored: [] });
});

it.each([
  ['stacked', 72, '0952123454321', '0109521234543213'],
  ['stacked omnidirectional', 73, '0952123454321', '0109521234543213'],
  ['stacked expanded', 76, '(01)09521234543213(10)ABC123', '010952123454321310ABC123'],
])('GS1 DataBar %s is drawn with modules of 3 dots, and read off the paper', async (_name, type, data, read) => {
  const shown = await printed(
    ...functionOf(51, 67, 3),
    ...functionOf(51, 80, 48, type, ...Buffer.from(data)),
    ...functionOf(51, 81, 48),
  );
  expect(shown).toMatchObject({ reads: [`]e0 ${read}`], ignored: [] });
  expect(shown.svg).toContain('scale(3 3)');
});

it('a symbol has modules as large as they were set', async () => {
  expect((await printed(...matrix(54, 'A'))).svg).toContain('scale(3 3)');
  expect((await printed(...matrix(54, 'B', [67, 9]))).svg).toContain('scale(9 9)');
});

it('a symbol keeps bytes as they came', async () => {
  const { reads } = await printed(...matrix(54, 'caf\u00e9'));
  expect(reads).toEqual([']d1 café']);
});

it.each([
  ['that a symbology does not hold', barcode(77, '9999999999999'), 'GS k 77'],
  ['without identifiers', barcode(78, 'AB'), 'GS k 78'],
  ['longer than any', matrix(53, 'x'.repeat(3900)), 'GS ( k 53 81'],
  ['of MaxiCode', matrix(50, 'x'), 'GS ( k 50 81'],
  ['of Micro QR Code', matrix(49, 'A7', [65, 51, 0]), 'GS ( k 49 81'],
])('the twin frames and lists data %s', async (_what, bytes, command) => {
  const { ignored, reads, svg } = await printed(...bytes);
  expect(ignored).toEqual([command]);
  expect(reads).toEqual([]);
  expect(svg).toContain('stroke-dasharray');
});

it('the drawing thread draws 100 symbols at the first reading', async () => {
  const codes = Array.from({ length: 100 }, (_, at) => matrix(54, `${at}`, [67, 2])).flat();
  expect((await printed(...codes)).ignored).toEqual([]);
});

it('the drawing thread draws any number of symbols, and the same one once', async () => {
  const codes = Array.from({ length: 5 }, (_, at) => [...matrix(54, `LOT ${at}`), 0x0a, 0x0a]);
  const { reads } = await printed(...codes.flat(), ...codes.flat());
  expect(reads.sort()).toEqual(codes.flatMap((_, at) => [`]d1 LOT ${at}`, `]d1 LOT ${at}`]));
});
