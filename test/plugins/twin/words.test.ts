/** What was drawn from text is text to who reads the paper: `/twin/paper.txt`, and the description of a preview. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { besideSources } from '../../../runtime/assembly/variant/beside-sources.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { twinPlugins } from '../../plugins.ts';

let node: TestNode;
beforeAll(async () => {
  node = await startTestNode({
    plugins: twinPlugins,
    beside: besideSources,
    devices: { printer: () => new VirtualPrinter() },
  });
});
afterAll(() => node.stop());
beforeEach(() => fetch(`${node.url}/twin/paper`, { method: 'DELETE' }));

async function shown(lines: readonly object[]) {
  const body = JSON.stringify({ type: 'print', id: crypto.randomUUID(), endpoint: 'receipt', lines });
  expect(await (await fetch(`${node.url}/print`, { method: 'POST', body })).json()).toMatchObject({ ok: true });
  const preview = await (
    await fetch(`${node.url}/preview`, { method: 'POST', body: JSON.stringify({ lines }) })
  ).text();
  const [, description = ''] = /<desc[^>]*>([^<]*)<\/desc>/.exec(preview) ?? [];
  return { paper: await (await fetch(`${node.url}/twin/paper.txt`)).text(), description };
}

it.each([
  ['a sign of currency', { type: 'text', value: 'Total ₺ 9.99' }, 'Total ₺ 9.99\n'],
  ['two signs of currency', { type: 'text', value: '₹ 5 ₽ 6 ✓' }, '₹ 5 ₽ 6 ✓\n'],
  ['in bold, at the double size', { type: 'text', value: 'Total ₺ 9.99', bold: true, size: '2x' }, 'Total ₺ 9.99\n'],
  ['in Font B', { type: 'text', value: 'Total ₺ 9.99', font: 'b' }, 'Total ₺ 9.99\n'],
  ['inverted', { type: 'text', value: 'Total ₺ 9.99', invert: true }, 'Total ₺ 9.99\n'],
  ['letters with commas below', { type: 'text', value: 'Preț și oraș' }, 'Preț și oraș\n'],
  [
    'in a cell',
    { type: 'columns', cells: [{ value: 'Total' }, { value: '₺ 9.99', width: 12, align: 'right' }] },
    `${'Total'.padEnd(42)}₺ 9.99\n`,
  ],
])('text that is drawn is text to who reads the paper: %s', async (_what, line, text) => {
  const { paper, description } = await shown([line]);
  expect(paper).toBe(text);
  expect(description).toBe(text);
});
