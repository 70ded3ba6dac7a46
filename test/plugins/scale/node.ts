/** A node with whatever virtual devices a test plugs in, on a bus of as many channels as it says. */
import { onTestFinished, vi } from 'vitest';
import type { ScaleStatus } from '../../../plugins/scale/contract.ts';
import { createBench } from '../../../runtime/bindings/virtual/bindings.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { VirtualHost } from '../../../runtime/bindings/virtual/host.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { compose } from '../../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../../runtime/kernel/core-errors.ts';
import type { NodeEvent } from '../../../runtime/kernel/hooks.ts';
import { silentLogger } from '../../../runtime/kernel/log.ts';
import type { Plugin } from '../../../runtime/kernel/plugin.ts';
import type { RecipeRow } from '../../../runtime/kernel/recipes.ts';
import { compileValidators } from '../../../runtime/kernel/schemas.ts';
import { startNode } from '../../../runtime/node.ts';
import { builtinRecipes } from '../../../runtime/testing.ts';
import { wifiPlugins } from '../../plugins.ts';

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
  const { usbChannels = 16, plugins = wifiPlugins, recipes = builtinRecipes(), devices = {} } = options;
  const bench = createBench(devices);
  const host = new VirtualHost();
  const { kernel, url, stop } = await startNode({
    image: { variant: 'test', version: '0.0.0-test', usbChannels },
    run: { host: '127.0.0.1', port: 0, rawPort: 0, appliance: false },
    plugins,
    recipes,
    validators: compileValidators(compose(plugins, CORE_ERRORS)),
    bindings: { usb: bench.usb, storage: new VirtualStorage(), host, bench },
    log: silentLogger,
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
    scale: async () => (await get<ScaleStatus>('/scale')).body,
    peripheral: async (endpoint: string) => {
      const { peripherals } = (await get<{ peripherals: Peripheral[] }>('/status')).body;
      return peripherals.find((each) => each.endpoint === endpoint);
    },
    /** Events of one type so far. */
    events: (type: string) => events.filter((event) => event.type === type),
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
/** How many reports the node has taken from a device since. */
export function countReports(device: VirtualDevice): () => number {
  const collect = vi.spyOn(device, 'collect');
  return () => collect.mock.results.filter(({ value }) => value instanceof Uint8Array).length;
}

export type DeviceNode = Awaited<ReturnType<typeof startDeviceNode>>;

/** Resolves once the condition holds, without the help of any timer, so that a test may hold the clock. */
export async function soon(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
