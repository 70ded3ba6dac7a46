/**
 * The status LED of the board, through sysfs (Linux, Documentation/leds/leds-class.rst). Blinking is done here and not by a
 * trigger of the kernel: the files of a trigger appear with it, and only root could then write to them.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlinkPhase, LedBinding } from '../board.ts';

/**
 * What boards call the LED that says how they are, in order of preference: the function in a name DEVICE:COLOUR:FUNCTION
 * (Linux, include/dt-bindings/leds/common.h), or the whole name, as on a Raspberry Pi. Never the LED of a key, of a
 * network card or of the power supply.
 */
const STATUS = ['status', 'indicator', 'heartbeat', 'activity', 'ACT', 'led0'] as const;

interface Led {
  readonly brightness: string;
  readonly trigger: string;
  readonly brightest: string;
  /** What the operating system showed with it. */
  readonly before: string;
}

/** The LED of this machine. `sysfs` is for tests. If there is none, or it cannot be written, calls do nothing. */
export function createLed(sysfs = '/sys/class/leds'): LedBinding {
  return new SysfsLed(sysfs);
}

class SysfsLed implements LedBinding {
  readonly ofMachine = true;
  readonly #sysfs: string;
  #led: Promise<Led | undefined> | undefined;
  #next: NodeJS.Timeout | undefined;
  /** Increases with every call, so that a write of an earlier one is its last. */
  #call = 0;

  constructor(sysfs: string) {
    this.#sysfs = sysfs;
  }

  async show(phases: readonly BlinkPhase[]): Promise<void> {
    const call = this.#newCall();
    this.#led ??= findLed(this.#sysfs).then(take);
    const led = await this.#led;
    if (led !== undefined) await this.#phase(led, phases, 0, call);
  }

  async release(): Promise<void> {
    this.#newCall();
    const led = await this.#led;
    this.#led = undefined;
    if (led !== undefined) await write(led.trigger, led.before);
  }

  #newCall(): number {
    clearTimeout(this.#next);
    this.#call += 1;
    return this.#call;
  }

  async #phase(led: Led, phases: readonly BlinkPhase[], at: number, call: number): Promise<void> {
    const phase = phases[at];
    if (phase === undefined || call !== this.#call) return;
    const written = await write(led.brightness, phase.lit ? led.brightest : '0');
    if (!written || phases.length === 1 || call !== this.#call) return;
    this.#next = setTimeout(() => void this.#phase(led, phases, (at + 1) % phases.length, call), phase.ms).unref();
  }
}

/** The first LED by the order of `STATUS`, then by name; undefined if there is none. */
async function findLed(sysfs: string): Promise<Led | undefined> {
  const names = (await readdir(sysfs).catch(() => [])).sort();
  for (const wanted of STATUS) {
    const name = names.find((each) => functionOf(each) === wanted);
    if (name === undefined) continue;
    const path = (file: string) => join(sysfs, name, file);
    const [max, triggers] = await Promise.all(
      ['max_brightness', 'trigger'].map((file) => readFile(path(file), 'utf8').catch(() => '')),
    );
    // The trigger that is in use is in brackets: `none mmc0 [heartbeat]`.
    const [, before = 'none'] = /\[([^\]]+)\]/.exec(triggers ?? '') ?? [];
    return { brightness: path('brightness'), trigger: path('trigger'), brightest: String(Number(max) || 1), before };
  }
  return undefined;
}

/** `green:status-1` has the function `status`; a name without colons is its own. */
const functionOf = (name: string) => (name.includes(':') ? name.replace(/^.*:/, '').replace(/-\d+$/, '') : name);

/** Takes the LED from what the operating system shows with it; undefined if that is not allowed. */
const take = async (led: Led | undefined): Promise<Led | undefined> =>
  led !== undefined && (await write(led.trigger, 'none')) ? led : undefined;

const write = (path: string, text: string): Promise<boolean> =>
  writeFile(path, text).then(
    () => true,
    () => false,
  );
