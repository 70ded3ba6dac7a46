/**
 * The USB devices seen since the start, and what became of each. A device is entered before anything can refuse it, and
 * every rejection keeps its reason. Both lists are bounded: a device that connects again and again cannot grow them.
 */
import type { UsbIdentity } from '../bindings/usb.ts';

/** Why a device was not bound. Reason `second_<kind>`: the endpoint of its kind is taken. */
export interface Rejection {
  readonly identity: UsbIdentity;
  /** The kind of the device; `unknown` if it was not classified. */
  readonly kind: string;
  readonly reason: string;
  readonly detail?: string;
  readonly at: number;
}

/** A device on its port. Times are monotonic ms. */
export interface LedgerEntry {
  readonly identity: UsbIdentity;
  readonly firstSeenAt: number;
  lastSeenAt: number;
  connected: boolean;
  kind: string | undefined;
  /** `met`: connected, nothing decided yet; `parked`: waits for a quiet bus; `unknown`: no plugin knows what it is. */
  state: 'met' | 'parked' | 'unknown' | 'refused' | 'bound';
  reason: string | undefined;
  detail: string | undefined;
}

const DEVICES = 64;
const REJECTIONS = 16;

/** At most 64 devices and the 16 latest rejections. */
export class Ledger {
  /** By port path and ids: the same model on another port is another entry. */
  readonly #devices = new Map<string, LedgerEntry>();
  readonly #rejections: Rejection[] = [];

  /** Enters a device that was connected. */
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

  /** Removes the oldest entry of a disconnected device, or the oldest of all if every device is connected. */
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

  /** Marks a device as disconnected. */
  gone(identity: UsbIdentity, now: number): void {
    const entry = this.#devices.get(keyOf(identity));
    if (entry === undefined) return;
    entry.connected = false;
    entry.lastSeenAt = now;
  }

  /** Adds a rejection; the oldest that stands no more is dropped, or the oldest of all. */
  reject(rejection: Rejection): void {
    this.#rejections.unshift(rejection);
    if (this.#rejections.length <= REJECTIONS) return;
    const over = this.#rejections.findLastIndex((each) => !this.stands(each));
    this.#rejections.splice(over, 1);
  }

  /** Whether the device is still plugged in, and still refused for this reason. */
  stands({ identity, reason }: Rejection): boolean {
    const entry = this.entry(identity);
    return entry?.identity === identity && entry.connected && entry.reason === reason;
  }

  /** Newest first. */
  get rejections(): readonly Rejection[] {
    return this.#rejections;
  }

  /** The entry of a device; changes to it are kept. */
  entry(identity: UsbIdentity): LedgerEntry | undefined {
    return this.#devices.get(keyOf(identity));
  }

  /** Oldest first. */
  get devices(): Iterable<LedgerEntry> {
    return this.#devices.values();
  }
}

const keyOf = ({ port, vendorId, productId }: UsbIdentity) => `${port} ${vendorId}:${productId}`;
