/** A scanner of the twin under other ids. */
import { expect, it } from 'vitest';
import { createVirtualDevice as serialScanner } from '../../../plugins/scanner/virtual-serial.ts';
import type { RecipeRow } from '../../../runtime/kernel/recipes.ts';
import { startAttaching } from '../twin/attach.ts';

const row: RecipeRow = {
  ...{ id: 'acme-0042', vendorId: 'abcd', productId: '0042', make: 'Acme', model: 'Reader' },
  ...{ kind: 'scanner', codec: 'serial-lines', options: {} },
};
const atHand = { 'scanner/virtual-serial': serialScanner };

it('a device of the twin under other ids is driven by the row for them', async () => {
  const { call, attach, endpoint } = await startAttaching([row], atHand);
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
  const { call, attach, endpoint } = await startAttaching([], atHand);
  await attach({ device: 'scanner/virtual-serial' });
  expect(await endpoint('scanner')).toMatchObject({ condition: 'never_seen' });
  expect((await call('GET', '/devices/unknown')).body['devices']).toMatchObject([
    { vendorId: 'abcd', productId: '0042' },
  ]);
});
