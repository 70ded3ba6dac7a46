/**
 * Cameras of Video4Linux, read by the child process ffmpeg, as Node has no ioctl. (v4l2-ctl can only pass on what a
 * camera sends; ffmpeg can also rotate pictures and compress raw ones.)
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PictureSplitter } from '../../../codecs/mjpeg.ts';
import { streamFormats } from '../../../codecs/uvc.ts';
import type { UsbIdentity } from '../usb.ts';
import { type VideoBinding, VideoError, type VideoPictures, type VideoRequest } from '../video.ts';
import { signalChild } from './child.ts';

const PROGRAM = 'ffmpeg';
/** Number of pictures dropped after the start, while the camera adjusts its exposure. */
const SETTLE_PICTURES = 4;
/** Time after SIGTERM until ffmpeg gets SIGKILL. */
const END_MS = 1000;
const COMPLAINT_CHARACTERS = 300;

/** For tests. */
export interface VideoOptions {
  /** Instead of /sys/class/video4linux. */
  readonly sysfs?: string;
  /** Number of pictures dropped after the start. */
  readonly settlePictures?: number;
}

/** The cameras of this machine. `open` rejects with `no_device` if Linux has no capture device at the USB port. */
export function createVideoBinding({
  sysfs = '/sys/class/video4linux',
  settlePictures = SETTLE_PICTURES,
}: VideoOptions = {}): VideoBinding {
  return {
    async open(request) {
      const { port } = request.device;
      const path = await captureDevice(sysfs, port);
      if (path === undefined) throw new VideoError('no_device', `no capture device at USB port ${port}`);
      return new ProgramPictures(programArguments(path, request), settlePictures);
    },
  };
}

/** Path of the capture device at a USB port; undefined if there is none. Nodes with an index above 0 carry metadata. */
async function captureDevice(sysfs: string, port: string): Promise<string | undefined> {
  const names = (await readdir(sysfs).catch(() => [])).filter((name) => /^video\d+$/.test(name)).sort();
  for (const name of names) {
    const index = await readFile(join(sysfs, name, 'index'), 'utf8').catch(() => '');
    const usbInterface = await realpath(join(sysfs, name, 'device')).catch(() => '');
    if (index.trim() === '0' && basename(usbInterface).startsWith(`${port}:`)) return `/dev/${name}`;
  }
  return undefined;
}

const TURNS = { 0: 'null', 90: 'transpose=clock', 180: 'hflip,vflip', 270: 'transpose=cclock' } as const;

function programArguments(path: string, { device, width, height, quality, rotate }: VideoRequest): string[] {
  const compressed = sendsPictures(device);
  const format = compressed ? ['-input_format', 'mjpeg'] : [];
  const input = ['-f', 'v4l2', ...format, '-video_size', `${width}x${height}`, '-i', path];
  const plain = compressed && quality === null && rotate === 0;
  const output = plain ? ['-c:v', 'copy'] : ['-vf', TURNS[rotate], '-c:v', 'mjpeg', '-q:v', String(scaleOf(quality))];
  return ['-hide_banner', '-loglevel', 'error', '-nostdin', ...input, ...output, '-f', 'mjpeg', 'pipe:1'];
}

/** Whether to read JPEG pictures: raw ones need ten times the bus bandwidth, so only if the camera has nothing else. */
function sendsPictures({ interfaces }: UsbIdentity): boolean {
  const formats = streamFormats(Buffer.concat(interfaces.filter(isStreaming).map(({ extra }) => extra)));
  return formats.has('mjpeg') || !formats.has('uncompressed');
}

/** A video streaming interface (USB Video Class 1.5, A.1 and A.2). */
const isStreaming = (each: { readonly class: number; readonly subclass: number }) =>
  each.class === 0x0e && each.subclass === 0x02;

/** Quality from 1 to 100 as ffmpeg's -q:v, which is 31 (worst) to 2 (best). */
const scaleOf = (quality: number | null) => Math.round(31 - (((quality ?? 90) - 1) * 29) / 99);

interface Waiting {
  readonly resolve: (picture: Uint8Array) => void;
  readonly reject: (error: VideoError) => void;
}

/** Pictures that a program writes to its standard output. */
class ProgramPictures implements VideoPictures {
  readonly #child: ChildProcess;
  readonly #gone: Promise<unknown>;
  readonly #waiting = new Set<Waiting>();
  #over: VideoError | undefined;
  #complaint = '';

  constructor(args: readonly string[], settlePictures: number) {
    const child: ChildProcess = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const splitter = new PictureSplitter();
    let unsettled = settlePictures;
    // There are no pipes if the process has no file descriptor left.
    child.stdout?.on('data', (chunk: Buffer) => {
      for (const picture of splitter.push(chunk)) {
        unsettled -= 1;
        if (unsettled < 0) this.#settle(({ resolve }) => resolve(picture));
      }
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#complaint = `${this.#complaint}${chunk.toString()}`.slice(-COMPLAINT_CHARACTERS);
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      this.#end(
        error.code === 'ENOENT'
          ? new VideoError('no_program', `${PROGRAM} is not installed`)
          : new VideoError('ended', error.message),
      );
    });
    child.once('close', (code, signal) => {
      this.#end(new VideoError('ended', this.#complaint.trim() || `${PROGRAM} ended with ${signal ?? code}`));
    });
    this.#child = child;
    this.#gone = once(child, 'exit').catch(() => {});
  }

  next({ timeoutMs }: { readonly timeoutMs: number }): Promise<Uint8Array> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(deadline);
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        resolve: (picture) => {
          done();
          resolve(picture);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      const deadline = setTimeout(() => waiting.reject(new VideoError('timeout', this.#complaint.trim())), timeoutMs);
      this.#waiting.add(waiting);
    });
  }

  async close(): Promise<void> {
    this.#end(new VideoError('closed'));
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    signalChild(this.#child, 'SIGTERM');
    const kill = setTimeout(() => signalChild(this.#child, 'SIGKILL'), END_MS);
    // A process that is blocked in a driver ignores even SIGKILL: not waited for longer than this.
    await Promise.race([this.#gone, delay(2 * END_MS, undefined, { ref: false })]);
    clearTimeout(kill);
  }

  #end(why: VideoError): void {
    this.#over ??= why;
    const over = this.#over;
    this.#settle(({ reject }) => reject(over));
  }

  #settle(each: (waiting: Waiting) => void): void {
    for (const waiting of [...this.#waiting]) each(waiting);
  }
}
