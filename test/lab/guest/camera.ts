/** Cameras of the kernel: vivid's pictures through the native video binding, and a USB camera on the camera image. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Picture, readPicture } from '../../../codecs/mjpeg.ts';
import { createVideoBinding } from '../../../runtime/bindings/native/video.ts';
import type { UsbIdentity } from '../../../runtime/bindings/usb.ts';
import type { VideoPictures, VideoRequest } from '../../../runtime/bindings/video.ts';
import { GadgetCamera } from './gadget-camera.ts';
import { endpointIs, get, startImage } from './image.ts';
import { load } from './kernel.ts';
import type { It } from './suite.ts';

export const WEBCAM = {
  port: 0,
  vendorId: '046d',
  productId: '0825',
  make: 'Logitech',
  model: 'Webcam C270',
  serial: 'C270',
};
/** What vivid is given for a USB device behind it: one that lists raw pictures alone (VS_FORMAT_UNCOMPRESSED). */
const UNCOMPRESSED = Uint8Array.of(0x1b, 0x24, 0x04, ...new Uint8Array(24));
const STREAMING = { number: 1, alternate: 0, class: 0x0e, subclass: 0x02, protocol: 0, pipes: [], extra: UNCOMPRESSED };
const VIVID: UsbIdentity = {
  ...{ vendorId: '1d6b', productId: '0102', make: 'vivid', model: 'vivid', port: '9-1', class: 0xef },
  ...{ interfaces: [STREAMING], selfPowered: false },
};
const REQUEST: VideoRequest = { device: VIVID, width: 640, height: 480, quality: null, rotate: 0 };
/** An emulated machine takes its time to start a program. */
const PATIENT = { timeoutMs: 40_000 };
const SYSFS = '/sys/class/video4linux';
const BEHIND = '/run/lab-video';

/** A test camera, and a class directory that shows it at a USB port: it has no USB device behind it. */
function loadVivid(): string {
  load('vivid', 'n_devs=1', 'node_types=0x1', 'num_inputs=1', 'input_types=0');
  const isVivid = (name: string) => readFileSync(join(SYSFS, name, 'name'), 'utf8').startsWith('vivid');
  const name = readdirSync(SYSFS).find(isVivid) ?? 'video0';
  mkdirSync(join(BEHIND, 'class', name), { recursive: true });
  mkdirSync(join(BEHIND, `${VIVID.port}:1.0`));
  writeFileSync(join(BEHIND, 'class', name, 'index'), '0\n');
  symlinkSync(join(BEHIND, `${VIVID.port}:1.0`), join(BEHIND, 'class', name, 'device'));
  return name;
}

const video = () => createVideoBinding({ sysfs: join(BEHIND, 'class'), settlePictures: 0 });
const pictureOf = async (pictures: VideoPictures): Promise<Picture> => {
  const picture = readPicture(await pictures.next(PATIENT));
  assert.ok(picture.ok, picture.ok ? '' : picture.reason);
  return picture.value;
};
const failureOf = async (pictures: VideoPictures): Promise<string> => {
  for (;;) {
    const failure = await pictures.next(PATIENT).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (failure !== undefined) return failure;
  }
};
const programs = () => execFileSync('pgrep', ['-x', 'ffmpeg'], { encoding: 'utf8' }).trim().split('\n').map(Number);

export function cameraSuite(runner: It): void {
  let pictures: VideoPictures;
  let broken = false;
  /** One step of a story: starting the program anew for each would take most of the time. */
  const it: It = (promise, check) =>
    runner(promise, async () => {
      assert.ok(!broken, 'a step before this one failed');
      broken = true;
      await check();
      broken = false;
    });

  it('a raw camera gives JPEG pictures of the size asked for, each another', async () => {
    loadVivid();
    pictures = await video().open(REQUEST);
    const [first, second] = [await pictureOf(pictures), await pictureOf(pictures)];
    assert.deepEqual([first.width, first.height, second.width, second.height], [640, 480, 640, 480]);
    assert.notDeepEqual(first.jpeg, second.jpeg);
  });

  it('a camera that is read already is busy', async () => {
    const second = await video().open(REQUEST);
    assert.match(await failureOf(second), /^ended: .*busy/);
    await second.close();
    assert.equal((await pictureOf(pictures)).width, 640);
  });

  it('a program that is killed is noticed', async () => {
    for (const pid of programs()) process.kill(pid, 'SIGKILL');
    assert.match(await failureOf(pictures), /^ended: ffmpeg ended with SIGKILL/);
    await pictures.close();
  });

  it('a camera that is free again gives pictures turned, and of another size', async () => {
    pictures = await video().open({ ...REQUEST, width: 320, height: 180, rotate: 90 });
    const turned = await pictureOf(pictures);
    assert.deepEqual([turned.width, turned.height], [180, 320]);
  });

  it('a camera that goes away is noticed', async () => {
    writeFileSync('/sys/bus/platform/drivers/vivid/unbind', 'vivid.0');
    assert.match(await failureOf(pictures), /^ended: /);
    await pictures.close();
  });

  it('a USB camera is bound by its recipe row; one that no capture device comes of gives no picture, and says so', async () => {
    const webcam = await GadgetCamera.create(WEBCAM);
    await webcam.plug();
    const image = await startImage('camera');
    const { peripherals } = await endpointIs('camera', 'bound');
    const { recipe } = peripherals.find(({ endpoint }) => endpoint === 'camera') ?? {};
    assert.deepEqual([recipe?.id, recipe?.tier, recipe?.codec], ['logitech-0825', 'builtin', 'mjpeg']);
    const refused = await get<Record<string, unknown>>('/camera/frame');
    assert.deepEqual([refused['ok'], refused['error']], [false, 'capture_failed'], JSON.stringify(refused));
    assert.match(String(refused['detail']), /no capture device at USB port/);
    await endpointIs('camera', 'silent');
    await webcam.unplug();
    await endpointIs('camera', 'gone');
    assert.equal((await get<Record<string, unknown>>('/camera/frame'))['error'], 'no_camera');
    assert.equal(await image.stop(), 0);
  });
}
