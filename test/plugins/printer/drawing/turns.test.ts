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
const HEBREW = () => receipt([{ type: 'text', value: 'שלום 12.00' }]);

/** A node whose drawing thread tells when it is started, and what asks it by the address of who asks. */
async function start() {
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
  const post = (from: string, to: string, asked: object, then = () => {}) =>
    new Promise<number>((resolve, reject) => {
      const asking = request(`${node.url}${to}`, { method: 'POST', localAddress: from }, (response) => {
        then();
        response.resume().on('end', () => resolve(response.statusCode!));
      });
      asking.on('error', reject).end(JSON.stringify(asked));
    });
  return { drawing, post };
}

it.each([
  ['is printed while those of another address are drawn', '/print', receipt(SYMBOLS)],
  ['is printed while a preview is drawn', '/preview', { lines: SYMBOLS }],
])('a receipt that has to be drawn %s', async (_, path, body) => {
  const { drawing, post } = await start();
  const answered: string[] = [];
  const other = post(OTHER, path, body, () => answered.push(OTHER));
  await drawing;
  expect(await post(TILL, '/print', HEBREW(), () => answered.push(TILL))).toBe(200);
  expect(await other).toBe(200);
  expect(answered).toEqual([TILL, OTHER]);
});

it('receipts that have to be drawn are printed one after the other while the paper of a preview is drawn', async () => {
  const { drawing, post } = await start();
  const lines = Array.from({ length: 100 }, () => ({ type: 'barcode', symbology: 'qr', value: 'a'.repeat(2000) }));
  let isAnswered = false;
  const other = post(OTHER, '/preview', { lines }, () => {
    isAnswered = true;
  });
  await drawing;
  let printed = 0;
  for (; !isAnswered; printed += 1) expect(await post(TILL, '/print', HEBREW())).toBe(200);
  expect(await other).toBe(200);
  // The first may stand before the paper, and the last one behind it.
  expect(printed).toBeGreaterThan(2);
});
