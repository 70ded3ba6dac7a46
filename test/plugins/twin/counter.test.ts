/** Everything on the twin's counter, as a programmer finds it. */
import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualDevice as camera } from '../../../plugins/camera/virtual.ts';
import { createVirtualDevice as hub } from '../../../plugins/hub/virtual.ts';
import { createVirtualDevice as printer } from '../../../plugins/printer/virtual/device.ts';
import { createVirtualDevice as scale } from '../../../plugins/scale/virtual.ts';
import { createVirtualDevice as scanner } from '../../../plugins/scanner/virtual.ts';
import { createVirtualDevice as serial } from '../../../plugins/scanner/virtual-serial.ts';
import { createVirtualDevice as wedge } from '../../../plugins/scanner/virtual-wedge.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import { until } from '../../node.ts';
import { twinPlugins } from '../../plugins.ts';

let node: TestNode;
afterEach(() => node.stop());
const start = async () => {
  node = await startTestNode({
    plugins: twinPlugins,
    devices: { printer, scanner, scale, hub, camera },
    atHand: { wedge, serial },
  });
};
const call = async <T = Record<string, unknown>>(path: string, method = 'GET', body?: object) => {
  const init = { method, ...(body && { body: JSON.stringify(body) }) };
  return (await (await fetch(`${node.url}${path}`, init)).json()) as T;
};
interface Status {
  peripherals: { endpoint: string; condition: string; device?: { vendorId: string }; recipe?: object }[];
  rejections: { vendorId: string; reason: string }[];
}
const peripheral = async (endpoint: string) =>
  (await call<Status>('/status')).peripherals.find((each) => each.endpoint === endpoint);
const attach = (ids: string, attached = true) => {
  const [vendorId, productId] = ids.split(':');
  return call('/twin/attach', 'POST', { vendorId, productId, attached });
};
const POS = '0c2e:0c01';
const WEDGE = '05e0:1200';
const SERIAL = '1eab:1306';

describe("the twin's counter", () => {
  it('has a printer, a scanner, a scale, a hub and a camera bound, each by its recipe row', async () => {
    await start();
    // The printer is silent until it has been read once.
    await until(async () => (await peripheral('receipt'))?.condition === 'bound');
    const { peripherals } = await call<Status>('/status');
    expect(peripherals.map(({ endpoint, condition, recipe }) => [endpoint, condition, recipe])).toEqual(
      ['receipt', 'scanner', 'scale', 'hub', 'camera'].map((endpoint) => [
        endpoint,
        'bound',
        expect.objectContaining({ tier: 'builtin', codec: expect.any(String) }),
      ]),
    );
  });

  it('has a camera that takes pictures', async () => {
    await start();
    const response = await fetch(`${node.url}/camera/frame`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  });

  it('has no camera once it is taken off the bus', async () => {
    await start();
    await attach('046d:0825', false);
    expect(await call('/camera/frame')).toMatchObject({ error: 'no_camera' });
  });

  it.each([
    [WEDGE, 'hid-keyboard'],
    [SERIAL, 'serial-lines'],
  ])(
    'has a second scanner, %s, that is refused while the first is there and takes over when it goes',
    async (ids, codec) => {
      await start();
      await attach(ids);
      const [vendorId] = ids.split(':');
      expect((await call<Status>('/status')).rejections[0]).toMatchObject({ vendorId, reason: 'second_scanner' });
      await attach(POS, false);
      expect(await peripheral('scanner')).toMatchObject({
        condition: 'bound',
        device: { vendorId },
        recipe: { codec },
      });
      expect(await call('/twin/scan', 'POST', { value: '4006381333931' })).toEqual({ ok: true });
      await until(async () => (await call<{ accepted: number }>('/scans')).accepted === 1);
      await attach(POS);
      await attach(ids, false);
      expect(await peripheral('scanner')).toMatchObject({ condition: 'bound', device: { vendorId: '0c2e' } });
    },
  );

  it('takes a device that is attached twice for one', async () => {
    await start();
    await attach(POS);
    await attach(POS);
    expect((await call<Status>('/status')).rejections).toEqual([]);
  });
});
