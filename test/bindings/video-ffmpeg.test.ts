/** What the binding asks of ffmpeg, asked of ffmpeg itself: only the camera is another, a test pattern of ffmpeg's own. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readPicture } from '../../codecs/mjpeg.ts';
import { createVideoBinding } from '../../runtime/bindings/native/video.ts';
import type { UsbIdentity } from '../../runtime/bindings/usb.ts';
import type { VideoRequest } from '../../runtime/bindings/video.ts';
import { needTools } from '../tools.ts';

const missing = needTools(['ffmpeg']);
const PORT = '1-1';
const STREAMING = { number: 1, alternate: 0, class: 0x0e, subclass: 0x02, protocol: 0, pipes: [] };
const camera = (format: number): UsbIdentity => ({
  ...{ vendorId: '046d', productId: '0825', make: '', model: '', port: PORT, class: 0xef, selfPowered: false },
  interfaces: [{ ...STREAMING, extra: Uint8Array.of(5, 0x24, format, 1, 1) }],
});
const MJPEG = camera(0x06);
const RAW = camera(0x04);

describe.skipIf(missing !== undefined)(missing ? `ffmpeg ${missing}` : 'ffmpeg', () => {
  let root = '';
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'tillnode-ffmpeg-'));
    const ffmpeg = execFileSync('sh', ['-c', 'command -v ffmpeg'], { encoding: 'utf8' }).trim();
    const pattern = ['-f', 'lavfi', '-i', 'testsrc=size=640x480:rate=30'];
    const file = join(root, 'camera.mjpeg');
    execFileSync(ffmpeg, ['-loglevel', 'error', ...pattern, '-frames:v', '60', '-f', 'mjpeg', file]);
    mkdirSync(join(root, 'bin'));
    const stands = { mjpeg: ['-stream_loop', '-1', '-f', 'mjpeg', '-i', file], raw: pattern };
    writeFileSync(
      join(root, 'bin/ffmpeg'),
      `#!${process.execPath}
      const { spawn } = require('node:child_process');
      const words = process.argv.slice(2);
      const input = words.slice(words.indexOf('v4l2') - 1, words.indexOf('-i') + 2);
      const stand = input.includes('mjpeg') ? ${JSON.stringify(stands.mjpeg)} : ${JSON.stringify(stands.raw)};
      words.splice(words.indexOf('v4l2') - 1, input.length, ...stand);
      const child = spawn(${JSON.stringify(ffmpeg)}, words, { stdio: 'inherit' });
      process.on('SIGTERM', () => child.kill());
      child.on('exit', (code) => process.exit(code ?? 1));`,
    );
    chmodSync(join(root, 'bin/ffmpeg'), 0o755);
    mkdirSync(join(root, `${PORT}:1.0`));
    mkdirSync(join(root, 'class/video0'), { recursive: true });
    writeFileSync(join(root, 'class/video0/index'), '0\n');
    symlinkSync(join(root, `${PORT}:1.0`), join(root, 'class/video0/device'));
    vi.stubEnv('PATH', join(root, 'bin'));
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });

  const taken = async (change: Partial<VideoRequest>, count = 1) => {
    const video = createVideoBinding({ sysfs: join(root, 'class'), settlePictures: 0 });
    const asked = { device: MJPEG, width: 640, height: 480, quality: null, rotate: 0, ...change } as const;
    const pictures = await video.open(asked);
    const found = [];
    for (let n = 0; n < count; n += 1) {
      const picture = readPicture(await pictures.next({ timeoutMs: 20_000 }));
      if (!picture.ok) throw new Error(picture.reason);
      found.push(picture.value);
    }
    await pictures.close();
    return found;
  };

  it.each([
    ['passes the pictures of a camera on as they are', { device: MJPEG }, [640, 480]],
    ['turns them', { device: MJPEG, rotate: 90 }, [480, 640]],
    ['turns them over', { device: MJPEG, rotate: 180 }, [640, 480]],
    ['makes pictures of what comes raw', { device: RAW }, [640, 480]],
    ['turns that too', { device: RAW, rotate: 270 }, [480, 640]],
  ] as const)('%s', async (_, change, size) => {
    const [first, second] = await taken(change, 2);
    expect([first?.width, first?.height]).toEqual(size);
    expect(first?.jpeg).not.toEqual(second?.jpeg);
  });

  it('compresses as it is told', async () => {
    const bytes = async (quality: number) => (await taken({ quality }))[0]?.jpeg.length ?? 0;
    expect(await bytes(100)).toBeGreaterThan(2 * (await bytes(1)));
  });
});
