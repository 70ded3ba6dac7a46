/** Every virtual device of the device rooms, collected from their folders. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { VirtualDevice } from '../runtime/bindings/virtual/device.ts';
import type { Plugin } from '../runtime/kernel/plugin.ts';

export interface RoomDevice {
  /** Name of its room. */
  readonly room: string;
  /** What the room says its endpoint is. */
  readonly endpoint: string;
  /** Module of the device. */
  readonly module: string;
  create(): VirtualDevice;
}

async function devicesOf(room: string): Promise<RoomDevice[]> {
  const folder = join('plugins', room);
  const named = readdirSync(folder).filter((name) => /^virtual(-\w+)?\.ts$/.test(name));
  const files = [...named, 'virtual/device.ts'].map((name) => join(folder, name)).filter((path) => existsSync(path));
  const { default: plugin } = (await import(resolve(folder, 'index.ts'))) as { default: Plugin };
  const endpoint = plugin.endpoints?.[0]?.id ?? '';
  const modules = files.map(async (module) => {
    const { createVirtualDevice: create } = (await import(resolve(module))) as {
      createVirtualDevice?: RoomDevice['create'];
    };
    return create === undefined ? [] : [{ room, endpoint, module, create }];
  });
  return (await Promise.all(modules)).flat();
}

export const roomDevices = (await Promise.all(readdirSync('plugins').map(devicesOf))).flat();
/** Devices that work as soon as they are plugged in: a room without an endpoint of its own needs to be told first. */
export const readyDevices = roomDevices.filter(({ endpoint }) => endpoint !== '');

/** The one that is plugged into the twin of a room, by the name of the room. */
export const twinDevices: Readonly<Record<string, () => VirtualDevice>> = Object.fromEntries(
  roomDevices
    .filter(({ module }) => /\/virtual(\/device)?\.ts$/.test(module))
    .map(({ room, create }) => [room, create]),
);
