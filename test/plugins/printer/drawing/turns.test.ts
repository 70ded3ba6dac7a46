/** What one client has drawn keeps no other's receipt waiting: the thread draws a piece of each in turn. */
import { request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { besideSources } from '../../../../runtime/assembly/variant/beside-sources.ts';
import { startTestNode } from '../../../../runtime/node/testing.ts';
import { twinPlugins } from '../../../plugins.ts';

const [OTHER, TILL] = ['127.0.0.7', '127.0.0.8'];
/** Each takes much longer to draw than the receipt. */
const SYMBOLS = Array.from({ length: 4 }, () => ({ type: 'barcode', symbology: 'aztec', value: 'a'.repeat(900) }));
const receipt = (lines: object[]) => ({ type: 'print', id: crypto.randomUUID(), endpoint: 'receipt', lines });

it.each([
  ['is printed while those of another address are drawn', '/print', receipt(SYMBOLS)],
  ['is printed while a preview is drawn', '/preview', { lines: SYMBOLS }],
])('a receipt that has to be drawn %s', async (_, path, body) => {
  let begun = () => {};
  const drawing = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const node = await startTestNode({
    plugins: twinPlugins,
    beside: (name) => {
      begun();
      return besideSources(name);
    },
    devices: { printer: () => new VirtualPrinter() },
  });
  onTestFinished(() => node.stop());
  const answered: string[] = [];
  const post = (from: string, to: string, asked: object) =>
    new Promise<number>((resolve, reject) => {
      const asking = request(`${node.url}${to}`, { method: 'POST', localAddress: from }, (response) => {
        answered.push(from);
        response.resume().on('end', () => resolve(response.statusCode!));
      });
      asking.on('error', reject).end(JSON.stringify(asked));
    });
  const other = post(OTHER, path, body);
  await drawing;
  expect(await post(TILL, '/print', receipt([{ type: 'text', value: 'שלום 12.00' }]))).toBe(200);
  expect(await other).toBe(200);
  expect(answered).toEqual([TILL, OTHER]);
});
