/**
 * Devices that wait for another attempt: the bus must be quiet first. A device that nobody recognized by its descriptors
 * waits for its first attempt, one that was refused for a temporary reason waits longer after each failure.
 */
import type { UsbDevice } from '../bindings/usb.ts';

/** Quiet time (ms) before an attempt: the first for the first attempt, then one for each failed attempt. */
export type Pauses = readonly [number, ...number[]];

export const PAUSES_MS: Pauses = [2000, 4000, 8000, 16_000, 32_000];
/**
 * If the bus is never quiet (a bad cable reconnects for ever), a failed device is tried again after this many pauses.
 */
const NOISY_PAUSES = 2;

/** What the parked devices need from hot-plug. */
interface ParkedParts {
  readonly pausesMs: Pauses;
  /** Queues work after everything that was reported before. */
  readonly queue: (work: () => Promise<void>) => void;
  /** Tries a device that is no longer parked. */
  readonly attempt: (device: UsbDevice) => Promise<void>;
}

/** The parked devices and the timer that waits for a quiet bus. */
export class Parked {
  readonly #parts: ParkedParts;
  readonly #devices = new Set<UsbDevice>();
  /** How often a device was refused for a temporary reason, and when last (monotonic ms). */
  readonly #failures = new WeakMap<UsbDevice, { readonly count: number; readonly at: number }>();
  #quiet: NodeJS.Timeout | undefined;

  constructor(parts: ParkedParts) {
    this.#parts = parts;
  }

  /** Parks a device until the bus is quiet. */
  add(device: UsbDevice): void {
    this.#devices.add(device);
  }

  /**
   * Parks a device that failed for a temporary reason, unless it failed once after every pause. Reconnecting it starts
   * the count again.
   */
  failed(device: UsbDevice): void {
    const count = (this.#failures.get(device)?.count ?? 0) + 1;
    this.#failures.set(device, { count, at: performance.now() });
    if (count <= this.#parts.pausesMs.length) this.#devices.add(device);
  }

  /** Whether another failure of this device leaves it an attempt. */
  hasAttempts(device: UsbDevice): boolean {
    const { count = 0 } = this.#failures.get(device) ?? {};
    return count < this.#parts.pausesMs.length;
  }

  /** Forgets a device that was disconnected. */
  delete(device: UsbDevice): void {
    this.#devices.delete(device);
  }

  /** Forgets every device; nothing is tried any more. */
  stop(): void {
    clearTimeout(this.#quiet);
    this.#devices.clear();
  }

  /** Starts to wait until the bus was quiet for `pauseMs`: to be called at every connect and disconnect, and after the scan. */
  awaitQuiet(pauseMs = this.#parts.pausesMs[0]): void {
    clearTimeout(this.#quiet);
    const left = Math.max(0, Math.min(...[...this.#devices].map((device) => this.#leftOf(device))));
    this.#quiet = setTimeout(
      () => {
        this.#quiet = undefined;
        // Queued, not called: a connected device may still wait in the queue and be parked by then.
        this.#parts.queue(() => this.#tryDue(left < pauseMs ? 0 : pauseMs));
      },
      Math.min(pauseMs, Math.ceil(left)),
    );
    this.#quiet.unref();
  }

  /** Tries the devices whose pause is over, then waits for the shortest pause of the others. */
  async #tryDue(pauseMs: number): Promise<void> {
    for (const device of [...this.#devices]) {
      if (this.#pauseOf(device) > pauseMs && this.#leftOf(device) > 0) continue;
      this.#devices.delete(device);
      await this.#parts.attempt(device);
    }
    const somethingHappened = this.#quiet !== undefined;
    if (somethingHappened || this.#devices.size === 0) return;
    this.awaitQuiet(Math.min(...[...this.#devices].map((device) => this.#pauseOf(device))));
  }

  #pauseOf(device: UsbDevice): number {
    const { count = 0 } = this.#failures.get(device) ?? {};
    return this.#parts.pausesMs[Math.max(0, count - 1)] ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Time (ms) until a failed device is tried again even if the bus is not quiet; infinite for one that never failed.
   */
  #leftOf(device: UsbDevice): number {
    const { at = Number.POSITIVE_INFINITY } = this.#failures.get(device) ?? {};
    return at + NOISY_PAUSES * this.#pauseOf(device) - performance.now();
  }
}
