/**
 * One service from its first probe to its goodbye, in the steps of mdns-js: three probes 250 ms apart, an announcement
 * and a second one a second later, another name after a conflict, a withdrawal. The machine is given no socket and no
 * packet: it says when, and what is sent then is put together elsewhere.
 */
import Advertisement from 'mdns-js/lib/advertisement.js';
import mdnsTypes from 'mdns-js/lib/service_type.js';
import { type Conflict, DEFER_MS } from './conflict.ts';
import { clip, type Offer } from './identity.ts';

const LABEL_BYTES = 63;
/** The machine's states of that name, and one that it does not know, in which it comes to rest. */
const FIRST_PROBE = 0;
const ANNOUNCED = 3;
const RENAME = 4;
const AT_REST = 5;
/** The machine looks at its state every 250 ms: past this it has come to rest. */
const SETTLED_MS = 300;

export interface Steps {
  probe(of: ServiceAdvertisement): void;
  /** The name is this node's. `again`: the repetition a second later. */
  announce(of: ServiceAdvertisement, again: boolean): void;
  withdraw(of: ServiceAdvertisement): void;
}

export class ServiceAdvertisement {
  offer: Offer;
  readonly #name: string;
  readonly #machine: Advertisement;
  readonly #steps: Steps;
  #delayMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #state: 'probing' | 'pausing' | 'announced' | 'stopped' = 'pausing';
  /** Others have heard of it under this name; while it is probed anew, too. */
  #isKnown = false;

  /** `conflicts`: how many names before this one were somebody's. */
  constructor(offer: Offer, name: string, conflicts: number, steps: Steps) {
    this.offer = offer;
    this.#name = name;
    this.#steps = steps;
    this.#machine = new Advertisement(
      {
        on: () => {},
        addUsage: (_user, ready) => {
          this.#timer = setTimeout(ready, this.#delayMs);
        },
        send: (packet, done) => {
          if (this.#state !== 'stopped') this.#step(packet.header.qr === 0, packet.answer[0]?.ttl === 0);
          done?.();
        },
        stop: () => {},
      },
      new mdnsTypes.ServiceType(offer.type),
      offer.port,
      { name, host: name, txt: {} },
    );
    if (conflicts > 0) this.#machine.nameSuffix = String(conflicts);
  }

  get conflicts(): number {
    return Number(this.#machine.nameSuffix);
  }

  /** The instance name: from the second on with a number, as RFC 6763 has it in appendix D. */
  get instance(): string {
    if (this.conflicts === 0) return this.#name;
    const number = ` (${this.conflicts + 1})`;
    return clip(this.#name, LABEL_BYTES - number.length) + number;
  }

  get isAnnounced(): boolean {
    return this.#state === 'announced';
  }

  get isProbing(): boolean {
    return this.#state === 'probing';
  }

  start(delayMs: number): void {
    this.#delayMs = delayMs;
    this.#machine.start();
  }

  /** Probes anew, under the next name or the same. The machine comes to rest first: it cannot be stopped in between. */
  again(conflict: Conflict, pauseMs = conflict === 'defer' ? DEFER_MS : SETTLED_MS): void {
    if (this.#state === 'stopped') return;
    this.#state = 'pausing';
    if (conflict === 'rename') this.#isKnown = false;
    this.#machine.status = AT_REST;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#machine.status = conflict === 'rename' ? RENAME : FIRST_PROBE;
        this.start(0);
      },
      Math.max(pauseMs, SETTLED_MS),
    );
  }

  /** With a goodbye where it was announced. */
  stop(): void {
    if (this.#isKnown) this.#machine.stop();
    this.#state = 'stopped';
    clearTimeout(this.#timer);
    this.#machine.status = AT_REST;
  }

  #step(isQuery: boolean, isGoodbye: boolean): void {
    if (isGoodbye) {
      this.#isKnown = false;
      this.#steps.withdraw(this);
    } else if (isQuery) {
      this.#state = 'probing';
      this.#steps.probe(this);
    } else if (this.#machine.status === ANNOUNCED) {
      const again = this.#state === 'announced';
      this.#state = 'announced';
      this.#isKnown = true;
      this.#steps.announce(this, again);
    }
  }
}
