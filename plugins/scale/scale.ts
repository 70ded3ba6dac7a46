/** A scale that is bound: one IN transfer always waits for its next report, and the last one is what it weighs. */
import { setTimeout as delay } from 'node:timers/promises';
import { readScaleReport, type ScaleLayout, type ScaleOptions, type ScaleReading } from '../../codecs/hid-scale.ts';
import { type UsbDevice, UsbError, type UsbPipe } from '../../runtime/bindings/bindings.ts';
import type { Bound } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';
import { Rhythm, SILENT_MS } from './rhythm.ts';

/** A read that nothing answers is renewed this often. */
const READ_MS = 60_000;
/** Between two tries on a pipe that stalls. */
const STALL_PAUSE_MS = 1000;
/** A report that cannot be understood takes the place of the weight before it, which may no longer be true. */
const UNREADABLE: ScaleReading = { weight: null, unit: null, stable: false, fault: 'fault' };

export interface ScaleParts {
  readonly device: UsbDevice;
  readonly pipe: UsbPipe;
  /** Length of one read: whole packets. */
  readonly readBytes: number;
  readonly layout: ScaleLayout;
  readonly options: ScaleOptions;
  readonly recipe: Resolution;
  /** Called with every reading that differs from the one before. */
  readonly onReading: (reading: ScaleReading) => void;
}

export class Scale implements Bound {
  readonly recipe: Resolution;
  readonly #parts: ScaleParts;
  readonly #stop = new AbortController();
  readonly #rhythm = new Rhythm();
  readonly #running: Promise<void>;
  /** The first report may be left over from the weighing before the scale was plugged in. */
  #first = true;
  #reading: ScaleReading | undefined;
  #heardAt: number | undefined;
  readonly #boundAt = performance.now();

  constructor(parts: ScaleParts) {
    this.recipe = parts.recipe;
    this.#parts = parts;
    this.#running = this.#read();
  }

  /** What it weighs now; undefined where nothing is known, or no longer. */
  get reading(): ScaleReading | undefined {
    return this.asleep ? undefined : this.#reading;
  }

  /** Since the last report, in milliseconds; undefined before the first. */
  get ageMs(): number | undefined {
    return this.#heardAt === undefined ? undefined : Math.round(performance.now() - this.#heardAt);
  }

  get asleep(): boolean {
    const quiet = this.#quietMs;
    const { autoOffSeconds } = this.#parts.options;
    if (this.#reading === undefined) return quiet >= SILENT_MS;
    if (autoOffSeconds !== undefined && quiet >= Math.max(SILENT_MS, autoOffSeconds * 1000)) return true;
    return quiet >= (this.#rhythm.asleepAfterMs ?? Number.POSITIVE_INFINITY);
  }

  silentSince(): number | undefined {
    return this.asleep || this.#quietMs >= SILENT_MS ? (this.#heardAt ?? this.#boundAt) : undefined;
  }

  async release(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#parts.device.close();
  }

  get #quietMs(): number {
    return performance.now() - (this.#heardAt ?? this.#boundAt);
  }

  async #read(): Promise<void> {
    const { device, pipe, readBytes } = this.#parts;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        this.#take(await device.transferIn(pipe, readBytes, { timeoutMs: READ_MS, signal }));
      } catch (error) {
        const fault = error instanceof UsbError ? error.fault : 'io';
        if (fault === 'disconnected' || fault === 'cancelled') return;
        if (fault !== 'timeout') await delay(STALL_PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  #take(report: Uint8Array): void {
    const { layout, options, onReading } = this.#parts;
    const parsed = readScaleReport(layout, report, options);
    if (parsed.ok && parsed.value === null) return;
    if (this.#first) {
      this.#first = false;
      return;
    }
    const now = performance.now();
    this.#heardAt = now;
    this.#rhythm.heard(report, now);
    const before = this.#reading;
    this.#reading = parsed.ok && parsed.value !== null ? parsed.value : UNREADABLE;
    if (before === undefined || !same(before, this.#reading)) onReading(this.#reading);
  }
}

const same = (a: ScaleReading, b: ScaleReading) => a.weight === b.weight && a.unit === b.unit && a.stable === b.stable;
