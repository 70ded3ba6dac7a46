/** POST /twin/attach: plugs in a device of the twin by its ids; unknown ids make a device that no room recognises. */
import { defined } from '../../runtime/base/defined.ts';
import { usbIdentity } from '../../runtime/bindings/usb-identity.ts';
import type { VirtualBench } from '../../runtime/bindings/virtual/bindings.ts';
import { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { routesOf } from '../../runtime/kernel/plugin.ts';
import { TwinAttach, TwinAttached, TwinDevices, type TwinRoom } from './contract.ts';

const VENDOR_CLASS = 0xff;
/** The device that can have a device id. */
const PRINTER = 'printer';
/** Most unknown devices at a time. */
const MOST = 8;

/** An unknown device: one vendor-specific interface, which stalls every request. */
class Stranger extends VirtualDevice {
  protected control(): 'stall' {
    return 'stall';
  }

  protected receive(_pipe: number, bytes: Uint8Array): number {
    return bytes.length;
  }
}

const identityOf = ({ descriptors, strings }: VirtualDevice) => usbIdentity(descriptors, strings, '');
const idsOf = (device: VirtualDevice): string => {
  const { vendorId, productId } = identityOf(device);
  return `${vendorId}:${productId}`;
};

const route = routesOf<TwinRoom>();

function benchOf({ bindings: { bench } }: Node): VirtualBench {
  if (bench === undefined) throw new Error('the twin room needs virtual bindings');
  return bench;
}

/** The other devices of the same room, which are of the same kind: `scanner` and `scanner/virtual-wedge`, for example. */
const othersOf = (name: string, devices: VirtualBench['devices']): VirtualDevice[] => {
  const roomOf = (full: string) => full.split('/')[0];
  return [...devices].flatMap(([other, device]) => (other !== name && roomOf(other) === roomOf(name) ? [device] : []));
};

/** What the device declares of its actions; nothing where there are none. */
function actionsOf({ actions, words }: VirtualDevice) {
  const declared = Object.entries(actions);
  if (declared.length === 0) return {};
  return { actions: declared.map(([name, { argument }]) => ({ name, ...(argument && { argument }) })), words };
}

/** GET /twin/devices: the devices of the twin by name, with ids, state and actions. */
export const devicesRoute = route({
  method: 'GET',
  path: '/twin/devices',
  tier: 'none',
  summary: "the twin's own devices, how each stands, and what can be done with it",
  response: TwinDevices,
  handle: ({ node }) => {
    const { devices, usb } = benchOf(node);
    return {
      devices: [...devices].map(([name, device]) => {
        const { vendorId, productId, make, model } = identityOf(device);
        const state = 'state' in device ? { state: device.state } : {};
        return {
          name,
          vendorId,
          productId,
          make,
          model,
          attached: usb.isPlugged(device),
          ...state,
          ...actionsOf(device),
        };
      }),
    };
  },
});

/** POST /twin/attach (see above). */
export const attachRoute = route({
  method: 'POST',
  path: '/twin/attach',
  tier: 'none',
  summary: 'plug in a device, of the twin or one that nobody knows, or take it out again',
  body: { schema: TwinAttach, invalid: 'invalid_config' },
  response: TwinAttached,
  errors: ['invalid_config'],
  handle: async ({
    node,
    room,
    body: { attached = true, class: code = VENDOR_CLASS, device: name, deviceId, ...label },
  }) => {
    const bench = benchOf(node);
    const { usb, devices } = bench;
    const ids = `${label.vendorId}:${label.productId}`;
    const numbers = {
      vendorId: Number.parseInt(label.vendorId, 16),
      productId: Number.parseInt(label.productId, 16),
    };
    const there = room.strangers;
    const own = name === undefined ? [...devices.values()].find((device) => idsOf(device) === ids) : devices.get(name);
    if (name !== undefined && own === undefined)
      throw new ApiError('invalid_config', `device: the twin has ${[...devices.keys()].join(', ')}`);
    if (deviceId !== undefined && name !== PRINTER)
      throw new ApiError('invalid_config', `deviceId: goes with "device": "${PRINTER}" alone`);
    if (own !== undefined) {
      if (!attached || name !== undefined) usb.unplug(own);
      if (attached && name !== undefined) for (const other of othersOf(name, devices)) usb.unplug(other);
      if (name !== undefined) own.relabel({ ...label, ...numbers, ...defined({ deviceId }) });
      if (attached && !usb.isPlugged(own)) usb.plug(own);
    } else if (attached) {
      if (there.length >= MOST) throw new ApiError('invalid_config', `at most ${MOST} devices can be attached`);
      const interfaces = [{ class: code, subclass: 0, protocol: 0, pipes: [] }];
      const device = new Stranger({ ...label, ...numbers, interfaces });
      usb.plug(device);
      room.strangers = [...there, { ids, device }];
    } else {
      for (const { device } of there.filter((other) => other.ids === ids)) usb.unplug(device);
      room.strangers = there.filter((other) => other.ids !== ids);
    }
    // The bus reports the change to the node in the next microtask.
    await Promise.resolve();
    await node.settled();
    return { ok: true, attached };
  },
});
