import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MAX_PICTURE_BYTES } from '../../codecs/mjpeg.ts';
import { createVideoBinding } from '../../runtime/bindings/native/video.ts';
import type { UsbIdentity } from '../../runtime/bindings/usb.ts';
import type { VideoRequest } from '../../runtime/bindings/video.ts';

const CAMERA: UsbIdentity = {
  ...{ vendorId: '046d', productId: '0825', make: '', model: '', port: '1-1.2', class: 0xef },
  ...{ interfaces: [], selfPowered: false },
};
/** One that lists raw pictures alone. */
const RAW: UsbIdentity = {
  ...CAMERA,
  interfaces: [
    {
      ...{ number: 1, alternate: 0, class: 0x0e, subclass: 0x02, protocol: 0, pipes: [] },
      extra: Uint8Array.of(5, 0x24, 0x04, 1, 1),
    },
  ],
};
const REQUEST: VideoRequest = { device: CAMERA, width: 640, height: 480, quality: null, rotate: 0 };
const JPEG = 'ffd8ffda000212ffd9';
const NEVER = { timeoutMs: 20_000 };

/** A machine with one camera (two nodes of it) and a capture device that is none of USB; `program` is a Node script. */
function machine(program?: string) {
  const root = mkdtempSync(join(tmpdir(), 'tillnode-video-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const device = join(root, 'devices/1-1.2');
  mkdirSync(join(device, '1-1.2:1.0'), { recursive: true });
  mkdirSync(join(root, 'devices/platform'));
  writeFileSync(join(device, 'idVendor'), '046d\n');
  writeFileSync(join(device, 'idProduct'), '0825\n');
  const nodes = [
    ['video0', '0', '1-1.2/1-1.2:1.0'],
    ['video1', '1', '1-1.2/1-1.2:1.0'],
    ['video2', '0', 'platform'],
  ] as const;
  for (const [name, index, behind] of nodes) {
    mkdirSync(join(root, 'class', name), { recursive: true });
    writeFileSync(join(root, 'class', name, 'index'), `${index}\n`);
    symlinkSync(join(root, 'devices', behind), join(root, 'class', name, 'device'));
  }
  mkdirSync(join(root, 'bin'));
  const path = join(root, 'bin/ffmpeg');
  if (program !== undefined) writeFileSync(path, `#!${process.execPath}\n${program}`);
  if (program !== undefined) chmodSync(path, 0o755);
  vi.stubEnv('PATH', join(root, 'bin'));
  onTestFinished(() => void vi.unstubAllEnvs());
  return createVideoBinding({ sysfs: join(root, 'class'), settlePictures: 0 });
}

async function opened(program?: string, request = REQUEST) {
  const pictures = await machine(program).open(request);
  onTestFinished(() => pictures.close());
  return pictures;
}

/** A picture in two pieces again and again; the words it was called with stand in its comment. */
const sending = `
  const words = Buffer.from(process.argv.slice(2).join(' '));
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, words.length + 2]), words]);
  const jpeg = Buffer.concat([Buffer.from('ffd8', 'hex'), comment, Buffer.from('ffda000212ffd9', 'hex')]);
  setInterval(() => { process.stdout.write(jpeg.subarray(0, 9)); process.stdout.write(jpeg.subarray(9)); }, 5);`;

describe('cameras of Video4Linux', () => {
  it('are found by the port they are plugged into, the first node of each, and no other devices', async () => {
    const video = machine(sending);
    const at = (port: string) => video.open({ ...REQUEST, device: { ...CAMERA, port } });
    for (const port of ['1-3', '1-1', '1-1.20']) await expect(at(port)).rejects.toMatchObject({ fault: 'no_device' });
    const pictures = await at('1-1.2');
    expect(Buffer.from(await pictures.next(NEVER)).toString()).toContain('-i /dev/video0 ');
    await pictures.close();
  });

  it('are none on a machine without', async () => {
    const video = createVideoBinding({ sysfs: '/nowhere' });
    await expect(video.open(REQUEST)).rejects.toMatchObject({ fault: 'no_device' });
  });
});

describe('the program that reads a camera', () => {
  it('is asked for the device, the size and the pictures as they are', async () => {
    const pictures = await opened(sending);
    const words = Buffer.from(await pictures.next(NEVER)).toString();
    expect(words).toContain('-video_size 640x480 -i /dev/video0 -c:v copy');
  });

  it('turns and compresses where that is asked for', async () => {
    const pictures = await opened(sending, { ...REQUEST, quality: 100, rotate: 90 });
    expect(Buffer.from(await pictures.next(NEVER)).toString()).toContain('-vf transpose=clock -c:v mjpeg -q:v 2');
  });

  it('compresses what a camera without Motion JPEG sends', async () => {
    const pictures = await opened(sending, { ...REQUEST, device: RAW });
    const words = Buffer.from(await pictures.next(NEVER)).toString();
    expect(words).toContain('-f v4l2 -video_size 640x480 -i /dev/video0 -vf null -c:v mjpeg');
  });

  it('gives everybody who waits the same picture', async () => {
    const pictures = await opened(sending);
    const [one, other] = await Promise.all([pictures.next(NEVER), pictures.next(NEVER)]);
    expect(one).toBe(other);
  });

  it('may be missing, which is said', async () => {
    const pictures = await opened();
    await expect(pictures.next(NEVER)).rejects.toMatchObject({ fault: 'no_program' });
    await expect(pictures.next(NEVER)).rejects.toMatchObject({ fault: 'no_program' });
  });

  it('may die in the middle of a picture, which is noticed, with what it complained of', async () => {
    const pictures = await opened(`
      process.stdout.write(Buffer.from('${JPEG.slice(0, 8)}', 'hex'));
      process.stderr.write('no such format'); process.exitCode = 1;`);
    await expect(pictures.next(NEVER)).rejects.toMatchObject({ fault: 'ended', message: 'ended: no such format' });
  });

  it('may stop in the middle of a picture: a wait ends at its deadline', async () => {
    const pictures = await opened(`
      process.stdout.write(Buffer.from('${JPEG.slice(0, 8)}', 'hex')); setInterval(() => {}, 1000);`);
    await expect(pictures.next({ timeoutMs: 300 })).rejects.toMatchObject({ fault: 'timeout' });
  });

  it('may send a picture of over 4 MiB: it is given up, and the next one is taken', async () => {
    const pictures = await opened(`
      process.stdout.write(Buffer.from('ffd8ffda0002', 'hex'));
      process.stdout.write(Buffer.alloc(${MAX_PICTURE_BYTES}));
      process.stdout.write(Buffer.from('ffd9', 'hex'));
      setInterval(() => process.stdout.write(Buffer.from('${JPEG}', 'hex')), 5);`);
    expect(Buffer.from(await pictures.next(NEVER)).toString('hex')).toBe(JPEG);
  });

  it('may hang: a wait ends at its deadline, and closing ends it whether it wants to or not', async () => {
    const pictures = await opened(`
      process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
      process.stdout.write(Buffer.from('${JPEG}', 'hex'));`);
    await pictures.next(NEVER);
    await expect(pictures.next({ timeoutMs: 1 })).rejects.toMatchObject({ fault: 'timeout' });
    const waiting = expect(pictures.next(NEVER)).rejects.toMatchObject({ fault: 'closed' });
    await pictures.close();
    await waiting;
    await pictures.close();
  });
});
