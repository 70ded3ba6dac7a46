import { describe, expect, it } from 'vitest';
import { VirtualCamera } from '../../../plugins/camera/virtual.ts';
import { usbIdentity } from '../../../runtime/bindings/usb-identity.ts';
import { createBench } from '../../../runtime/bindings/virtual/bindings.ts';
import { VirtualVideo } from '../../../runtime/bindings/virtual/video.ts';

function plugged() {
  const camera = new VirtualCamera();
  const bench = createBench({ camera: () => camera });
  const device = usbIdentity(camera.descriptors, camera.strings, '1-1');
  const request = { device, width: 160, height: 120, quality: null, rotate: 0 } as const;
  return { camera, usb: bench.usb, video: new VirtualVideo(bench.usb), request };
}

describe('a camera on the virtual bus', () => {
  it('is found while it is plugged in', async () => {
    const { camera, usb, video, request } = plugged();
    await (await video.open(request)).close();
    usb.unplug(camera);
    await expect(video.open(request)).rejects.toMatchObject({ fault: 'no_device' });
  });

  it('that sends nothing ends a wait at its deadline, or when it is closed', async () => {
    const { camera, video, request } = plugged();
    camera.condition = 'hung';
    const pictures = await video.open(request);
    await expect(pictures.next({ timeoutMs: 1 })).rejects.toMatchObject({ fault: 'timeout' });
    const waiting = expect(pictures.next({ timeoutMs: 20_000 })).rejects.toMatchObject({ fault: 'closed' });
    await pictures.close();
    await waiting;
  });

  it('moves its bar from picture to picture', async () => {
    const { video, request } = plugged();
    const pictures = await video.open(request);
    const first = await pictures.next({ timeoutMs: 20_000 });
    expect(await pictures.next({ timeoutMs: 20_000 })).not.toEqual(first);
    await pictures.close();
  });
});
