/** A node with whatever virtual devices a test plugs in, on a bus of as many channels as it says. */
import { onTestFinished } from 'vitest';
import type { VirtualDevice } from '../runtime/bindings/virtual/device.ts';
import type { Plugin } from '../runtime/kernel/plugin.ts';
import type { NodeEvent } from '../runtime/kernel/registry.ts';
import { startTestNode } from '../runtime/node/testing.ts';
import type { RecipeRow } from '../runtime/recipes/row.ts';
import { wifiPlugins } from './plugins.ts';

export interface DeviceNodeOptions {
  readonly usbChannels?: number;
  readonly plugins?: readonly Plugin[];
  readonly recipes?: readonly RecipeRow[];
  /** Made and plugged in at start, by the name of their room. */
  readonly devices?: Readonly<Record<string, () => VirtualDevice>>;
}

export interface Peripheral {
  readonly endpoint: string;
  readonly condition: string;
  readonly [field: string]: unknown;
}

export async function startDeviceNode(options: DeviceNodeOptions = {}) {
  const { usbChannels = 16, plugins = wifiPlugins, devices = {}, recipes } = options;
  const { kernel, url, stop, bench, host } = await startTestNode({
    image: { usbChannels },
    plugins,
    devices,
    ...(recipes && { recipes }),
  });
  onTestFinished(stop);
  const events: NodeEvent[] = [];
  kernel.hooks.event.tap('test', (event) => {
    events.push(event);
  });
  /** The bus tells the node on the next tick, and the node deals with one device after the other. */
  const settled = async () => {
    await Promise.resolve();
    await kernel.hotplug.settled();
  };
  await settled();
  const get = async <T = Record<string, unknown>>(path: string): Promise<{ status: number; body: T }> => {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, body: (await response.json()) as T };
  };
  return {
    kernel,
    host,
    usb: bench.usb,
    settled,
    get,
    status: async () => (await get('/status')).body,
    peripheral: async (endpoint: string) => {
      const { peripherals } = (await get<{ peripherals: Peripheral[] }>('/status')).body;
      return peripherals.find((each) => each.endpoint === endpoint);
    },
    /** Events of one type so far. */
    events: <Type extends NodeEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<NodeEvent, { type: Type }> => event.type === type),
    post: async <T = Record<string, unknown>>(path: string, body: object) => {
      const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as T };
    },
    put: async (path: string, body: object) => {
      const response = await fetch(`${url}${path}`, { method: 'PUT', body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    plug: async (device: VirtualDevice, port?: string) => {
      bench.usb.plug(device, port);
      await settled();
    },
    unplug: async (device: VirtualDevice) => {
      bench.usb.unplug(device);
      await settled();
    },
  };
}

export type DeviceNode = Awaited<ReturnType<typeof startDeviceNode>>;

/** Resolves once the condition holds, without the help of any timer, so that a test may hold the clock. */
export async function soon(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
