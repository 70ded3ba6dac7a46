/**
 * The multicast DNS responder (RFC 6762; numbers in brackets are its sections): receives queries, probes and responses
 * on its links, and sends on each link the records that are valid on that link.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from 'dns-packet';
import type { NetworkLink } from '../../bindings/network.ts';
import { Announcing } from './announcing.ts';
import { Budget } from './budget.ts';
import { contradicts, givesWay } from './conflict.ts';
import { type Claim, claimedElsewhere } from './double.ts';
import { FirstName } from './first-name.ts';
import { HostName } from './host-name.ts';
import type { Identity } from './identity.ts';
import { Instances } from './instances.ts';
import { isOwn, linksOf } from './links.ts';
import { LongQueries } from './long-query.ts';
import { Outbox } from './outbox.ts';
import {
  decode,
  encodeLegacy,
  encodeProbe,
  encodeResponses,
  type Message,
  type OwnRecord,
  type Question,
  recordKey,
} from './packet.ts';
import {
  additionalsTo,
  answersTo,
  farewell,
  goodbye,
  hostRecords,
  hostZone,
  type Service,
  serviceRecords,
  serviceZone,
} from './records.ts';
import { MDNS_PORT, type OpenWire, type Source, type Wire } from './wire.ts';

/** Largest number of unicast responses per second: more than a shop needs. */
const MAX_UNICAST = 100;
const SECOND_MS = 1000;
/** Responses to questions that arrive together leave in one packet (6.4); unique records wait no longer than this (6). */
const UNIQUE_DELAY_MS = 10;
/** Responses with shared records are delayed by 20 to 120 ms, as other hosts may respond, too (6). */
const SHARED_DELAY_MS = 20;
const SHARED_SPREAD_MS = 100;

/** What a responder is made of. */
export interface ResponderParts {
  readonly open: OpenWire;
  /** The first host name it tries, without `.local`. */
  readonly hostLabel: string;
  /** Called with the host name in use, with `.local`; undefined when there is none any more. */
  readonly onHostName: (name: string | undefined) => void;
  /** Called with an address that another host claims for the host name, or for one with a number behind it. */
  readonly onDouble: (claim: Claim) => void;
}

/** The state of the responder. */
export interface Standing {
  readonly state: 'off' | 'probing' | 'announced' | 'renamed';
  /** The host name, with `.local`. */
  readonly name: string;
  /** The name of each instance, in the order of `show`; undefined where it has no service. */
  readonly instances: readonly (string | undefined)[];
  /** Since when the state and names are these (monotonic ms). */
  readonly since: number;
}

/** Announces one host name and the identities set by `show` on the links set by `use`. */
export class Responder {
  readonly #wire: Wire;
  readonly #host: HostName;
  readonly #instances: Instances;
  readonly #firstHost: FirstName;
  readonly #parts: ResponderParts;
  readonly #long = new LongQueries();
  readonly #outboxes = new Map<string, Outbox>();
  #links: readonly NetworkLink[] = [];
  #wanted: readonly Identity[] | undefined;
  #whenHeld: Array<() => void> = [];
  readonly #announcing = new Announcing({
    waitMs: () => this.#untilAddressesMayGo(),
    send: (services) => this.#announceServices(services),
  });
  readonly #budget = new Budget();
  #second = { start: 0, unicast: 0 };
  #standing: Standing;

  constructor(parts: ResponderParts) {
    this.#parts = parts;
    this.#wire = parts.open((bytes, source) => this.#hear(bytes, source));
    this.#host = new HostName(parts.hostLabel, {
      probe: () => this.#probe(this.#host.name, (link) => hostRecords(this.#host.name, link)),
      announce: (again) => this.#hostIsHeld(again),
    });
    const ask = (name: string) => this.#probe(name, () => []);
    this.#instances = new Instances({
      probe: (service) => this.#probe(service.name, () => serviceRecords(service, this.#host.name)),
      announce: (service) => this.#announcing.add(service),
      withdraw: (service) => {
        this.#announcing.drop(service);
        void this.#announce(() => farewell(service, this.#host.name)).catch(() => {});
      },
      changed: () => this.#note(),
      ask,
      recordsOf: (service) => serviceRecords(service, this.#host.name),
    });
    this.#firstHost = new FirstName({
      records: () => (this.#host.isRenamed ? this.#links.flatMap((link) => hostRecords(this.#host.first, link)) : []),
      ask,
      take: () => this.#takeHostBack(),
    });
    this.#standing = this.#stand(performance.now());
  }

  get standing(): Standing {
    return this.#standing;
  }

  /** Sets the links it listens on. Resolves with false if one could not be opened: call again later. */
  async use(wanted: readonly NetworkLink[]): Promise<boolean> {
    const before = this.#links;
    if (isDeepStrictEqual(wanted, before)) return true;
    const links = await this.#wire.use(wanted);
    const whole = isDeepStrictEqual(wanted, links);
    if (isDeepStrictEqual(links, before)) return whole;
    this.#links = links;
    for (const [name, outbox] of this.#outboxes) {
      if (links.some((link) => link.name === name)) continue;
      outbox.clear();
      this.#outboxes.delete(name);
    }
    for (const { name } of links) {
      if (!this.#outboxes.has(name)) this.#outboxes.set(name, new Outbox((records) => this.#flush(name, records)));
    }
    if (links.length === 0) this.#silence();
    else if (before.length === 0) this.#begin();
    else this.#follow(before);
    return whole;
  }

  /**
   * Replaces the announced identities: each has its own instance name, and keeps its place in the order. Resolves when
   * all are announced, at once if there is no link. Can reject.
   */
  async show(...identities: readonly Identity[]): Promise<void> {
    this.#wanted = identities;
    if (this.#links.length === 0) return;
    if (!this.#host.isHeld) await new Promise<void>((resolve) => this.#whenHeld.push(resolve));
    if (this.#links.length > 0) await this.#instances.show(this.#wanted);
  }

  #stand(since: number): Standing {
    const [host, instances] = [this.#host, this.#instances];
    const names = { name: host.name, instances: instances.names, since };
    if (this.#links.length === 0) return { state: 'off', ...names };
    if (!host.isHeld || !instances.isAnnounced) return { state: 'probing', ...names };
    return { state: host.isRenamed || instances.isRenamed ? 'renamed' : 'announced', ...names };
  }

  #note(): void {
    const now = this.#stand(performance.now());
    if (!isDeepStrictEqual({ ...now, since: this.#standing.since }, this.#standing)) this.#standing = now;
  }

  /** Sends goodbye packets for all records and closes the sockets. */
  async stop(): Promise<void> {
    this.#instances.stop();
    const { name, isHeld } = this.#host;
    if (isHeld) await this.#announce((link) => hostZone(name, link).map(goodbye)).catch(() => {});
    this.#links = [];
    this.#silence();
    await this.#wire.close();
  }

  /** The first link was opened: starts to probe. */
  #begin(): void {
    this.#host.start();
    this.#note();
    if (this.#wanted !== undefined) void this.show(...this.#wanted).catch(() => {});
  }

  #silence(): void {
    this.#host.reset();
    this.#instances.end();
    this.#firstHost.stop();
    this.#long.clear();
    for (const resolve of this.#whenHeld.splice(0)) resolve();
    for (const outbox of this.#outboxes.values()) outbox.clear();
    this.#parts.onHostName(undefined);
    this.#note();
  }

  /**
   * The links changed. Sends goodbyes for addresses that are gone, then the current records. If a link is new or has
   * other IPv4 addresses, a host there may have our names: they are probed again (8).
   */
  #follow(before: readonly NetworkLink[]): void {
    const known = new Map(before.map((link) => [link.name, link]));
    const addresses = ({ addresses: all }: NetworkLink, family: 4 | 6) =>
      JSON.stringify(all.filter((own) => own.family === family).map(({ address }) => address));
    const moved = this.#links.some((link) => {
      const old = known.get(link.name);
      return old === undefined || addresses(old, 4) !== addresses(link, 4);
    });
    void this.#announce((link) => {
      const old = known.get(link.name);
      const now = new Set(hostZone(this.#host.name, link).map(recordKey));
      return old === undefined
        ? []
        : hostZone(this.#host.name, old)
            .filter((own) => !now.has(recordKey(own)))
            .map(goodbye);
    }).catch(() => {});
    if (moved) {
      this.#host.start();
      this.#instances.conflict('defend');
    } else void this.#announce((link) => this.#zone(link)).catch(() => {});
  }

  #hostIsHeld(again: boolean): void {
    if (!again) {
      this.#parts.onHostName(this.#host.name);
      for (const resolve of this.#whenHeld.splice(0)) resolve();
    }
    this.#note();
    // SRV records contain the host name, which may have changed.
    void this.#announce((link) => (again ? hostZone(this.#host.name, link) : this.#zone(link))).catch(() => {});
  }

  #takeHostBack(): void {
    const { name } = this.#host;
    void this.#announce((link) => hostZone(name, link).map(goodbye)).catch(() => {});
    this.#host.reset();
    this.#host.start();
    this.#note();
  }

  /** All records that are valid on this link now. */
  #zone(link: NetworkLink): OwnRecord[] {
    const host = this.#host.isHeld ? hostZone(this.#host.name, link) : [];
    const services = this.#instances.announced.flatMap((service) => serviceZone(service, this.#host.name));
    const types = new Map([...host, ...services].map((own) => [recordKey(own), own]));
    return [...types.values()];
  }

  #probe(name: string, claimed: (link: NetworkLink) => readonly OwnRecord[]): void {
    for (const link of this.#links) void this.#wire.multicast(link, encodeProbe(name, claimed(link))).catch(() => {});
  }

  #announceServices(services: readonly Service[]): Promise<void> {
    const { name, isHeld } = this.#host;
    return this.#announce(
      () => services.flatMap((each) => serviceZone(each, name)),
      (link) => (isHeld ? hostRecords(name, link) : []),
    );
  }

  #untilAddressesMayGo(): number {
    const waits = this.#links.flatMap((link) =>
      hostRecords(this.#host.name, link).map((own) => this.#outboxes.get(link.name)?.waitOf(own) ?? 0),
    );
    return Math.max(0, ...waits);
  }

  /** Multicasts records on every link at once. Rejects if they could not be sent on any. */
  async #announce(
    records: (link: NetworkLink) => readonly OwnRecord[],
    additionals: (link: NetworkLink) => OwnRecord[] = () => [],
  ): Promise<void> {
    const sent = await Promise.allSettled(
      this.#links.map((link) => this.#multicast(link, records(link), additionals(link))),
    );
    const [first] = sent;
    if (first?.status === 'rejected' && sent.every(({ status }) => status === 'rejected')) throw first.reason;
  }

  async #multicast(link: NetworkLink, answers: readonly OwnRecord[], additionals: OwnRecord[] = []): Promise<void> {
    this.#outboxes.get(link.name)?.note([...answers, ...additionals]);
    await Promise.all(encodeResponses(answers, additionals).map((bytes) => this.#wire.multicast(link, bytes)));
  }

  /** Sends the queued records of a link that are still valid. */
  #flush(name: string, due: readonly OwnRecord[]): void {
    const link = this.#links.find((one) => one.name === name);
    if (link === undefined) return;
    const zone = this.#zone(link);
    const so = new Set(zone.map(recordKey));
    const answers = due.filter((own) => so.has(recordKey(own)) || own.type === 'NSEC');
    const outbox = this.#outboxes.get(name);
    const additionals = additionalsTo(answers, zone).filter((own) => outbox?.maySend(own));
    void this.#multicast(link, answers, additionals).catch(() => {});
  }

  #hear(bytes: Buffer, source: Source): void {
    const links = linksOf(source.address, this.#links);
    if (links.length === 0) return;
    // Sent by this node on another link, or by another program on this machine.
    if (source.port === MDNS_PORT && isOwn(source.address, this.#links)) return;
    if (!this.#budget.spend(source.address)) return;
    const message = decode(bytes);
    if (message === undefined) return;
    const isPeer = source.port === MDNS_PORT;
    const heard = { source: source.address, first: this.#host.first, links: this.#links };
    for (const claim of isPeer ? claimedElsewhere(message, heard) : []) this.#parts.onDouble(claim);
    if (message.response) {
      if (isPeer) this.#hearClaims([...message.answers, ...message.additionals]);
      return;
    }
    if (message.authorities.length > 0) this.#hearProbe(message.authorities);
    for (const link of links) this.#hearQuery(message, source, link);
  }

  /** A response: checks its records for conflicts with our names (8.1 and 9). */
  #hearClaims(claims: readonly Answer[]): void {
    this.#firstHost.hear(claims);
    const disputed = (own: readonly OwnRecord[]) => claims.some((claim) => contradicts(claim, own));
    if (this.#host.isHeld || this.#host.isProbing) {
      const own = this.#links.flatMap((link) => hostRecords(this.#host.name, link));
      if (disputed(own)) {
        const conflict = this.#host.isHeld ? 'defend' : 'rename';
        this.#host.conflict(conflict);
        if (conflict === 'rename') this.#firstHost.lost();
        this.#note();
      }
    }
    this.#instances.hearClaims(claims, disputed);
  }

  #hearQuery(message: Message, source: Source, link: NetworkLink): void {
    const defence = message.authorities.length > 0;
    if (source.port !== MDNS_PORT) this.#answerLegacy(message, source, link);
    else {
      const respond = (questions: readonly Question[], known: readonly Answer[]) =>
        this.#answer({ questions, known, source, link, defence });
      const kept = this.#long.take(`${source.address} ${link.name}`, message, respond);
      if (!kept) respond(message.questions, message.answers);
    }
  }

  /** A probe: if this node probes for the same name and loses the tie-break, it defers (8.2). */
  #hearProbe(claims: readonly Answer[]): void {
    const loses = (name: string, own: readonly (readonly OwnRecord[])[]) => {
      const theirs = claims.filter((claim) => claim.name.toLowerCase() === name.toLowerCase());
      return theirs.length > 0 && givesWay(theirs, own);
    };
    const { name, isProbing } = this.#host;
    const ofHost = this.#links.map((link) => hostRecords(name, link));
    if (isProbing && loses(name, ofHost)) this.#host.conflict('defer');
    this.#instances.hearProbe((service) => loses(service.name, [serviceRecords(service, name)]));
  }

  #answer(asked: {
    readonly questions: readonly Question[];
    readonly known: readonly Answer[];
    readonly source: Source;
    readonly link: NetworkLink;
    readonly defence: boolean;
  }): void {
    const { questions, source, link, defence } = asked;
    const outbox = this.#outboxes.get(link.name);
    if (outbox === undefined || questions.length === 0) return;
    const zone = this.#zone(link);
    const known = new Map(asked.known.map((own) => [recordKey(own), own.type === 'OPT' ? 0 : (own.ttl ?? 0)]));
    // Not sent if the client's known answer has at least half of the TTL left (7.1).
    const isNews = (own: OwnRecord) => (known.get(recordKey(own)) ?? 0) < own.ttl / 2;
    const forOne: OwnRecord[] = [];
    const forAll: OwnRecord[] = [];
    for (const question of questions) {
      const answers = answersTo(question, zone).filter(isNews);
      // Multicast in spite of the unicast-response bit if not multicast within a quarter of the TTL (5.4).
      const cached = answers.every((own) => outbox.isFresh(own, (own.ttl / 4) * SECOND_MS));
      (question.unicast && cached ? forOne : forAll).push(...answers);
    }
    if (forOne.length > 0) {
      for (const bytes of encodeResponses(forOne, additionalsTo(forOne, zone))) this.#unicast(link, bytes, source);
    }
    const isShared = forAll.some((own) => !own.flush);
    const delayMs = isShared ? SHARED_DELAY_MS + Math.random() * SHARED_SPREAD_MS : defence ? 0 : UNIQUE_DELAY_MS;
    outbox.add(forAll, delayMs, { defence });
  }

  #answerLegacy({ id, questions }: Message, source: Source, link: NetworkLink): void {
    const zone = this.#zone(link);
    const answers = questions.flatMap((question) => answersTo(question, zone)).filter(({ type }) => type !== 'NSEC');
    if (answers.length > 0) this.#unicast(link, encodeLegacy(id, questions, answers), source);
  }

  #unicast(link: NetworkLink, bytes: Buffer, to: Source): void {
    const now = performance.now();
    if (now - this.#second.start >= SECOND_MS) this.#second = { start: now, unicast: 0 };
    this.#second.unicast += 1;
    if (this.#second.unicast <= MAX_UNICAST) this.#wire.unicast(link, bytes, to);
  }
}
