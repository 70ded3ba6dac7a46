/** The twin's own devices under other ids: how a row for a device that nobody has is tried. */
import { afterEach, expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { createVirtualDevice as serialScanner } from '../../../plugins/scanner/virtual-serial.ts';
import type { RecipeRow } from '../../../runtime/kernel/recipes.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { twinPlugins } from '../../plugins.ts';

const row: RecipeRow = {
  ...{ id: 'acme-0042', vendorId: 'abcd', productId: '0042', make: 'Acme', model: 'Reader' },
  ...{ kind: 'scanner', codec: 'serial-lines', options: {} },
};
let node: TestNode;
afterEach(() => node.stop());

async function start(recipes: readonly RecipeRow[]) {
  node = await startTestNode({
    plugins: twinPlugins,
    recipes,
    devices: { printer: () => new VirtualPrinter() },
    atHand: { 'scanner/virtual-serial': serialScanner },
  });
}
const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${node.url}${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: (await response.json()) as Record<string, Record<string, unknown>[]> };
};
const attach = (body: object) => call('POST', '/twin/attach', { vendorId: 'abcd', productId: '0042', ...body });
const endpoint = async (id: string) => {
  const { peripherals } = (await call('GET', '/status')).body;
  return peripherals?.find((each) => each['endpoint'] === id);
};

it('a device of the twin under other ids is driven by the row for them', async () => {
  await start([row]);
  expect((await attach({ device: 'scanner/virtual-serial', make: 'Acme', serial: '7' })).status).toBe(200);
  expect(await endpoint('scanner')).toMatchObject({
    condition: 'bound',
    device: { vendorId: 'abcd', productId: '0042', make: 'Acme', model: 'HR3260', serial: '7' },
    recipe: { id: 'acme-0042', tier: 'builtin', codec: 'serial-lines' },
  });
  await call('POST', '/twin/scan', { value: '4006381333931' });
  await expect
    .poll(async () => (await call('GET', '/scans')).body['scans'])
    .toMatchObject([{ value: '4006381333931' }]);
});

it('without a row it is a device that nobody knows', async () => {
  await start([]);
  await attach({ device: 'scanner/virtual-serial' });
  expect(await endpoint('scanner')).toMatchObject({ condition: 'never_seen' });
  expect((await call('GET', '/devices/unknown')).body['devices']).toMatchObject([
    { vendorId: 'abcd', productId: '0042' },
  ]);
});

it('one that is plugged in is pulled out and comes back under the new ids, and under its own again', async () => {
  await start([]);
  await attach({ device: 'printer', model: 'X80' });
  expect(await endpoint('receipt')).toMatchObject({ condition: 'bound', device: { productId: '0042', model: 'X80' } });
  await attach({ device: 'printer', attached: false });
  expect(await endpoint('receipt')).toMatchObject({ condition: 'gone' });
  await attach({ vendorId: '04b8', productId: '0e28', device: 'printer' });
  expect(await endpoint('receipt')).toMatchObject({ condition: 'bound', device: { vendorId: '04b8' } });
});

it('lists the devices of the twin with how they stand, and names them to who asks for another', async () => {
  await start([]);
  const { devices } = (await call('GET', '/twin/devices')).body;
  expect(devices).toMatchObject([
    { name: 'printer', vendorId: '04b8', attached: true, state: { cover: 'closed' } },
    { name: 'scanner/virtual-serial', vendorId: '1eab', attached: false },
  ]);
  expect(await attach({ device: 'toaster' })).toMatchObject({
    status: 422,
    body: { error: 'invalid_config', detail: expect.stringContaining('printer, scanner/virtual-serial') },
  });
});
