/**
 * When things were, on a machine whose clock may be set meanwhile: by the time that it has run since it was switched on. Over a start of
 * the machine there is its clock alone, where that is right.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** A moment of this machine. */
export interface Moment {
  /** Milliseconds since 1970, by its clock. */
  readonly at: number;
  /** The start of the machine, and milliseconds since then; neither in what a release before this one wrote. */
  readonly run?: string | undefined;
  readonly up?: number | undefined;
}

/** What is asked of the machine. */
export interface Machine {
  /** Names this start of the machine. */
  readonly run: string;
  /** Milliseconds since that. */
  upMs(): number;
  /** Whether the clock was set, by whatever keeps time. */
  isClockSet(): boolean;
}

/** A clock that goes back by more was set; and one that differs by more from the battery's. */
const CLOCK_MS = 60_000;
/** A battery's clock that says less was never set. */
const LEAST_CLOCK = Date.UTC(2025, 0, 1);
/** Boot id of the Linux kernel (random(4)). */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
/** Made by systemd-timesyncd once it has set the clock. */
const SYNCHRONIZED = '/run/systemd/timesync/synchronized';
/** What the clock with a battery says, in seconds since 1970. */
const BATTERY_CLOCK = '/sys/class/rtc/rtc0/since_epoch';

/** The machine that this runs on. */
export function thisMachine(): Machine {
  return {
    // Where nobody says it, what an earlier process wrote is of another start.
    run: read(BOOT_ID) || randomUUID(),
    upMs: () => Math.floor(uptime() * 1000),
    isClockSet: () => process.platform !== 'linux' || existsSync(SYNCHRONIZED) || hasBattery(),
  };
}

/** How long ago a moment was, in milliseconds; undefined where nobody knows. */
export function ageMs({ at, run, up }: Moment, machine: Machine): number | undefined {
  if (run === machine.run && up !== undefined) return machine.upMs() - up;
  const age = Date.now() - at;
  return age < -CLOCK_MS || !machine.isClockSet() ? undefined : age;
}

/** This moment. */
export const now = ({ run, upMs }: Machine): Moment => ({ at: Date.now(), run, up: upMs() });

function hasBattery(): boolean {
  const battery = Number(read(BATTERY_CLOCK)) * 1000;
  return battery > LEAST_CLOCK && Math.abs(battery - Date.now()) < CLOCK_MS;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1').trim();
  } catch {
    return '';
  }
}
