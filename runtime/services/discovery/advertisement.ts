/**
 * One advertised service, from its first probe to its goodbye packet. The steps and their timing are those of the state
 * machine of mdns-js: three probes 250 ms apart, an announcement, its repetition after one second, another name after a
 * conflict, a withdrawal. The state machine gets no socket: it says when to send, and `Steps` sends.
 */
import Advertisement from 'mdns-js/lib/advertisement.js';
import mdnsTypes from 'mdns-js/lib/service_type.js';
import { type Conflict, DEFER_MS } from './conflict.ts';
import { clip, type Offer } from './identity.ts';

const LABEL_BYTES = 63;
/** States of the mdns-js machine; in AT_REST, a number that it does not know, it does nothing more. */
const FIRST_PROBE = 0;
const ANNOUNCED = 3;
const RENAME = 4;
const AT_REST = 5;
/** The machine reads its state every 250 ms: after this time it has stopped. */
const SETTLED_MS = 300;

/** What the state machine asks for; each call sends the packets of one service. */
export interface Steps {
  probe(of: ServiceAdvertisement): void;
  /** The name was claimed. `again`: the repetition one second later. */
  announce(of: ServiceAdvertisement, again: boolean): void;
  withdraw(of: ServiceAdvertisement): void;
}

/** The state machine of one service (RFC 6762, 8). */
export class ServiceAdvertisement {
  offer: Offer;
  readonly #name: string;
  readonly #machine: Advertisement;
  readonly #steps: Steps;
  #delayMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #state: 'probing' | 'pausing' | 'announced' | 'stopped' = 'pausing';
  /** The service was announced under this name, so caches on the network hold it, also while it is probed again. */
  #isKnown = false;

  /** `conflicts`: number of names that were tried before and are in use elsewhere. */
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

  /** The instance name; after a conflict with a number, ` (2)`, as in RFC 6763, appendix D. */
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

  /** Starts to probe after `delayMs`. */
  start(delayMs: number): void {
    this.#delayMs = delayMs;
    this.#machine.start();
  }

  /**
   * Probes again after `pauseMs`, under the next name for `rename`. Waits until the machine has stopped: it has no
   * cancel.
   */
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

  /** Ends the advertisement; sends a goodbye packet (RFC 6762, 10.1) if it was announced. */
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
