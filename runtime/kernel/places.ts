/**
 * Chooses the endpoint of a device where several endpoints have its kind: the one that the device had before. A device
 * is recognized by its serial number, or by its USB port if the serial number is missing or not unique. The choice is
 * stored, so that it does not depend on the order in which devices appear after a restart. For the same reason a new
 * device gets the endpoint of a stored one only when that one can no longer be among those that appear at a start.
 */
import type { UsbIdentity } from '../bindings/usb.ts';
import type { Logger } from './log.ts';
import type { Settings } from './settings.ts';

/** How a device is recognized: by its serial number, or by the port path it is connected to. */
export type KnownBy = 'serial' | 'port';

/** What is stored of a device. */
export type Device = Pick<UsbIdentity, 'vendorId' | 'productId' | 'serial' | 'port'>;
type Stored = Readonly<Record<string, Device>>;

declare module './registry.ts' {
  interface StoredSettings {
    /** The last device of each endpoint, by endpoint id. */
    endpoints: Stored;
  }
}

/** An endpoint to choose from; `taken` while a device is bound to it. */
export interface EndpointPlace {
  readonly id: string;
  readonly taken: boolean;
}

/**
 * The endpoint for a device, and the stored device that loses it. `later`: every free endpoint belongs to a device that
 * may still appear; to be asked again after `scanned`. Undefined: there is none.
 */
export type Choice = { readonly id: string; readonly replaces?: Device } | 'later' | undefined;

/** Which device belongs to which endpoint. */
export class Places {
  readonly #settings: Settings;
  readonly #log: Logger;
  /** Endpoints whose stored device was bound since the start. */
  readonly #met = new Set<string>();
  #isScanned = false;

  constructor(settings: Settings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
  }

  /**
   * How `device` is recognized among the connected devices `present`. A serial number is not unique either when two
   * endpoints have a device with it, of which only one may be connected now.
   */
  knownBy(device: Device, present: Iterable<Device>): KnownBy {
    if (!device.serial) return 'port';
    if ([...present].some((other) => other !== device && isTwin(other, device))) return 'port';
    return Object.values(this.#stored).filter((had) => isTwin(had, device)).length > 1 ? 'port' : 'serial';
  }

  /** The devices that were connected at the start have all been reported. */
  scanned(): void {
    this.#isScanned = true;
  }

  /**
   * The endpoint for this device. A device that had an endpoint gets no other. A new device gets an endpoint that never
   * had one, else an endpoint whose device is not connected, which it replaces: it was bound and is gone, or it did not
   * appear at the start.
   */
  choose(device: Device, places: readonly EndpointPlace[], present: readonly Device[]): Choice {
    if (places.length < 2) return places.find(({ taken }) => !taken);
    const stored = this.#stored;
    const isOf = (other: Device, { id }: EndpointPlace) => {
      const had = stored[id];
      return had !== undefined && isSame(had, other, this.knownBy(other, present));
    };
    const own = places.find((place) => isOf(device, place));
    if (own !== undefined) return own.taken ? undefined : { id: own.id };
    const free = places.filter((place) => !place.taken && !present.some((other) => isOf(other, place)));
    const vacant = free.find(({ id }) => stored[id] === undefined);
    if (vacant !== undefined) return { id: vacant.id };
    const [lost] = free.filter(({ id }) => this.#isScanned || this.#met.has(id));
    const replaces = lost && stored[lost.id];
    if (lost === undefined || replaces === undefined) return free.length > 0 ? 'later' : undefined;
    return { id: lost.id, replaces };
  }

  /**
   * Stores that this endpoint belongs to this device, and no other endpoint. Never rejects: a failure to store is
   * logged.
   */
  async keep(endpoint: string, { vendorId, productId, serial = '', port }: Device): Promise<void> {
    const device = { vendorId, productId, serial, port };
    this.#met.add(endpoint);
    if (JSON.stringify(this.#stored[endpoint]) === JSON.stringify(device)) return;
    try {
      await this.#settings.update((draft) => {
        const others = Object.entries(draft.endpoints ?? {}).filter(([, had]) => !isSame(had, device, 'port'));
        draft.endpoints = { ...Object.fromEntries(others), [endpoint]: device };
      });
    } catch (error) {
      this.#log.warn({ endpoint, error: String(error) }, 'which device is at the endpoint cannot be stored');
    }
  }

  get #stored(): Stored {
    return this.#settings.read('endpoints') ?? {};
  }
}

const isTwin = (a: Device, b: Device): boolean =>
  a.vendorId === b.vendorId && a.productId === b.productId && (a.serial ?? '') === (b.serial ?? '');

const isSame = (had: Device, device: Device, by: KnownBy): boolean =>
  isTwin(had, device) && (by === 'serial' || had.port === device.port);
