/** A node with a virtual camera. */
import { onTestFinished } from 'vitest';
import { VirtualCamera, type VirtualCameraOptions } from '../../../plugins/camera/virtual.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import type { NodeEvent } from '../../../runtime/kernel/registry.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { cameraPlugins } from '../../plugins.ts';

export async function startCameraNode(options: VirtualCameraOptions = {}, storage = new VirtualStorage()) {
  const device = new VirtualCamera(options);
  const { kernel, url, stop, bench } = await startTestNode({
    image: { variant: 'camera', usbChannels: 8 },
    plugins: cameraPlugins,
    devices: { camera: () => device },
    recipes: [],
    storage,
  });
  onTestFinished(stop);
  const events: NodeEvent[] = [];
  kernel.hooks.event.tap('test', (event) => void (event.type === 'camera_frame_captured' && events.push(event)));
  const settled = async () => {
    await Promise.resolve();
    await kernel.hotplug.settled();
  };
  await settled();
  const json = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  /** A request whose answer may stay open; given up when the test ends. */
  const open = async (path: string) => {
    const giveUp = new AbortController();
    onTestFinished(() => giveUp.abort());
    return { response: await fetch(`${url}${path}`, { signal: giveUp.signal }), hangUp: () => giveUp.abort() };
  };
  return {
    ...{ kernel, url, usb: bench.usb, camera: device, storage, events, open, settled },
    get: (path: string) => json(path),
    head: (path: string) => fetch(`${url}${path}`, { method: 'HEAD' }),
    frame: () => fetch(`${url}/camera/frame`),
    configure: (change: object) => json('/camera/config', { method: 'PUT', body: JSON.stringify(change) }),
    unplug: async () => {
      bench.usb.unplug(device);
      await settled();
    },
  };
}
