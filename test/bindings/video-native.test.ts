import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { UsbIdentity, VideoRequest } from '../../runtime/bindings/bindings.ts';
import { createVideoBinding } from '../../runtime/bindings/native/video.ts';

const CAMERA = { port: '1-1.2' } as UsbIdentity;
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
  it('are the capture nodes with a USB device behind them', async () => {
    expect(await machine().list()).toEqual([
      { path: '/dev/video0', vendorId: '046d', productId: '0825', port: '1-1.2' },
    ]);
  });

  it('are none on a machine without', async () => {
    expect(await createVideoBinding({ sysfs: '/nowhere' }).list()).toEqual([]);
  });

  it('are found by the port they are plugged into', async () => {
    const elsewhere = { ...REQUEST, device: { port: '1-3' } as UsbIdentity };
    await expect(machine(sending).open(elsewhere)).rejects.toMatchObject({ fault: 'no_device' });
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
