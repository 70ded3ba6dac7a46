/** A command that the attached model does not have does what its manual says, and no other model's. */
import { afterEach, expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import type { RecipeRow } from '../../../runtime/recipes/row.ts';
import { twinPlugins } from '../../plugins.ts';

let node: TestNode;
afterEach(() => node.stop());

async function attach(model: string, options?: Record<string, unknown>, ids = ['04b8', '0202']) {
  const row: RecipeRow = {
    ...{ id: 'acme-0042', vendorId: 'abcd', productId: '0042', make: 'Acme', model: 'X80' },
    ...{ kind: 'printer', codec: 'escpos', options: options ?? {} },
  };
  const device = new VirtualPrinter();
  node = await startTestNode({
    plugins: twinPlugins,
    ...(options && { recipes: [row] }),
    devices: { printer: () => device },
  });
  const [vendorId, productId] = options ? ['abcd', '0042'] : ids;
  const deviceId = `MFG:EPSON;CMD:ESC/POS;MDL:${model};`;
  await call('POST', 'twin/attach', { device: 'printer', vendorId, productId, deviceId });
  await call('DELETE', 'twin/paper');
  return device;
}
async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${node.url}/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}
const send = (hex: string) => {
  const data = Buffer.from(hex.replaceAll(' ', ''), 'hex').toString('base64');
  return call('POST', 'raw', { type: 'raw', id: crypto.randomUUID(), endpoint: 'receipt', data });
};
const text = async () => (await fetch(`${node.url}/twin/paper.txt`)).text();
const ignored = async () =>
  ((await call('GET', 'twin/paper.json')) as { ignored: { command: string }[] }).ignored.map(({ command }) => command);

const RASTER = '1d7630 00 0200 0100 4142';
const GRAPHICS = '1d284c 0c00 30 70 30 01 01 31 0800 0200 ffff 1d284c 0200 30 32';
const QR = '1d286b 0400 31 50 30 41 1d286b 0300 31 51 30';

it.each([
  ['TM-T88V', [], '████████\n[qr A]'],
  ['TM-T88III', ['GS ( L 112', 'GS ( L 50', 'GS ( k 49 80', 'GS ( k 49 81'], ' ▀     ▀ ▀    ▀'],
  ['TM-U220B', ['GS v', 'GS ( L 112', 'GS ( L 50', 'GS ( k 49 80', 'GS ( k 49 81'], 'v0AB'],
])('%s does of a command that it lacks what its manual says', async (model, lacked, shown) => {
  await attach(model);
  await send(`${RASTER} 0a ${GRAPHICS} ${QR}`);
  expect(await ignored()).toEqual(lacked);
  expect(await text()).toContain(shown);
});

it('another name on the same row has other lacks', async () => {
  await attach('TM-T88III');
  await send(QR);
  expect(await ignored()).toHaveLength(2);
  await call('POST', 'twin/attach', {
    device: 'printer',
    vendorId: '04b8',
    productId: '0202',
    deviceId: 'MFG:EPSON;CMD:ESC/POS;MDL:TM-T70;',
  });
  await send(QR);
  expect(await ignored()).toEqual([]);
});

const ECHO = '1d2848 0600 30 30 41424344';
it.each([
  ['has endOfPrint takes', { endOfPrint: true }, []],
  ['lacks endOfPrint ignores', {}, ['GS ( H 48']],
])('a printer whose row %s GS ( H', async (_what, options, lacked) => {
  await attach('X80', options);
  await send(ECHO);
  expect(await ignored()).toEqual(lacked);
});

const PULSE = '101401 00 01';
it.each([
  ['has realtimePulseDisable obeys', { realtimePulseDisable: true }, [], 0],
  ['lacks realtimePulseDisable reads past', {}, ['GS ( D 20'], 1],
])('a printer whose row %s GS ( D', async (_what, options, lacked, pulses) => {
  const device = await attach('X80', options);
  await send(`1d2844 0300 14 01 00 ${PULSE}`);
  expect(await ignored()).toEqual(lacked);
  expect(device.pulses).toHaveLength(pulses);
});

it('a printer leaves the size as it is where GS ! asks for more than it has', async () => {
  await attach('X80', { maxSize: 4 });
  await send('1d2133 41 0a 1d2144 42 0a');
  expect(await ignored()).toEqual(['GS !']);
  const svg = await (await fetch(`${node.url}/twin/paper`)).text();
  expect(svg.match(/scale\(4 4\)/g) ?? svg.match(/font-size="\d+"/g)).toHaveLength(2);
});
