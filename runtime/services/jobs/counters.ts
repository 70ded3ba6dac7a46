/**
 * Counters of each device, since the start and in total. They are kept in memory and written to the disk once a day and
 * when the node is stopped, to spare the memory card.
 */
import type { UsbIdentity } from '../../bindings/usb.ts';
import type { EndpointState } from '../../kernel/device.ts';
import type { Node } from '../../kernel/node.ts';
import { type Counted, type Counts, type JobsStatus, StoredCounters } from './contract.ts';

const NAME = 'counters';
/** Devices that are remembered; the one that was plugged in longest ago is forgotten first. */
const DEVICES = 16;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Run time before the first write: a shop that cuts the power every evening still keeps most of its day. */
const LEAST_RUN_MS = 6 * 60 * 60 * 1000;

/** What is counted, by the kind of the device. */
const BY_KIND: Readonly<Record<string, readonly Counted[]>> = {
  printer: ['receipts', 'cuts', 'kicks'],
  scanner: ['scans'],
};

interface Device {
  readonly total: Counts;
  readonly sinceStart: Counts;
}

/** The counters of up to 16 devices. */
export class Counters {
  readonly sinceStart = { receipts: 0, cuts: 0, kicks: 0, scans: 0, failed: 0 };
  /** In the order in which they were plugged in. */
  readonly #devices = new Map<string, Device>();
  readonly #atEndpoint = new Map<string, Device>();
  #savedAt = 0;
  #changed = false;

  count(endpoint: string, what: Counted, n = 1): void {
    if (n === 0) return;
    this.#changed = true;
    this.sinceStart[what] += n;
    const device = this.#atEndpoint.get(endpoint);
    if (device === undefined) return;
    for (const counts of [device.total, device.sinceStart]) counts[what] = (counts[what] ?? 0) + n;
  }

  /** Call it when an endpoint gets a device. Each device, by its ids and serial number, has its own counters. */
  attach({ declaration: { id, kind }, identity }: EndpointState): void {
    if (identity === undefined || BY_KIND[kind] === undefined) return;
    const key = keyOf(id, identity);
    const device = this.#devices.get(key) ?? { total: {}, sinceStart: {} };
    this.#devices.delete(key);
    this.#devices.set(key, device);
    this.#atEndpoint.set(id, device);
    const [oldest] = this.#devices.keys();
    if (this.#devices.size > DEVICES && oldest !== undefined) this.#devices.delete(oldest);
  }

  status(endpoints: readonly EndpointState[]): JobsStatus['counters'] {
    return endpoints.flatMap(({ declaration: { id, kind } }) => {
      const device = this.#atEndpoint.get(id);
      const counted = BY_KIND[kind];
      if (device === undefined || counted === undefined) return [];
      const zeros = Object.fromEntries(counted.map((what) => [what, 0]));
      return {
        endpoint: id,
        sinceStart: { ...zeros, ...device.sinceStart },
        total: { ...zeros, ...device.total },
      };
    });
  }

  /** Reads what an earlier run stored. Never rejects: without it counting begins anew. */
  async load({ bindings, contract, log }: Pick<Node, 'bindings' | 'contract' | 'log'>): Promise<void> {
    try {
      const bytes = await bindings.storage.read(NAME);
      const stored: unknown = bytes && JSON.parse(Buffer.from(bytes).toString());
      if (stored === undefined || contract.fault(StoredCounters, stored) !== undefined) return;
      const { savedAt, devices } = stored as StoredCounters;
      this.#savedAt = savedAt;
      for (const { device, counts } of devices) this.#devices.set(device, { total: { ...counts }, sinceStart: {} });
    } catch (error) {
      log.warn({ error: String(error) }, 'the counters cannot be read');
    }
  }

  /** True where a day has passed since they were stored, by the clock, and the node has run for some hours. */
  isDue(ranMs: number, now = Date.now()): boolean {
    // A clock that was set back does not keep them from the disk.
    return this.#changed && ranMs >= LEAST_RUN_MS && Math.abs(now - this.#savedAt) >= DAY_MS;
  }

  /** Stores them if they have changed. Never rejects: what cannot be stored is tried again. */
  async store({ bindings, log }: Pick<Node, 'bindings' | 'log'>): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    const savedAt = Date.now();
    const devices = [...this.#devices].map(([device, { total }]) => ({ device, counts: total }));
    const stored: StoredCounters = { savedAt, devices };
    try {
      await bindings.storage.write(NAME, Buffer.from(JSON.stringify(stored)));
      this.#savedAt = savedAt;
    } catch (error) {
      this.#changed = true;
      log.warn({ error: String(error) }, 'the counters cannot be stored');
    }
  }
}

/** The serial number of a device may be of any length. */
const keyOf = (endpoint: string, { vendorId, productId, serial = '' }: UsbIdentity): string =>
  `${endpoint}:${vendorId}:${productId}:${serial.slice(0, 200)}`;
