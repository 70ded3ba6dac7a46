/** The node that a room is tried in: the rooms every image has, the room, and an empty virtual bus. */
import type { VirtualDevice } from '../bindings/virtual/device.ts';
import type { VirtualUsb } from '../bindings/virtual/usb.ts';
import type { EndpointState } from '../kernel/device.ts';
import type { Rejection } from '../kernel/ledger.ts';
import { definePlugin, type Plugin } from '../kernel/plugin.ts';
import type { NodeEvent } from '../kernel/registry.ts';
import { startTestNode, type TestNode } from '../node/testing.ts';
import type { RecipeFile } from '../recipes/files.ts';
import { expandMakerFile } from '../recipes/row.ts';
import capture from '../services/capture/index.ts';
import events from '../services/events/index.ts';
import jobs from '../services/jobs/index.ts';
import settings from '../services/settings/index.ts';
import status from '../services/status/index.ts';

/** A bus that has no channel at all takes no device. In an image a room counts them. */
const bus = definePlugin({
  name: 'bus',
  api: 2,
  room({ hooks, image }) {
    hooks.admit.tap('bus', () => (image.usbChannels === 0 ? { reason: 'no_channel' } : undefined));
  },
});

const EVERYWHERE = [status, settings, events, jobs, capture, bus];

const together = new WeakMap<Plugin, Plugin[]>();
/**
 * The rooms that every image has, those that this one needs `beside` it, and this one; the same list each time, so that its
 * validators are compiled once.
 */
export function roomsWith(plugin: Plugin, beside: readonly Plugin[] = []): Plugin[] {
  const rooms = together.get(plugin) ?? [...EVERYWHERE.filter(({ name }) => name !== plugin.name), ...beside, plugin];
  together.set(plugin, rooms);
  return rooms;
}

export interface RoomBench {
  readonly node: TestNode;
  readonly usb: VirtualUsb;
  /** Every event so far. */
  readonly events: readonly NodeEvent[];
  state(): EndpointState;
  rejections(): readonly Rejection[];
  /** Resolve once the node has dealt with it. */
  plug(device: VirtualDevice): Promise<void>;
  unplug(device: VirtualDevice): Promise<void>;
}

export interface RoomBenchOptions {
  readonly plugin: Plugin;
  /** Rooms that it requires and that not every image has; the endpoint may be one of theirs. */
  readonly beside?: readonly Plugin[];
  readonly endpoint: string;
  /** What the operator has said before a device is plugged in: the body of PUT /config. */
  readonly config?: object;
  /** The recipe files that the room brings along; without any, those of this tree are used. */
  readonly recipeFiles?: readonly RecipeFile[];
  readonly usbChannels?: number;
}

/** Runs `work` on a node of its own, which is stopped whatever happens. */
export async function onBench<T>(options: RoomBenchOptions, work: (bench: RoomBench) => Promise<T>): Promise<T> {
  const { plugin, beside, endpoint, config, recipeFiles, usbChannels = 16 } = options;
  const recipes = recipeFiles?.flatMap(({ text }) => expandMakerFile(JSON.parse(text)));
  const node = await startTestNode({
    plugins: roomsWith(plugin, beside),
    image: { usbChannels },
    ...(recipes && { recipes }),
  });
  const seen: NodeEvent[] = [];
  node.kernel.hooks.event.tap('conformance', (event) => void seen.push(event));
  const { hotplug, ledger } = node.kernel;
  const { usb } = node.bench;
  /** The bus tells the node on the next tick. */
  const settled = async () => {
    await Promise.resolve();
    await hotplug.settled();
  };
  try {
    if (config !== undefined) {
      const { status } = await fetch(`${node.url}/config`, { method: 'PUT', body: JSON.stringify(config) });
      if (status !== 200) throw new Error(`PUT /config: ${status}`);
    }
    const result = await work({
      node,
      usb,
      events: seen,
      state: () => {
        const state = hotplug.state(endpoint);
        if (state === undefined) throw new Error(`the room declares no endpoint ${endpoint}`);
        return state;
      },
      rejections: () => [...ledger.rejections],
      plug: (device) => {
        usb.plug(device);
        return settled();
      },
      unplug: (device) => {
        usb.unplug(device);
        return settled();
      },
    });
    const [fault] = node.kernel.rooms.faults;
    if (fault !== undefined) throw new Error(`${fault.room} threw in ${fault.where}: ${fault.error}`);
    return result;
  } finally {
    await node.stop();
  }
}

const LOOK_MS = 5;
/** Ten seconds on a machine that has time; one that has none gets as many looks, and takes longer. */
const LOOKS = 2000;
/** For what is to come of something that is over. */
export const FEW_LOOKS = 100;

/** Resolves once the condition holds. Rejects after `most` looks, 5 ms apart, saying what was waited for. */
export async function until(what: string, condition: () => boolean, most = LOOKS): Promise<void> {
  for (let looks = 1; !condition(); looks += 1) {
    if (looks >= most) throw new Error(`in vain for ${most} looks, ${LOOK_MS} ms apart: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
