/** The twin's own devices under other ids: how a row for a device that nobody has is tried. */
import { expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { startAttaching } from './attach.ts';

it('a device that is plugged in is pulled out and comes back under the new ids, and under its own again', async () => {
  const { attach, endpoint } = await startAttaching([]);
  await attach({ device: 'printer', model: 'X80' });
  expect(await endpoint('receipt')).toMatchObject({ condition: 'bound', device: { productId: '0042', model: 'X80' } });
  await attach({ device: 'printer', attached: false });
  expect(await endpoint('receipt')).toMatchObject({ condition: 'gone' });
  await attach({ vendorId: '04b8', productId: '0e28', device: 'printer' });
  expect(await endpoint('receipt')).toMatchObject({ condition: 'bound', device: { vendorId: '04b8' } });
});

it('the twin lists its devices with how they stand, and names them to who asks for another', async () => {
  const { call, attach } = await startAttaching([], { 'printer/second': () => new VirtualPrinter() });
  const { devices } = (await call('GET', '/twin/devices')).body;
  expect(devices).toMatchObject([
    { name: 'printer', vendorId: '04b8', attached: true, state: { cover: 'closed' } },
    { name: 'printer/second', vendorId: '04b8', attached: false },
  ]);
  expect(await attach({ device: 'toaster' })).toMatchObject({
    status: 422,
    body: { error: 'invalid_config', detail: expect.stringContaining('printer, printer/second') },
  });
});
