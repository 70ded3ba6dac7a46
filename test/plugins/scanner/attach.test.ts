/** A scanner of the twin under other ids. */
import { expect, it } from 'vitest';
import { createVirtualDevice as serialScanner } from '../../../plugins/scanner/virtual-serial.ts';
import { createVirtualDevice as wedge } from '../../../plugins/scanner/virtual-wedge.ts';
import type { RecipeRow } from '../../../runtime/recipes/row.ts';
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
  expect((await call('POST', '/twin/scan', { value: '4006381333931' })).status).toBe(200);
  expect((await call('GET', '/scans')).body['scans']).toMatchObject([{ value: '4006381333931' }]);
});

it('a device of the twin that is named takes the place of the one of its kind, and gives it up again', async () => {
  const { call, attach, endpoint } = await startAttaching([row], { ...atHand, scanner: wedge });
  await attach({ device: 'scanner', vendorId: '05e0', productId: '1200' });
  expect(await endpoint('scanner')).toMatchObject({ condition: 'bound', device: { vendorId: '05e0' } });
  await attach({ device: 'scanner/virtual-serial' });
  expect(await endpoint('scanner')).toMatchObject({ condition: 'bound', device: { vendorId: 'abcd' } });
  expect((await call('POST', '/twin/scan', { value: '4006381333931' })).status).toBe(200);
  await attach({ device: 'scanner', vendorId: '05e0', productId: '1200' });
  expect(await endpoint('scanner')).toMatchObject({ condition: 'bound', device: { vendorId: '05e0' } });
  expect(await endpoint('receipt')).toMatchObject({ condition: 'bound' });
});

it('a device of the twin without a row is one that nobody knows', async () => {
  const { call, attach, endpoint } = await startAttaching([], atHand);
  await attach({ device: 'scanner/virtual-serial' });
  expect(await endpoint('scanner')).toMatchObject({ condition: 'never_seen' });
  expect((await call('GET', '/devices/unknown')).body['devices']).toMatchObject([
    { vendorId: 'abcd', productId: '0042' },
  ]);
});
