/** A node with scales on its bus. */
import { vi } from 'vitest';
import type { ScaleStatus } from '../../../plugins/scale/contract.ts';
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { type DeviceNodeOptions, startDeviceNode } from '../../device-node.ts';

export async function startScaleNode(options?: DeviceNodeOptions) {
  const node = await startDeviceNode(options);
  return { ...node, scale: async () => (await node.get<ScaleStatus>('/scale')).body };
}

/** How many reports the node has taken from a device since. */
export function countReports(device: VirtualDevice): () => number {
  const collect = vi.spyOn(device, 'collect');
  return () => collect.mock.results.filter(({ value }) => value instanceof Uint8Array).length;
}
