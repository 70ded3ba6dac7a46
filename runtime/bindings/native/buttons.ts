/**
 * The button on the box, over Linux evdev (Documentation/input/input.rst).
 *
 * A read of /dev/input waits until somebody presses: `fs.read` would keep one of libuv's four threads for good, and
 * the process could not even exit while it waits (no read in flight can be cancelled); `net.Socket` and `tty` take no
 * character device. So `cat` waits instead, and its pipe is read like any other.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ButtonListener, ButtonsBinding } from '../bindings.ts';
import { signalChild } from './child.ts';

const PROGRAM = 'cat';
/** The one that the specification calls B. */
const NAME = 'b';
/**
 * What boards call their button, the first one found is taken (include/uapi/linux/input-event-codes.h): BTN_0, a button
 * without a meaning; KEY_WPS_BUTTON and KEY_RESTART, as on routers, where a long hold is a reset, too. KEY_POWER is
 * left out: something else turns the machine off by it.
 */
const CODES = [0x100, 0x211, 0x198] as const;
/** KEY_Q to KEY_P, KEY_A to KEY_L, KEY_Z to KEY_M. */
const LETTERS = [16, 25, 30, 38, 44, 50] as const;
/** BUS_HOST: wired to the board itself. Nothing plugged into the machine can be its button. */
const BUS_HOST = 0x19;

const EV_SYN = 0;
const EV_KEY = 1;
const SYN_DROPPED = 3;
const RELEASED = 0;
const PRESSED = 1;

/** Kernel and process share the width of `long`, of which input_event and the key bitmaps are made; little endian. */
const LONG_BITS = ['arm', 'ia32', 'mips', 'mipsel', 'ppc'].includes(process.arch) ? 32 : 64;
/** struct input_event: two longs of time (CLOCK_REALTIME), then type, code and value. */
const TIME_BYTES = (LONG_BITS / 8) * 2;
export const EVENT_BYTES = TIME_BYTES + 8;

/** An event that reached us later than this after its stamp was not late: the clock was set in between. */
const LATEST_MS = 10_000;
/** A reader that ended by itself gets a successor after this, unless it did not even live so long. */
const AGAIN_MS = 5000;

export interface ButtonsOptions {
  readonly sysfs?: string;
  readonly devices?: string;
  readonly againMs?: number;
}

interface Button {
  readonly path: string;
  readonly code: number;
}

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
    // Opened here: the kernel keeps what happens from now on, however long the program takes to start.
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
    // `error` where the program is missing; `close` follows in every case.
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

/** From the bytes of an event device to presses and releases of one key. */
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

  /** A release may have been missed: how long the button was held is not known, and nothing is made of it. */
  lost(): void {
    if (this.#pressedAt !== undefined) this.#listener.release(NAME, this.#pressedAt);
    this.#pressedAt = undefined;
  }

  #event(event: Buffer): void {
    const type = event.readUInt16LE(TIME_BYTES);
    const code = event.readUInt16LE(TIME_BYTES + 2);
    const value = event.readInt32LE(TIME_BYTES + 4);
    if (type === EV_SYN && code === SYN_DROPPED) this.lost();
    // A held key repeats as value 2.
    if (type !== EV_KEY || code !== this.#code || (value !== PRESSED && value !== RELEASED)) return;
    const at = monotonic(stampOf(event));
    this.#pressedAt = value === PRESSED ? at : undefined;
    if (value === PRESSED) this.#listener.press(NAME, at);
    else this.#listener.release(NAME, at);
  }
}

/** In milliseconds since 1970. */
function stampOf(event: Buffer): number {
  if (LONG_BITS === 32) return event.readUInt32LE(0) * 1000 + event.readUInt32LE(4) / 1000;
  return Number(event.readBigInt64LE(0)) * 1000 + Number(event.readBigInt64LE(8)) / 1000;
}

/**
 * The stamp on the clock that nobody sets. Each is converted when it arrives, so neither a clock that is set during a
 * hold nor a process that is late to read changes how long the hold was.
 */
function monotonic(stamp: number): number {
  const lateMs = Date.now() - stamp;
  return performance.now() - (lateMs >= 0 && lateMs <= LATEST_MS ? lateMs : 0);
}

/** The button of the box, where this machine has one; by the order of the codes, then of the devices. */
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

/** Which keys a device on the board has; undefined for a keyboard, and for what is plugged in. */
async function keysOf(device: string): Promise<((code: number) => boolean) | undefined> {
  const attribute = (name: string) => readFile(join(device, name), 'utf8').catch(() => '');
  if (Number.parseInt(await attribute('id/bustype'), 16) !== BUS_HOST) return undefined;
  // Words of a `long` each in hexadecimal, the one with the highest codes first.
  const words = (await attribute('capabilities/key')).trim().split(' ').reverse();
  const has = (code: number): boolean => {
    const word = words[Math.floor(code / LONG_BITS)] ?? '';
    if (!/^[0-9a-f]+$/.test(word)) return false;
    return ((BigInt(`0x${word}`) >> BigInt(code % LONG_BITS)) & 1n) === 1n;
  };
  return LETTERS.some(has) ? undefined : has;
}
