/**
 * The push button of the box, read through Linux evdev (Documentation/input/input.rst).
 *
 * A read of /dev/input/eventN blocks until the button is pressed: `fs.read` would occupy one of libuv's four threads,
 * and the process could not exit while it waits (a pending read cannot be cancelled); `net.Socket` and `tty` do not
 * support such a character device. So a child process `cat` reads it, and the node reads the child's output.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ButtonListener, ButtonsBinding } from '../board.ts';
import { signalChild } from './child.ts';

const PROGRAM = 'cat';
/** The name of the button that the specification calls B. */
const NAME = 'b';
/**
 * Key codes that boards give their button, in order of preference (include/uapi/linux/input-event-codes.h): BTN_0, a
 * button without a fixed meaning; KEY_WPS_BUTTON and KEY_RESTART, as on routers, where a long press resets as well.
 * Not KEY_POWER: the operating system turns the machine off with it.
 */
const CODES = [0x100, 0x211, 0x198] as const;
/** First and last key of each row of letters: KEY_Q and KEY_P, KEY_A and KEY_L, KEY_Z and KEY_M. */
const LETTERS = [16, 25, 30, 38, 44, 50] as const;
/** BUS_HOST: wired to the board. A plugged-in device is never the button of the box. */
const BUS_HOST = 0x19;

const EV_SYN = 0;
const EV_KEY = 1;
const SYN_DROPPED = 3;
const RELEASED = 0;
const PRESSED = 1;

/** Width of the kernel's `long`, the unit of the time stamp in input_event and of the key bitmaps; little endian. */
const LONG_BITS = ['arm', 'ia32', 'mips', 'mipsel', 'ppc'].includes(process.arch) ? 32 : 64;
/** struct input_event: two longs of time (CLOCK_REALTIME), then type, code and value. */
const TIME_BYTES = (LONG_BITS / 8) * 2;
/** Size of struct input_event on this machine. */
export const EVENT_BYTES = TIME_BYTES + 8;

/** Largest plausible delay of an event. If it seems longer, the clock was set in between and the stamp is ignored. */
const LATEST_MS = 10_000;
/** After this the child is started again if it ended by itself, unless it ran for less than this time. */
const AGAIN_MS = 5000;

/** For tests; the defaults are those of Linux. */
export interface ButtonsOptions {
  /** Instead of /sys/class/input. */
  readonly sysfs?: string;
  /** Instead of /dev/input. */
  readonly devices?: string;
  /** Delay before the child process is started again. */
  readonly againMs?: number;
}

interface Button {
  readonly path: string;
  readonly code: number;
}

/** The buttons of this machine: at most one, `b`. If it has none, `start` succeeds and nothing is ever reported. */
export function createButtons(options: ButtonsOptions = {}): ButtonsBinding {
  return new EvdevButtons(options);
}

class EvdevButtons implements ButtonsBinding {
  readonly ofMachine = true;
  readonly #sysfs: string;
  readonly #devices: string;
  readonly #againMs: number;
  #listener: ButtonListener | undefined;
  #reader: ChildProcess | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor({ sysfs = '/sys/class/input', devices = '/dev/input', againMs = AGAIN_MS }: ButtonsOptions) {
    this.#sysfs = sysfs;
    this.#devices = devices;
    this.#againMs = againMs;
  }

  async start(listener: ButtonListener): Promise<void> {
    this.#listener = listener;
    await this.#open();
  }

  async stop(): Promise<void> {
    this.#listener = undefined;
    clearTimeout(this.#again);
    if (this.#reader) signalChild(this.#reader, 'SIGTERM');
    this.#reader = undefined;
  }

  async #open(): Promise<void> {
    const button = await findButton(this.#sysfs, this.#devices);
    // Opened here, so that the kernel queues the events that occur before the program has started.
    const file = button && (await open(button.path, 'r').catch(() => undefined));
    const listener = this.#listener;
    if (button !== undefined && file !== undefined && listener !== undefined) this.#read(file, button, listener);
    await file?.close();
  }

  #read(file: FileHandle, button: Button, listener: ButtonListener): void {
    const reader = spawn(PROGRAM, { stdio: [file.fd, 'pipe', 'ignore'] });
    const events = new ButtonEvents(button.code, listener);
    this.#reader = reader;
    const current = () => this.#reader === reader;
    const since = performance.now();
    reader.stdout?.on('data', (bytes: Buffer) => current() && events.push(bytes));
    // `error` is emitted if the program is missing; `close` follows in every case.
    reader.on('error', () => {});
    reader.on('close', () => {
      if (!current()) return;
      this.#reader = undefined;
      events.lost();
      if (performance.now() - since < this.#againMs) return;
      this.#again = setTimeout(() => void this.#open(), this.#againMs).unref();
    });
  }
}

/** Converts the bytes of an event device to presses and releases of one key. */
class ButtonEvents {
  readonly #code: number;
  readonly #listener: ButtonListener;
  #held: Buffer = Buffer.alloc(0);
  #pressedAt: number | undefined;

  constructor(code: number, listener: ButtonListener) {
    this.#code = code;
    this.#listener = listener;
  }

  push(bytes: Buffer): void {
    let rest = Buffer.concat([this.#held, bytes]);
    for (; rest.length >= EVENT_BYTES; rest = rest.subarray(EVENT_BYTES)) this.#event(rest);
    this.#held = rest;
  }

  /** Events may be missing, so the duration of a press is unknown: reports it as released after 0 ms. */
  lost(): void {
    if (this.#pressedAt !== undefined) this.#listener.release(NAME, this.#pressedAt);
    this.#pressedAt = undefined;
  }

  #event(event: Buffer): void {
    const type = event.readUInt16LE(TIME_BYTES);
    const code = event.readUInt16LE(TIME_BYTES + 2);
    const value = event.readInt32LE(TIME_BYTES + 4);
    if (type === EV_SYN && code === SYN_DROPPED) this.lost();
    // Value 2 is auto-repeat of a held key.
    if (type !== EV_KEY || code !== this.#code || (value !== PRESSED && value !== RELEASED)) return;
    const at = monotonic(stampOf(event));
    this.#pressedAt = value === PRESSED ? at : undefined;
    if (value === PRESSED) this.#listener.press(NAME, at);
    else this.#listener.release(NAME, at);
  }
}

/** The time stamp of an event, in milliseconds since 1970. */
function stampOf(event: Buffer): number {
  if (LONG_BITS === 32) return event.readUInt32LE(0) * 1000 + event.readUInt32LE(4) / 1000;
  return Number(event.readBigInt64LE(0)) * 1000 + Number(event.readBigInt64LE(8)) / 1000;
}

/**
 * Converts a time stamp to the monotonic clock (`performance.now`), when the event arrives. So neither setting the
 * clock during a press nor reading the event late changes the measured duration.
 */
function monotonic(stamp: number): number {
  const lateMs = Date.now() - stamp;
  return performance.now() - (lateMs >= 0 && lateMs <= LATEST_MS ? lateMs : 0);
}

/** Finds the button of the box, by the order of the codes, then of the devices; undefined if there is none. */
async function findButton(sysfs: string, devices: string): Promise<Button | undefined> {
  const names = (await readdir(sysfs).catch(() => [])).filter((name) => /^event\d+$/.test(name));
  const found = await Promise.all(
    names
      .sort((a, b) => numberOf(a) - numberOf(b))
      .map(async (name) => ({ name, keys: await keysOf(join(sysfs, name, 'device')) })),
  );
  for (const code of CODES) {
    const device = found.find(({ keys }) => keys?.(code));
    if (device !== undefined) return { path: join(devices, device.name), code };
  }
  return undefined;
}

const numberOf = (name: string) => Number(name.slice('event'.length));

/** Returns a test for the keys that a device has; undefined for a keyboard and for a plugged-in device. */
async function keysOf(device: string): Promise<((code: number) => boolean) | undefined> {
  const attribute = (name: string) => readFile(join(device, name), 'utf8').catch(() => '');
  if (Number.parseInt(await attribute('id/bustype'), 16) !== BUS_HOST) return undefined;
  // The bitmap, as hexadecimal words of a `long` each, the highest codes first.
  const words = (await attribute('capabilities/key')).trim().split(' ').reverse();
  const has = (code: number): boolean => {
    const word = words[Math.floor(code / LONG_BITS)] ?? '';
    if (!/^[0-9a-f]+$/.test(word)) return false;
    return ((BigInt(`0x${word}`) >> BigInt(code % LONG_BITS)) & 1n) === 1n;
  };
  return LETTERS.some(has) ? undefined : has;
}
