/** Services under one instance name: announced, changed, renamed and withdrawn together. */
import { isDeepStrictEqual } from 'node:util';
import { ServiceAdvertisement, type Steps } from './advertisement.ts';
import { Brake, type Conflict } from './conflict.ts';
import type { Identity } from './identity.ts';
import { type Service, serviceName } from './records.ts';

/** What the instance asks the responder to send. */
export interface InstanceSteps {
  probe(service: Service): void;
  /** Rejects if it could not be sent on any link. */
  announce(service: Service): Promise<void>;
  withdraw(service: Service): void;
  /** The names, or their states, may have changed. */
  changed(): void;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** A change of records is announced twice, one second apart (RFC 6762, 8.3 and 8.4). */
const REPEAT_MS = 1000;

const serviceOf = ({ offer, instance }: ServiceAdvertisement): Service => ({
  ...offer,
  name: serviceName(instance, offer),
});

/** All services of one instance name. */
export class Instance {
  readonly #steps: InstanceSteps;
  readonly #machine: Steps;
  readonly #brake = new Brake();
  #name = '';
  #services: readonly ServiceAdvertisement[] = [];
  #waiters: Waiter[] = [];
  #repeat: NodeJS.Timeout | undefined;

  constructor(steps: InstanceSteps) {
    this.#steps = steps;
    this.#machine = {
      probe: (of) => {
        steps.changed();
        steps.probe(serviceOf(of));
      },
      announce: (of) => {
        steps.changed();
        void steps.announce(serviceOf(of)).then(
          () => this.#settle(),
          (error) => this.#fail(error),
        );
      },
      withdraw: (of) => steps.withdraw(serviceOf(of)),
    };
  }

  get announced(): Service[] {
    return this.#services.filter(({ isAnnounced }) => isAnnounced).map(serviceOf);
  }

  get probing(): Service[] {
    return this.#services.filter(({ isProbing }) => isProbing).map(serviceOf);
  }

  /** The instance name; undefined while no service is offered. */
  get name(): string | undefined {
    return this.#services[0]?.instance;
  }

  /** There is at least one service, and all are announced. */
  get isAnnounced(): boolean {
    return this.#services.length > 0 && this.#services.every(({ isAnnounced }) => isAnnounced);
  }

  get isRenamed(): boolean {
    return (this.#services[0]?.conflicts ?? 0) > 0;
  }

  /** The services with the names they would have under the first instance name. */
  get first(): Service[] {
    return this.#services.map(({ offer }) => ({ ...offer, name: serviceName(this.#name, offer) }));
  }

  /** Withdraws all services and probes for the first instance name again. Resolves when they are announced. */
  async reset(): Promise<void> {
    const [instance, offers] = [this.#name, this.#services.map(({ offer }) => offer)];
    this.stop();
    await this.show({ instance, offers });
  }

  /**
   * Replaces the offered services: a service with changed values is announced again, one that is no longer offered or
   * has another name is withdrawn, a new one is probed. Resolves when all are announced; rejects if one cannot be sent.
   */
  async show({ instance, offers }: Identity): Promise<void> {
    if (instance !== this.#name) this.stop();
    this.#name = instance;
    const conflicts = this.#services[0]?.conflicts ?? 0;
    const changed: ServiceAdvertisement[] = [];
    const shown = new Map(this.#services.map((service) => [service.offer.type, service]));
    this.#services = offers.map((offer) => {
      const service = shown.get(offer.type);
      shown.delete(offer.type);
      if (service === undefined) {
        const added = new ServiceAdvertisement(offer, instance, conflicts, this.#machine);
        added.start(0);
        return added;
      }
      if (!isDeepStrictEqual(service.offer, offer)) {
        service.offer = offer;
        if (service.isAnnounced) changed.push(service);
      }
      return service;
    });
    for (const gone of shown.values()) gone.stop();
    this.#steps.changed();
    await this.#announceTwice(changed);
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#settle();
    });
  }

  /** Handles a conflict over the name of one service: as they share the instance name, all are probed or renamed. */
  conflict(conflict: Conflict): void {
    const pauseMs = conflict === 'rename' ? this.#brake.after({ pauseMs: 0 }) : undefined;
    for (const service of this.#services) {
      if (conflict === 'defer' && service.isAnnounced) continue;
      if (conflict === 'rename' && service.isAnnounced) this.#steps.withdraw(serviceOf(service));
      service.again(conflict, pauseMs);
    }
    this.#steps.changed();
  }

  stop(): void {
    clearTimeout(this.#repeat);
    for (const service of this.#services) service.stop();
    this.#services = [];
    this.#name = '';
  }

  /** No link is left to announce on: stops, and resolves the calls of `show` that still wait. */
  end(): void {
    this.stop();
    this.#settle();
  }

  async #announceTwice(services: readonly ServiceAdvertisement[]): Promise<void> {
    if (services.length === 0) return;
    const announce = () =>
      Promise.all(services.filter(({ isAnnounced }) => isAnnounced).map((of) => this.#steps.announce(serviceOf(of))));
    clearTimeout(this.#repeat);
    this.#repeat = setTimeout(() => void announce().catch(() => {}), REPEAT_MS);
    await announce();
  }

  #settle(): void {
    if (this.#services.length > 0 && !this.isAnnounced) return;
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }
}
