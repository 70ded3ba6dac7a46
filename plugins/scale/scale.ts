/** A scale that is bound: one IN transfer always waits for its next report, and the last one is what it weighs. */
import { readScaleReport, type ScaleLayout, type ScaleOptions, type ScaleReading } from '../../codecs/hid-scale.ts';
import type { UsbDevice, UsbPipe } from '../../runtime/bindings/bindings.ts';
import { type PipeReading, readPipe } from '../../runtime/bindings/usb-transfers.ts';
import type { Bound } from '../../runtime/kernel/device.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';
import { Rhythm, SILENT_MS } from './rhythm.ts';

/** A report that cannot be understood takes the place of the weight before it, which may no longer be true. */
const UNREADABLE: ScaleReading = { weight: null, unit: null, stable: false, fault: 'fault' };

export interface ScaleParts {
  readonly device: UsbDevice;
  readonly pipe: UsbPipe;
  /** Bytes of the longest report. */
  readonly reportBytes: number;
  readonly layout: ScaleLayout;
  readonly options: ScaleOptions;
  readonly recipe: Resolution;
  /** Called with every reading that differs from the one before. */
  readonly onReading: (reading: ScaleReading) => void;
}

export class Scale implements Bound {
  readonly recipe: Resolution;
  readonly #parts: ScaleParts;
  readonly #rhythm = new Rhythm();
  readonly #reading: PipeReading;
  /** The first report may be left over from the weighing before the scale was plugged in. */
  #first = true;
  #last: ScaleReading | undefined;
  #heardAt: number | undefined;
  readonly #boundAt = performance.now();

  constructor(parts: ScaleParts) {
    this.recipe = parts.recipe;
    this.#parts = parts;
    this.#reading = readPipe(parts.device, parts.pipe, parts.reportBytes, (report) => this.#take(report));
  }

  /** What it weighs now; undefined where nothing is known, or no longer. */
  get reading(): ScaleReading | undefined {
    return this.asleep ? undefined : this.#last;
  }

  /** Since the last report, in milliseconds; undefined before the first. */
  get ageMs(): number | undefined {
    return this.#heardAt === undefined ? undefined : Math.round(performance.now() - this.#heardAt);
  }

  get asleep(): boolean {
    const quiet = this.#quietMs;
    const { autoOffSeconds } = this.#parts.options;
    if (this.#last === undefined) return quiet >= SILENT_MS;
    if (autoOffSeconds !== undefined && quiet >= Math.max(SILENT_MS, autoOffSeconds * 1000)) return true;
    return quiet >= (this.#rhythm.asleepAfterMs ?? Number.POSITIVE_INFINITY);
  }

  silentSince(): number | undefined {
    return this.asleep || this.#quietMs >= SILENT_MS ? (this.#heardAt ?? this.#boundAt) : undefined;
  }

  async release(): Promise<void> {
    await this.#reading.stop();
    await this.#parts.device.close();
  }

  get #quietMs(): number {
    return performance.now() - (this.#heardAt ?? this.#boundAt);
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
    const before = this.#last;
    this.#last = parsed.ok && parsed.value !== null ? parsed.value : UNREADABLE;
    if (before === undefined || !same(before, this.#last)) onReading(this.#last);
  }
}

const same = (a: ScaleReading, b: ScaleReading) => a.weight === b.weight && a.unit === b.unit && a.stable === b.stable;
