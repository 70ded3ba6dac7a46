/** GS1 data on the paper: read with FNC1 where it stands, and printed in brackets below. */
import { beforeAll, expect, it } from 'vitest';
import { readBarcodes } from 'zxing-wasm/reader';
import { resolveOptions } from '../../../codecs/escpos.ts';
import type { Line } from '../../../plugins/printer/contract.ts';
import { symbolDrawer } from '../../../plugins/printer/drawing/symbols.ts';
import { render } from '../../../plugins/printer/layout/layout.ts';
import { ShapedText } from '../../../plugins/printer/layout/shaped/shaped-text.ts';
import { paperSvg } from '../../../plugins/printer/virtual/paper/svg.ts';
import { paperText } from '../../../plugins/printer/virtual/paper/text.ts';
import { paperOf } from '../../../plugins/printer/virtual/paper-of.ts';
import { pixelsOf } from '../../scan-paper.ts';
import { loadReader } from '../../symbol-reader.ts';

const FNC1 = '\u001d';
beforeAll(loadReader);

async function printed(symbology: string, value: string, rest: object = {}, columns = 48) {
  const options = resolveOptions({ columns, dots: columns * 12 });
  const line = { type: 'barcode', symbology, value, ...rest } as Line;
  const shaping = new ShapedText(undefined, symbolDrawer);
  const rendered = render([line], { columns, cutClearanceLines: 4 }, options, shaping);
  if (!rendered.ok) return { fault: rendered.detail };
  const paper = paperOf(rendered.bytes, options);
  const reads = await readBarcodes(pixelsOf(paperSvg(paper)), { textMode: 'Plain', tryInvert: false });
  return {
    reads: reads.map(({ symbologyIdentifier, text }) => `${symbologyIdentifier} ${text}`),
    formats: reads.map(({ format }) => format),
    text: paperText(paper).trimEnd().split('\n'),
  };
}

// Examples of the GS1 General Specifications, some of which need a printer for wide labels.
it.each([
  ['(01)09501101020917(17)190508(10)ABCD1234(21)10', `01095011010209171719050810ABCD1234${FNC1}2110`],
  ['(00)006141411234567890', '00006141411234567890'],
  ['(02)00614141000418(37)20', '020061414100041837' + '20'],
  ['(01)90614141000015(3103)000750(3922)1299(10)LOT', `0190614141000015310300075039221299${FNC1}10LOT`],
  ['(420)45458(00)006141411234567890', `42045458${FNC1}00006141411234567890`],
  ['(414)9521321000018(254)32a', '414952132100001825432a'],
  ['(253)9521321000018A1', '2539521321000018A1'],
  ['(8005)000365', '8005000365'],
  ['(10)1620{x', undefined],
  ['(21)162016', '21162016'],
])('gs1-128 of %s is read with FNC1 where it stands, or refused', async (value, wanted) => {
  const { reads, fault } = await printed('gs1-128', value, {}, 72);
  expect(fault ?? reads).toEqual(wanted === undefined ? expect.stringContaining('(10) takes') : [`]C1 ${wanted}`]);
});

it('gs1-128 has its identifiers in brackets in the text, wherever that stands', async () => {
  const value = '(01)09501101020917(10)AB';
  const { text: below } = await printed('gs1-128', value, { align: 'center' });
  expect(below?.map((row) => row.trim())).toEqual([expect.stringContaining('[code128'), value]);
  const { text: both } = await printed('gs1-128', value, { hri: 'both' });
  expect(both?.map((row) => row.trim())).toEqual([value, expect.stringContaining('[code128'), value]);
  expect((await printed('gs1-128', value, { hri: 'none' })).text).toHaveLength(1);
});

it.each([
  ['(01)09521234543213', ']e0', '0109521234543213', 1],
  ['(01)90614141000015(3103)000750', ']e0', '01906141410000153103000750', 1],
  ['(01)09521234543213(10)ABC123(21)X', ']e0', `010952123454321310ABC123${FNC1}21X`, 1],
  ['(10)A', ']e0', '10A', 1],
  // Both as a row of modules would be wider than any paper.
  [
    '(01)09521234543213(10)ABCDEF1234567890(21)ABCDEF1234567890',
    ']e0',
    `010952123454321310ABCDEF1234567890${FNC1}21ABCDEF1234567890`,
    1,
  ],
])('gs1-databar of %s is read off both papers', async (value, aim, wanted) => {
  for (const columns of [48, 32]) {
    const { reads, text } = await printed('gs1-databar', value, {}, columns);
    expect(reads).toEqual([`${aim} ${wanted}`]);
    expect(
      text
        ?.slice(1)
        .map((row) => row.trim())
        .join(''),
    ).toContain(value);
  }
});

it.each([
  ['gs1-databar', '(01)09521234543213', /^DataBar(?!Exp)/],
  ['gs1-databar-expanded', '(01)09521234543213', /^DataBarExp/],
  ['gs1-databar-expanded', '(01)90614141000015(3103)000750', /^DataBarExp/],
])('%s of %s has the bars of its name', async (symbology, value, format) => {
  for (const columns of [48, 32]) {
    const { reads, formats } = await printed(symbology, value, {}, columns);
    expect(reads).toEqual([`]e0 ${value.replace(/[()]/g, '')}`]);
    expect(formats).toEqual([expect.stringMatching(format)]);
  }
});

it.each([
  ['aztec', 'https://example.com/t/12345', ']z0'],
  ['datamatrix', 'https://example.com/t/12345', ']d1'],
  ['aztec', 'Grüße, 日本', ']z'],
  ['datamatrix', 'Grüße, 日本', ']d'],
  ['aztec', 'x'.repeat(600), ']z0'],
  ['datamatrix', 'x'.repeat(600), ']d1'],
])('%s of %s is read off the paper as it was sent', async (symbology, value, aim) => {
  for (const rest of [{}, { align: 'center' }, { align: 'right', size: 2 }]) {
    const { reads } = await printed(symbology, value, rest);
    expect(reads).toEqual([expect.stringContaining(value)]);
    expect(reads?.[0]?.startsWith(aim)).toBe(true);
  }
});

it.each([
  ['aztec', 'x'.repeat(4000), {}, 'aztec does not hold this value'],
  ['datamatrix', 'x'.repeat(4000), {}, 'datamatrix does not hold this value'],
  ['datamatrix', 'x', { size: 1 }, 'the size of datamatrix is 2 to 16'],
  ['datamatrix', 'x'.repeat(900), { size: 8 }, 'wider than the 576 of a line'],
  ['gs1-databar', '4711', {}, 'begins with an identifier'],
  ['gs1-databar', '(01)09521234543214', {}, 'check digit'],
  ['gs1-128', '(01)09521234543213(10)', {}, '(10) takes x..20'],
  ['gs1-128', `(91)${'A'.repeat(47)}`, {}, 'takes 48 characters'],
])('%s of %s %j is refused', async (symbology, value, rest, reason) => {
  expect((await printed(symbology, value, rest)).fault).toContain(`lines/0: `);
  expect((await printed(symbology, value, rest)).fault).toContain(reason);
});
