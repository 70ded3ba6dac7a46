/** A second scanner on the twin's counter. */
import { afterEach, expect, it } from 'vitest';
import { createVirtualDevice as serial } from '../../../plugins/scanner/virtual-serial.ts';
import { createVirtualDevice as wedge } from '../../../plugins/scanner/virtual-wedge.ts';
import { type Counter, startCounter } from '../twin/counter.ts';

let node: Counter;
afterEach(() => node.stop());

const POS = '0c2e:0c01';

it.each([
  ['05e0:1200', 'hid-keyboard'],
  ['1eab:1306', 'serial-lines'],
])('a second scanner (%s) is refused while the first is there, and takes over when that goes', async (ids, codec) => {
  node = await startCounter({ wedge, serial });
  await node.attach(ids);
  const [vendorId] = ids.split(':');
  expect((await node.status()).rejections[0]).toMatchObject({ vendorId, reason: 'second_scanner' });
  await node.attach(POS, false);
  expect(await node.peripheral('scanner')).toMatchObject({
    condition: 'bound',
    device: { vendorId },
    recipe: { codec },
  });
  expect(await node.call('/twin/scan', 'POST', { value: '4006381333931' })).toEqual({ ok: true });
  expect(await node.call('/scans')).toMatchObject({ accepted: 1 });
  await node.attach(POS);
  await node.attach(ids, false);
  expect(await node.peripheral('scanner')).toMatchObject({ condition: 'bound', device: { vendorId: '0c2e' } });
});
