/**
 * Hot-plug: binds connected USB devices to endpoints and releases disconnected ones, one device at a time. The steps
 * are ledger, recipe, classify, admit, bind. A device that no tap classifies is parked, and probed once the bus is
 * quiet. A device that was refused for a temporary reason is parked, too, and tried again.
 */

import { defined } from '../base/defined.ts';
import { NoAnswer } from '../base/in-time.ts';
import { messageOf } from '../base/thrown.ts';
import { createTurns, NOTHING } from '../base/turns.ts';
import { type UsbDevice, UsbError, type UsbIdentity, type UsbListener } from '../bindings/usb.ts';
import { isOfCloud, type RecipeTable, type Resolution } from '../recipes/table.ts';
import type { Bound, Candidate, EndpointDeclaration, EndpointState, Refusal } from './device.ts';
import type { Hooks } from './hooks.ts';
import type { Ledger } from './ledger.ts';
import type { Logger } from './log.ts';
import { PAUSES_MS, Parked, type Pauses } from './parked.ts';
import type { Choice, KnownBy, Places } from './places.ts';
import { because, idsOf, Recognition } from './recognition.ts';
import type { Rooms } from './rooms.ts';
import { emptySlot, type Slot, stateOf } from './slots.ts';

/** What hot-plug is made of. */
export interface HotplugParts {
  readonly hooks: Hooks;
  readonly ledger: Ledger;
  readonly recipes: RecipeTable;
  readonly rooms: Pick<Rooms, 'letGo'>;
  readonly log: Logger;
  readonly places: Places;
  readonly pausesMs?: Pauses;
}

/** Temporary reasons: another program still holds the device, or the device is not ready to answer yet. */
const MAY_PASS = ['claim_failed', 'probe_failed'];
const NOBODY: Refusal = { reason: 'no_codec', detail: 'nothing in this image knows what it is' };

/** Keeps the state of every endpoint. The USB binding calls `connect` and `disconnect`. */
export class Hotplug implements UsbListener {
  readonly #slots = new Map<string, Slot>();
  readonly #present = new Set<UsbDevice>();
  readonly #parked: Parked;
  /**
   * Devices, with their kind, that are without an endpoint only because all are taken or kept, or the bus is full. Tried again when
   * a device is disconnected, and when no more devices of the start are expected.
   */
  readonly #waiting = new Map<UsbDevice, string>();
  readonly #hooks: Hooks;
  readonly #ledger: Ledger;
  readonly #rooms: HotplugParts['rooms'];
  readonly #recognition: Recognition;
  readonly #log: Logger;
  readonly #places: Places;
  readonly #inTurn = createTurns();
  readonly #scanMs: number;
  #scan: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    endpoints: Iterable<EndpointDeclaration>,
    { hooks, ledger, recipes, rooms, log, places, pausesMs = PAUSES_MS }: HotplugParts,
  ) {
    for (const declaration of endpoints) this.#slots.set(declaration.id, emptySlot(declaration));
    this.#hooks = hooks;
    this.#ledger = ledger;
    this.#rooms = rooms;
    this.#recognition = new Recognition({ hooks, recipes, log });
    this.#log = log;
    this.#places = places;
    [this.#scanMs] = pausesMs;
    this.#parked = new Parked({
      pausesMs,
      queue: (work) => this.#then(work),
      attempt: (device) => this.#look(device),
    });
  }

  /** Starts to bind a device that was connected; returns at once, `settled` tells when it is done. */
  connect(device: UsbDevice): void {
    if (this.#stopped) return;
    this.#ledger.met(device.identity, performance.now());
    this.#present.add(device);
    this.#then(() => this.#enumerate(device));
    this.#parked.awaitQuiet();
  }

  /**
   * To be called when the devices that are connected at the start have been reported. One that is slow to answer the
   * kernel may be late: after a pause the endpoints of those that did not appear may be given to others.
   */
  scanned(): void {
    if (this.#stopped) return;
    this.#scan = setTimeout(() => {
      this.#places.scanned();
      this.#then(() => this.#bindWaiting());
      this.#parked.awaitQuiet();
    }, this.#scanMs);
    this.#scan.unref();
  }

  /** Starts to release a device that was disconnected, and to bind one that waited for its endpoint. */
  disconnect(device: UsbDevice): void {
    this.#present.delete(device);
    this.#parked.delete(device);
    this.#waiting.delete(device);
    this.#ledger.gone(device.identity, performance.now());
    this.#then(() => this.#detach(device));
    if (!this.#stopped) this.#parked.awaitQuiet();
  }

  /**
   * Starts to look anew at the device on a port, which is let go first: a person has said what it is. Does nothing where
   * there is none.
   */
  again(port: string): void {
    const device = [...this.#present].find(({ identity }) => identity.port === port);
    if (device === undefined || this.#stopped) return;
    this.#then(async () => {
      this.#parked.delete(device);
      this.#waiting.delete(device);
      await this.#letGo(device);
      await this.#enumerate(device);
    });
    this.#then(() => this.#bindWaiting());
    this.#parked.awaitQuiet();
  }

  /** The state of every endpoint, in the order of declaration. */
  states(): EndpointState[] {
    return [...this.#slots.values()].map((slot) => stateOf(slot, this.#knownBy(slot)));
  }

  /** The state of one endpoint; undefined if the image has none of that id. */
  state(endpoint: string): EndpointState | undefined {
    const slot = this.#slots.get(endpoint);
    return slot && stateOf(slot, this.#knownBy(slot));
  }

  /**
   * Sets the device of an endpoint of transport `node`; undefined removes it. The previous one is released. Throws if
   * there is no such endpoint, or its transport is another.
   */
  bring(endpoint: string, by: Bound | undefined): void {
    const slot = this.#slots.get(endpoint);
    if (slot?.declaration.transport !== 'node') throw new Error(`${endpoint} is no endpoint that a room brings`);
    this.#then(async () => {
      if (slot.bound !== undefined) await this.#empty(slot, slot.bound.by);
      if (by === undefined) return;
      if (this.#stopped) return this.#rooms.letGo(slot.declaration.kind, by);
      Object.assign(slot, { bound: { device: undefined, by }, recipe: by.recipe, goneAt: undefined });
      this.#hooks.attach.call(endpoint);
    });
  }

  async #empty(slot: Slot, by: Bound): Promise<void> {
    slot.bound = undefined;
    slot.goneAt = performance.now();
    await this.#rooms.letGo(slot.declaration.kind, by);
    this.#hooks.detach.call(slot.declaration.id);
  }

  /**
   * What `bind` returned for the device at this endpoint; undefined if none is bound or the endpoint is of another
   * kind.
   */
  bound(kind: string, endpoint: string): Bound | undefined {
    const slot = this.#slots.get(endpoint);
    return slot?.declaration.kind === kind ? slot.bound?.by : undefined;
  }

  /** Resolves when every connect and disconnect reported so far has been processed. */
  settled(): Promise<void> {
    return this.#inTurn(NOTHING);
  }

  /** Releases every device and ignores devices that are connected later. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#parked.stop();
    clearTimeout(this.#scan);
    this.#present.clear();
    await this.settled();
    for (const slot of this.#slots.values()) {
      const { bound } = slot;
      slot.bound = undefined;
      if (bound !== undefined) await this.#rooms.letGo(slot.declaration.kind, bound.by);
    }
  }

  #then(step: () => Promise<void>): void {
    this.#inTurn(step).catch((error: unknown) => {
      this.#log.error({ error: String(error) }, 'hot-plug step failed');
    });
  }

  async #enumerate(device: UsbDevice): Promise<void> {
    if (!this.#present.has(device)) return;
    const { identity } = device;
    if (identity.malformed !== undefined)
      return this.#refuse(device, { reason: 'bad_descriptor', detail: identity.malformed });
    const kind = this.#recognition.classify(device);
    if (kind === undefined) {
      this.#parked.add(device);
      this.#mark(device, 'parked');
      return;
    }
    await this.#bind(device, kind);
  }

  async #bind(device: UsbDevice, kind: string): Promise<void> {
    const recipe = this.#recognition.recipe(device);
    const entry = this.#ledger.entry(device.identity);
    if (entry !== undefined) entry.kind = kind;
    const slots = [...this.#slots.values()].filter(
      ({ declaration }) => declaration.kind === kind && declaration.transport === 'usb',
    );
    const choice = this.#choose(device, slots);
    if (choice === 'later') {
      this.#waiting.set(device, kind);
      this.#mark(device, 'parked');
      return;
    }
    const slot = choice && this.#slots.get(choice.id);
    if (slots.length === 0)
      return this.#giveUp(device, { reason: 'not_in_variant', detail: `no ${kind} endpoint` }, recipe);
    if (slot === undefined) {
      // If its descriptors do not tell its kind, the device is probed before it is refused because of a cloud row.
      const ownKind = isOfCloud(recipe) ? await this.#recognition.ownKind(device) : kind;
      if (!this.#present.has(device)) return;
      if (recipe !== undefined && ownKind !== undefined && ownKind !== kind) {
        this.#recognition.passOver(
          device,
          recipe,
          `it would be a second ${kind}, and without this row it is a ${ownKind}`,
        );
        return this.#enumerate(device);
      }
      const [only] = slots.length === 1 ? slots : [];
      if (only?.bound?.device !== undefined && this.#hooks.outranks.call({ device, kind, recipe }, only.bound.by))
        return this.#replace(only, only.bound.device, device, kind);
      this.#waiting.set(device, kind);
      return this.#refuse(device, { reason: `second_${kind}`, ...because(recipe) });
    }
    const candidate: Candidate = { device, kind, endpoint: slot.declaration, recipe };
    const refusal = this.#hooks.admit.call(candidate);
    if (refusal !== undefined) {
      this.#waiting.set(device, kind);
      return this.#refuse(device, refusal, slot);
    }
    let answer: Bound | Refusal | undefined;
    try {
      answer = await this.#hooks.bind.get(kind)?.promise(candidate);
    } catch (error) {
      // What hung once would hold up all other devices again.
      const reason = error instanceof NoAnswer ? 'no_codec' : 'claim_failed';
      answer = { reason, detail: error instanceof UsbError ? error.message : String(error) };
    }
    answer ??= { reason: 'no_codec', detail: `nothing drives a ${kind}` };
    if (!('release' in answer)) return this.#giveUp(device, answer, recipe, slot);
    if (!this.#present.has(device)) return this.#rooms.letGo(kind, answer);
    slot.bound = { device, by: answer };
    slot.refused = undefined;
    slot.identity = device.identity;
    slot.recipe = this.#recognition.compared(device, kind, answer.recipe);
    slot.goneAt = undefined;
    slot.replaces = choice?.replaces;
    slot.hasRivals = slots.length > 1;
    if (slot.hasRivals) void this.#places.keep(slot.declaration.id, device.identity);
    this.#mark(device, 'bound');
    this.#log.info(
      {
        endpoint: slot.declaration.id,
        ...idsOf(device.identity),
        recipe: answer.recipe.row.id,
        ...(slot.replaces && { replaces: slot.replaces }),
      },
      'device bound',
    );
    this.#hooks.attach.call(slot.declaration.id);
  }

  /** Lets a bound device go for one that is known better; it gets its endpoint back where that one cannot be bound. */
  async #replace(slot: Slot, had: UsbDevice, device: UsbDevice, kind: string): Promise<void> {
    if (slot.bound !== undefined) await this.#empty(slot, slot.bound.by);
    const { vendorId, productId, make, model } = device.identity;
    const name = [make, model, `${vendorId}:${productId}`].filter((word) => word !== '').join(' ');
    this.#refuse(had, { reason: `second_${kind}`, detail: `let go for ${name}, which is known better` });
    await this.#bind(device, kind);
    if (slot.bound === undefined && this.#present.has(had)) await this.#bind(had, kind);
    else if (this.#present.has(had)) this.#waiting.set(had, kind);
  }

  /** How the device that is bound here is recognized; undefined where no other endpoint could have it. */
  #knownBy({ bound, hasRivals }: Slot): KnownBy | undefined {
    if (bound?.device === undefined || !hasRivals) return undefined;
    return this.#places.knownBy(bound.device.identity, this.#identities());
  }

  #choose({ identity }: UsbDevice, slots: readonly Slot[]): Choice {
    const places = slots.map(({ declaration: { id }, bound }) => ({ id, taken: bound !== undefined }));
    return this.#places.choose(identity, places, this.#identities());
  }

  #identities(): UsbIdentity[] {
    return [...this.#present].map(({ identity }) => identity);
  }

  /**
   * Refuses a device. If the recipe was a cloud row, that row is skipped and the device is tried again without it,
   * except for a temporary reason, which is retried first, and for a row that refuses the device on purpose (`refuse`).
   */
  async #giveUp(device: UsbDevice, refusal: Refusal, recipe: Resolution | undefined, slot?: Slot): Promise<void> {
    const mayPass = MAY_PASS.includes(refusal.reason) && this.#parked.hasAttempts(device);
    const isMeant = recipe?.row.refuse !== undefined && refusal.reason === 'unsupported_language';
    if (!isOfCloud(recipe) || mayPass || !this.#present.has(device)) return this.#refuse(device, refusal, slot);
    if (isMeant) return this.#refuse(device, { ...refusal, ...because(recipe, refusal.detail) }, slot);
    this.#recognition.passOver(device, recipe, refusal.detail ?? refusal.reason);
    await this.#enumerate(device);
  }

  async #detach(device: UsbDevice): Promise<void> {
    await this.#letGo(device);
    await this.#bindWaiting();
  }

  async #letGo(device: UsbDevice): Promise<void> {
    for (const slot of this.#slots.values()) {
      if (slot.refused?.device === device) {
        slot.refused = undefined;
        slot.goneAt = performance.now();
      }
      if (slot.bound?.device !== device) continue;
      this.#log.info({ endpoint: slot.declaration.id, ...idsOf(device.identity) }, 'device gone');
      await this.#empty(slot, slot.bound.by);
    }
  }

  async #bindWaiting(): Promise<void> {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [other, kind] of waiting) {
      // The rows may have been replaced since the device was connected.
      if (this.#present.has(other)) await this.#bind(other, this.#recognition.classify(other) ?? kind);
    }
  }

  /** Tries a parked device: finds its kind, by probing if necessary, and binds or refuses it. */
  async #look(device: UsbDevice): Promise<void> {
    if (!this.#present.has(device)) return;
    let kind: string | undefined;
    try {
      kind = await this.#recognition.ask(device, () => this.#present.has(device));
    } catch (error) {
      const detail = messageOf(error);
      return this.#refuse(device, { reason: 'probe_failed', detail });
    }
    if (!this.#present.has(device)) return;
    if (kind === undefined)
      this.#refuse(device, this.#hooks.unknown.call(device.identity) ?? NOBODY, undefined, 'unknown');
    else await this.#bind(device, kind);
  }

  /**
   * Records a refusal, once for each reason while the device stays connected; `slot` is where it would have been bound.
   */
  #refuse(device: UsbDevice, refusal: Refusal, slot?: Slot, state: 'refused' | 'unknown' = 'refused'): void {
    if (!this.#present.has(device)) return;
    const { reason } = refusal;
    const detail = this.#recognition.explained(device, refusal.detail);
    if (MAY_PASS.includes(reason)) this.#parked.failed(device);
    if (slot !== undefined) {
      slot.refused = { device, refusal };
      slot.identity = device.identity;
      slot.recipe = undefined;
    }
    const before = this.#ledger.entry(device.identity);
    if (before?.state === state && before.reason === reason) return;
    this.#mark(device, state, reason, detail);
    this.#ledger.reject({
      identity: device.identity,
      kind: this.#ledger.entry(device.identity)?.kind ?? 'unknown',
      reason,
      at: performance.now(),
      ...defined({ detail }),
    });
    this.#log.warn({ ...idsOf(device.identity), reason, detail }, 'device refused');
  }

  #mark(device: UsbDevice, state: 'parked' | 'unknown' | 'refused' | 'bound', reason?: string, detail?: string): void {
    const entry = this.#ledger.entry(device.identity);
    if (entry === undefined) return;
    entry.state = state;
    entry.reason = reason;
    entry.detail = detail;
  }
}
