/** A bound scale. One IN transfer always waits for the next report; the last report is the reading. */
import { readScaleReport, type ScaleLayout, type ScaleOptions, type ScaleReading } from '../../codecs/hid-scale.ts';
import type { UsbDevice, UsbPipe } from '../../runtime/bindings/usb.ts';
import { type PipeReading, readPipe } from '../../runtime/bindings/usb-transfers.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import type { BoundScale } from './contract.ts';
import { Rhythm, SILENT_MS } from './sleep-detection.ts';

/** The reading after a report that cannot be decoded: the weight before it may be wrong now. */
const UNREADABLE: ScaleReading = { weight: null, unit: null, stable: false, fault: 'fault' };

export interface ScaleParts {
  readonly device: UsbDevice;
  readonly pipe: UsbPipe;
  /** Bytes of the longest report. */
  readonly reportBytes: number;
  readonly layout: ScaleLayout;
  readonly options: ScaleOptions;
  readonly recipe: Resolution;
  /** Called with each reading that differs from the one before. */
  readonly onReading: (reading: ScaleReading) => void;
}

/** One bound scale; the kernel keeps it for its endpoint. */
export class Scale implements BoundScale {
  readonly recipe: Resolution;
  readonly #parts: ScaleParts;
  readonly #rhythm = new Rhythm();
  readonly #reading: PipeReading;
  /** The first report is ignored: it may come from a weighing before the scale was plugged in. */
  #first = true;
  #last: ScaleReading | undefined;
  #heardAt: number | undefined;
  readonly #boundAt = performance.now();

  constructor(parts: ScaleParts) {
    this.recipe = parts.recipe;
    this.#parts = parts;
    this.#reading = readPipe(parts.device, parts.pipe, parts.reportBytes, (report) => this.#take(report));
  }

  /** The last reading; undefined before the first and while the scale is asleep. */
  get reading(): ScaleReading | undefined {
    return this.asleep ? undefined : this.#last;
  }

  /** Milliseconds since the last report; undefined before the first. */
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
