/** POST /twin/attach: a device of the twin is plugged in, by its ids; other ids make one that nobody knows. */
import { usbIdentity } from '../../runtime/bindings/usb-identity.ts';
import type { VirtualBench } from '../../runtime/bindings/virtual/bindings.ts';
import { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import { route } from '../../runtime/kernel/plugin.ts';
import { TwinAttach, TwinAttached } from './contract.ts';

const VENDOR_CLASS = 0xff;
/** More than a counter has room for. */
const MOST = 8;

/** One interface that sends on request and answers nothing. */
class Stranger extends VirtualDevice {
  protected control(): 'stall' {
    return 'stall';
  }

  protected receive(_pipe: number, bytes: Uint8Array): number {
    return bytes.length;
  }
}

const idsOf = ({ descriptors, strings }: VirtualDevice): string => {
  const { vendorId, productId } = usbIdentity(descriptors, strings, '');
  return `${vendorId}:${productId}`;
};

/** What was attached to each bus, in the order it was. */
const attachedTo = new WeakMap<VirtualBench, Array<{ readonly ids: string; readonly device: Stranger }>>();

export const attachRoute = route({
  method: 'POST',
  path: '/twin/attach',
  tier: 'none',
  summary: 'plug in a device, of the twin or one that nobody knows, or take it out again',
  body: { schema: TwinAttach, invalid: 'invalid_config' },
  response: TwinAttached,
  errors: ['invalid_config'],
  handle: async ({
    kernel,
    body: { vendorId, productId, class: code = VENDOR_CLASS, attached = true, ...strings },
  }) => {
    const { bench } = kernel.bindings;
    if (bench === undefined) throw new Error('the twin room needs virtual bindings');
    const ids = `${vendorId}:${productId}`;
    const there = attachedTo.get(bench) ?? [];
    const own = [...bench.devices.values()].find((device) => idsOf(device) === ids);
    if (own !== undefined) {
      if (!attached) bench.usb.unplug(own);
      else if (!bench.usb.isPlugged(own)) bench.usb.plug(own);
    } else if (attached) {
      if (there.length >= MOST) throw new ApiError('invalid_config', `at most ${MOST} devices can be attached`);
      const interfaces = [{ class: code, subclass: 0, protocol: 0, pipes: [] }];
      const numbers = { vendorId: Number.parseInt(vendorId, 16), productId: Number.parseInt(productId, 16) };
      const device = new Stranger({ ...numbers, ...strings, interfaces });
      bench.usb.plug(device);
      attachedTo.set(bench, [...there, { ids, device }]);
    } else {
      for (const { device } of there.filter((other) => other.ids === ids)) bench.usb.unplug(device);
      attachedTo.set(
        bench,
        there.filter((other) => other.ids !== ids),
      );
    }
    // The bus tells the node on the next tick.
    await Promise.resolve();
    await kernel.hotplug.settled();
    return { ok: true, attached };
  },
});
