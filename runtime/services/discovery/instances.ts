/**
 * The instances of the node: the one of the node and its first printer, then one for each other printer, which has the
 * same service types under a name of its own (RFC 6763, 4.1.1). Each is announced, renamed and withdrawn by itself.
 */
import type { Answer } from 'dns-packet';
import type { Conflict } from './conflict.ts';
import { FirstName } from './first-name.ts';
import type { Identity } from './identity.ts';
import { Instance, type InstanceSteps } from './instance.ts';
import type { OwnRecord } from './packet.ts';
import type { Service } from './records.ts';

/** What the instances need from the responder. */
export interface InstancesParts extends InstanceSteps {
  /** Sends a query for a name. */
  ask(name: string): void;
  /** The records that are unique to a service. */
  recordsOf(service: Service): readonly OwnRecord[];
}

interface Member {
  readonly instance: Instance;
  readonly first: FirstName;
}

/** All instances, in the order of the identities that `show` was given. */
export class Instances {
  readonly #parts: InstancesParts;
  #members: readonly Member[] = [];

  constructor(parts: InstancesParts) {
    this.#parts = parts;
  }

  get announced(): Service[] {
    return this.#members.flatMap(({ instance }) => instance.announced);
  }

  /** The instance names; undefined where no service is offered. */
  get names(): (string | undefined)[] {
    return this.#members.map(({ instance }) => instance.name);
  }

  /** There is at least one service, and all are announced. */
  get isAnnounced(): boolean {
    const offering = this.#members.filter(({ instance }) => instance.name !== undefined);
    return offering.length > 0 && offering.every(({ instance }) => instance.isAnnounced);
  }

  /** At least one instance has another name than its first. */
  get isRenamed(): boolean {
    return this.#members.some(({ instance }) => instance.isRenamed);
  }

  /** Replaces the n-th instance by the n-th identity. Resolves when all are announced; rejects if one cannot be sent. */
  async show(identities: readonly Identity[]): Promise<void> {
    for (const { instance, first } of this.#members.slice(identities.length)) {
      instance.stop();
      first.stop();
    }
    this.#members = identities.map((_, n) => this.#members[n] ?? this.#member());
    await Promise.all(identities.map((identity, n) => this.#members[n]?.instance.show(identity)));
  }

  /** Takes the records of a received response; `disputed` tells whether one of them conflicts with some of ours. */
  hearClaims(claims: readonly Answer[], disputed: (own: readonly OwnRecord[]) => boolean): void {
    const isDisputed = (service: Service) => disputed(this.#parts.recordsOf(service));
    for (const { instance, first } of this.#members) {
      first.hear(claims);
      if (instance.probing.some(isDisputed)) {
        instance.conflict('rename');
        first.lost();
      } else if (instance.announced.some(isDisputed)) instance.conflict('defend');
    }
  }

  /** A probe was received; `lost` tells whether the node loses the tie-break for a service. */
  hearProbe(lost: (service: Service) => boolean): void {
    for (const { instance } of this.#members) if (instance.probing.some(lost)) instance.conflict('defer');
  }

  /** Handles the same conflict for every instance. */
  conflict(conflict: Conflict): void {
    for (const { instance } of this.#members) instance.conflict(conflict);
  }

  /** Withdraws everything. */
  stop(): void {
    for (const { instance } of this.#members) instance.stop();
  }

  /** No link is left to announce on: stops, and resolves the calls of `show` that still wait. */
  end(): void {
    for (const { instance, first } of this.#members) {
      instance.end();
      first.stop();
    }
  }

  #member(): Member {
    const { ask, recordsOf } = this.#parts;
    const instance = new Instance(this.#parts);
    const first = new FirstName({
      records: () => (instance.isRenamed ? instance.first.flatMap((service) => recordsOf(service)) : []),
      ask,
      take: () => void instance.reset().catch(() => {}),
    });
    return { instance, first };
  }
}
