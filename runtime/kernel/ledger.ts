/**
 * Which USB devices were met and what became of them. Ids, make and model are written down before anything can
 * refuse; every rejection keeps its reason. Both lists are rings, so a flapping device cannot grow them.
 */
import type { UsbIdentity } from '../bindings/bindings.ts';

/** Why a device was not bound. `second_<kind>`: the endpoint of its kind has a device already. */
export interface Rejection {
  readonly identity: UsbIdentity;
  /** What the device was classified as, `unknown` where it got no further. */
  readonly kind: string;
  readonly reason: string;
  readonly detail?: string;
  readonly at: number;
}

export interface LedgerEntry {
  readonly identity: UsbIdentity;
  readonly firstSeenAt: number;
  lastSeenAt: number;
  connected: boolean;
  kind: string | undefined;
  /** bound, refused, parked (waiting for a quiet bus) or unknown. */
  state: 'met' | 'parked' | 'unknown' | 'refused' | 'bound';
  reason: string | undefined;
  detail: string | undefined;
}

const DEVICES = 64;
const REJECTIONS = 16;

export class Ledger {
  /** By port path and ids: the same model on another port is another entry. */
  readonly #devices = new Map<string, LedgerEntry>();
  readonly #rejections: Rejection[] = [];

  met(identity: UsbIdentity, now: number): LedgerEntry {
    const key = keyOf(identity);
    const known = this.#devices.get(key);
    const entry: LedgerEntry = {
      identity,
      firstSeenAt: known?.firstSeenAt ?? now,
      lastSeenAt: now,
      connected: true,
      kind: undefined,
      state: 'met',
      reason: undefined,
      detail: undefined,
    };
    this.#devices.delete(key);
    this.#devices.set(key, entry);
    if (this.#devices.size > DEVICES) this.#forgetOne();
    return entry;
  }

  /** The oldest device that is no longer there, else the oldest. */
  #forgetOne(): void {
    let victim: string | undefined;
    for (const [key, { connected }] of this.#devices) {
      victim ??= key;
      if (!connected) {
        victim = key;
        break;
      }
    }
    if (victim !== undefined) this.#devices.delete(victim);
  }

  gone(identity: UsbIdentity, now: number): void {
    const entry = this.#devices.get(keyOf(identity));
    if (entry === undefined) return;
    entry.connected = false;
    entry.lastSeenAt = now;
  }

  reject(rejection: Rejection): void {
    this.#rejections.unshift(rejection);
    this.#rejections.length = Math.min(this.#rejections.length, REJECTIONS);
  }

  /** Newest first. */
  get rejections(): readonly Rejection[] {
    return this.#rejections;
  }

  entry(identity: UsbIdentity): LedgerEntry | undefined {
    return this.#devices.get(keyOf(identity));
  }

  get devices(): Iterable<LedgerEntry> {
    return this.#devices.values();
  }
}

const keyOf = ({ port, vendorId, productId }: UsbIdentity) => `${port} ${vendorId}:${productId}`;
