/** A bound camera and its stream, without a node around them. */
import type { IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Camera } from '../../../plugins/camera/camera.ts';
import { PictureStream } from '../../../plugins/camera/stream.ts';
import { VirtualCamera } from '../../../plugins/camera/virtual.ts';
import { usbIdentity } from '../../../runtime/bindings/usb-identity.ts';
import { createBench } from '../../../runtime/bindings/virtual/bindings.ts';
import { VirtualVideo } from '../../../runtime/bindings/virtual/video.ts';
import type { Resolution } from '../../../runtime/recipes/table.ts';
import { until } from '../../node.ts';

const SETTINGS = { width: 160, height: 120, quality: null, rotate: 0 } as const;

function bound(times: { readonly pictureMs?: number; readonly idleMs?: number }) {
  const device = new VirtualCamera();
  const video = new VirtualVideo(createBench({ camera: () => device }).usb);
  const closed = vi.fn();
  const open = vi.spyOn(video, 'open');
  open.mockImplementation(async (request) => {
    const pictures = await VirtualVideo.prototype.open.call(video, request);
    const close = () => {
      closed();
      return pictures.close();
    };
    return { next: (options) => pictures.next(options), close };
  });
  const identity = usbIdentity(device.descriptors, device.strings, '1-1');
  const camera = new Camera({ identity, recipe: {} as Resolution, video, settings: () => SETTINGS, ...times });
  onTestFinished(() => camera.release());
  return { device, camera, open, closed };
}

describe('a camera', () => {
  it('that stops sending ends a wait at its deadline, is silent, and is started anew for the next picture', async () => {
    const { device, camera, open, closed } = bound({ pictureMs: 60, idleMs: 60_000 });
    await camera.capture();
    device.condition = 'hung';
    await expect(camera.capture()).rejects.toMatchObject({ fault: 'timeout' });
    expect([closed.mock.calls.length, typeof camera.silentSince()]).toEqual([1, 'number']);
    device.condition = 'working';
    expect(await camera.capture()).toMatchObject({ width: 160, height: 120 });
    expect([open.mock.calls.length, camera.silentSince()]).toEqual([2, undefined]);
  });

  it('that sends something else than it was asked for keeps its settings', async () => {
    const { device, camera } = bound({});
    const store = vi.fn();
    const small = device.picture({ ...SETTINGS, device: usbIdentity(device.descriptors, device.strings, '1-1') });
    vi.spyOn(device, 'picture').mockReturnValue(small);
    await expect(camera.tryOut({ width: 320, height: 240 }, store)).rejects.toMatchObject({
      fault: 'ended',
      message: expect.stringContaining('160x120 where 320x240'),
    });
    expect(store).not.toHaveBeenCalled();
  });

  it('runs on for the next picture, and is let go once nobody has wanted one for a while', async () => {
    const { camera, open, closed } = bound({ idleMs: 150 });
    await camera.capture();
    await camera.capture();
    expect([open.mock.calls.length, closed.mock.calls.length]).toEqual([1, 0]);
    await until(() => closed.mock.calls.length === 1);
  });
});

describe('a viewer that does not read', () => {
  it('has one picture waiting for it, however many were taken', async () => {
    const request = { socket: { writableLength: 0, bytesWritten: 0 } } as unknown as IncomingMessage;
    const release = vi.fn();
    let taken = 0;
    const capture = async () => {
      await new Promise(setImmediate);
      taken += 1;
      if (taken > 50) throw new Error('enough');
      return { jpeg: Uint8Array.of(0xff, 0xd8, taken, 0xff, 0xd9), width: 8, height: 8 };
    };
    const stream = PictureStream.begin(request, { release }, capture);
    await until(() => taken > 50);
    const waiting = Buffer.concat(await stream.toArray()).toString('latin1');
    expect(waiting.split('--picture')).toHaveLength(2);
    expect(waiting).toContain('\xff\xd8\x01\xff\xd9');
    expect(release).toHaveBeenCalled();
  });
});
