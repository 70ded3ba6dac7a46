/** Hubs: their power, and what hangs behind them. */
import { describe, expect, it, vi } from 'vitest';
import { hubStatus } from '../../../plugins/hub/hub.ts';
import { VirtualHub } from '../../../plugins/hub/virtual.ts';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { usbIdentity } from '../../../runtime/bindings/usb-identity.ts';
import { Ledger } from '../../../runtime/kernel/ledger.ts';
import { startDeviceNode } from '../../device-node.ts';
import { Gadget, GadgetRoom } from '../../kernel/hotplug-gadget.ts';
import { wifiPlugins } from '../../plugins.ts';

describe('a hub', () => {
  it('has the endpoint hub, with nothing that can be asked of it', async () => {
    const node = await startDeviceNode();
    const hub = () => node.get<{ peripherals: object[] }>('/peripherals');
    const declared = { id: 'hub', kind: 'hub', transport: 'usb', capabilities: [] };
    expect((await hub()).body.peripherals).toContainEqual({ ...declared, condition: 'never_seen' });
    await node.plug(new VirtualHub());
    expect((await hub()).body.peripherals).toContainEqual({ ...declared, condition: 'bound' });
  });

  it('belongs to the machine: it is neither opened nor asked anything', async () => {
    const hub = new VirtualHub();
    const asked = vi.spyOn(hub, 'request');
    // One that may not be opened is none the worse for it.
    hub.misbehave({ denied: true });
    const node = await startDeviceNode();
    await node.plug(hub);
    expect(await node.peripheral('hub')).toMatchObject({ condition: 'bound' });
    expect(asked).not.toHaveBeenCalled();
    expect(node.usb.claimedInterfaces(hub)).toEqual([]);
  });

  it('shows its power and what is plugged into each of its ports, other hubs by their own', async () => {
    const node = await startDeviceNode({ plugins: [...wifiPlugins, new GadgetRoom().plugin] });
    const gadget = new Gadget();
    await node.plug(new VirtualPrinter(), '1-2');
    await node.plug(new VirtualHub(), '1-1');
    await node.plug(gadget, '1-1.10');
    await node.plug(new VirtualHub({ selfPowered: false, model: 'Inner' }), '1-1.4');
    await node.plug(new VirtualPrinter({ productId: 0x0e15 }), '1-1.4.1');
    const hubs = async () => (await node.status())['hubs'];
    expect(await hubs()).toEqual([
      {
        ...{ endpoint: 'hub', port: '1-1', vendorId: '05e3', productId: '0608' },
        ...{ make: 'Genesys Logic', model: 'USB2.0 Hub', power: 'self', maxPowerMa: 100 },
        ports: [
          { number: 4, vendorId: '05e3', productId: '0608', make: 'Genesys Logic', model: 'Inner', kind: 'hub' },
          expect.objectContaining({ number: 10, vendorId: '1234', kind: 'gadget', endpoint: 'gadget' }),
        ],
      },
      expect.objectContaining({
        ...{ port: '1-1.4', model: 'Inner', power: 'bus' },
        ports: [expect.objectContaining({ number: 1, productId: '0e15', kind: 'printer' })],
      }),
    ]);
    await node.unplug(gadget);
    expect(await hubs()).toMatchObject([{ ports: [{ number: 4 }] }, {}]);
  });

  it('answers whoever does ask as hubs do: its power now, and its number of ports', () => {
    const hub = new VirtualHub({ selfPowered: false, ports: 7 });
    const ask = (requestType: number, request: number, value: number) =>
      hub.request({ requestType, request, value, index: 0 }, new Uint8Array());
    expect(ask(0x80, 0, 0)).toEqual(Uint8Array.of(0, 0));
    expect(ask(0xa0, 6, 0x2900)).toEqual(Uint8Array.of(9, 0x29, 7, 9, 0, 50, 100, 0, 0xff));
    expect(ask(0xa3, 0, 0)).toBe('stall');
  });

  it('shows what it may draw from the bus, in milliamperes, where the bus keeps its bMaxPower', () => {
    const ledger = new Ledger();
    const hub = ledger.met(usbIdentity(new VirtualHub().descriptors, {}, '1-1'), 0);
    expect(hubStatus(hub, ledger, () => undefined)).toMatchObject({ maxPowerMa: 100, power: 'self', ports: [] });
  });
});
