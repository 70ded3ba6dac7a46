/** A node with a virtual camera. */
import { onTestFinished } from 'vitest';
import camera from '../../../plugins/camera/index.ts';
import { VirtualCamera, type VirtualCameraOptions } from '../../../plugins/camera/virtual.ts';
import { createBench } from '../../../runtime/bindings/virtual/bindings.ts';
import { VirtualHost } from '../../../runtime/bindings/virtual/host.ts';
import { VirtualStorage } from '../../../runtime/bindings/virtual/storage.ts';
import { VirtualVideo } from '../../../runtime/bindings/virtual/video.ts';
import { compose } from '../../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../../runtime/kernel/core-errors.ts';
import type { NodeEvent } from '../../../runtime/kernel/hooks.ts';
import { silentLogger } from '../../../runtime/kernel/log.ts';
import { compileValidators } from '../../../runtime/kernel/schemas.ts';
import { startNode } from '../../../runtime/node.ts';
import { wifiPlugins } from '../../plugins.ts';

export async function startCameraNode(options: VirtualCameraOptions = {}, storage = new VirtualStorage()) {
  const plugins = [...wifiPlugins, camera];
  const device = new VirtualCamera(options);
  const bench = createBench({ camera: () => device });
  const { kernel, url, stop } = await startNode({
    image: { variant: 'camera', version: '0.0.0-test', usbChannels: 8 },
    run: { host: '127.0.0.1', port: 0, rawPort: 0, appliance: false },
    plugins,
    recipes: [],
    validators: compileValidators(compose(plugins, CORE_ERRORS)),
    bindings: { usb: bench.usb, storage, host: new VirtualHost(), video: new VirtualVideo(bench), bench },
    log: silentLogger,
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
