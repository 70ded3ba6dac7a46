/**
 * Which endpoint a device goes to where several are of one kind: the one it had. It is known by its serial number, and
 * where that does not tell it from another device, by the port it is plugged into. Stored, so that a restart in which
 * devices appear in another order mixes up nothing.
 */
import type { UsbIdentity } from '../bindings/bindings.ts';
import type { Logger } from './log.ts';
import type { Settings } from './settings.ts';

/** Of the settings: by endpoint, the device that it had last. */
const SECTION = 'endpoints';

/** What tells a device from the others: its serial number, or the port that it is plugged into. */
export type KnownBy = 'serial' | 'port';

type Device = Pick<UsbIdentity, 'vendorId' | 'productId' | 'serial' | 'port'>;
type Stored = Readonly<Record<string, Device>>;

export interface Place {
  readonly id: string;
  readonly taken: boolean;
}

export class Places {
  readonly #settings: Settings;
  readonly #log: Logger;

  constructor(settings: Settings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
  }

  /** What `device` is known by among those that are `present`. */
  knownBy(device: Device, present: Iterable<Device>): KnownBy {
    if (!device.serial) return 'port';
    return [...present].some((other) => other !== device && isTwin(other, device)) ? 'port' : 'serial';
  }

  /**
   * The id of the endpoint that this device goes to; undefined where there is none for it now. A device that had an
   * endpoint goes to no other. One that had none takes an endpoint that never had a device, else one whose device is not
   * there: it replaces that.
   */
  choose(device: Device, places: readonly Place[], present: readonly Device[]): string | undefined {
    if (places.length < 2) return places.find(({ taken }) => !taken)?.id;
    const stored = this.#stored;
    const isOf = (other: Device, { id }: Place) => {
      const had = stored[id];
      return had !== undefined && isSame(had, other, this.knownBy(other, present));
    };
    const own = places.find((place) => isOf(device, place));
    if (own !== undefined) return own.taken ? undefined : own.id;
    const free = places.filter((place) => !place.taken && !present.some((other) => isOf(other, place)));
    return (free.find(({ id }) => stored[id] === undefined) ?? free[0])?.id;
  }

  /** From now on this endpoint is the device's, and no other is. Never rejects. */
  async keep(endpoint: string, { vendorId, productId, serial = '', port }: Device): Promise<void> {
    const device = { vendorId, productId, serial, port };
    if (JSON.stringify(this.#stored[endpoint]) === JSON.stringify(device)) return;
    try {
      await this.#settings.update((draft) => {
        draft[SECTION] = { ...(draft[SECTION] as Stored | undefined), [endpoint]: device };
      });
    } catch (error) {
      this.#log.warn({ endpoint, error: String(error) }, 'which device is at the endpoint cannot be stored');
    }
  }

  get #stored(): Stored {
    return (this.#settings.read(SECTION) ?? {}) as Stored;
  }
}

const isTwin = (a: Device, b: Device): boolean =>
  a.vendorId === b.vendorId && a.productId === b.productId && (a.serial ?? '') === (b.serial ?? '');

const isSame = (had: Device, device: Device, by: KnownBy): boolean =>
  isTwin(had, device) && (by === 'serial' || had.port === device.port);
