/**
 * The kernel: plugins, commands, events, endpoints and USB devices. It knows no device kind and no service; all of the
 * node's functions are taps of its plugins.
 */

import { inTime } from '../base/in-time.ts';
import { messageOf, stackOf } from '../base/thrown.ts';
import type { Bindings } from '../bindings/bindings.ts';
import { type BuiltinRows, RecipeTable } from '../recipes/table.ts';
import { type Command, type CommandResult, failed } from './command.ts';
import { type Composition, compose, requireBinders } from './composition.ts';
import { KernelConfig } from './config.ts';
import { CORE_ERRORS } from './core-errors.ts';
import type { Bound, ChannelsDeclaration, EndpointState } from './device.ts';
import { newDeviceId } from './device-id.ts';
import { ApiError, type ErrorRow } from './errors.ts';
import { createHooks, type Hooks, type StatusDraft } from './hooks.ts';
import { Hotplug } from './hotplug.ts';
import { Keys } from './keys.ts';
import { Ledger } from './ledger.ts';
import { Listening } from './listening.ts';
import type { Logger } from './log.ts';
import type { ImageInfo, Node, RunOptions } from './node.ts';
import type { Pauses } from './parked.ts';
import { Places } from './places.ts';
import type { Plugin, ServedRoute } from './plugin.ts';
import type { BoundKinds, NodeEvent, Offers } from './registry.ts';
import { Rooms } from './rooms.ts';
import type { Settings } from './settings.ts';
import { Shares } from './shares.ts';
import { TransferTap } from './transfer-tap.ts';
import type { Contract } from './validator.ts';

/** Commands of clients that may be under way: one that runs, and those that wait for it. */
const COMMANDS = 64;
const COMMANDS_OF_ONE_ADDRESS = 32;
/** How long a command of a node that just started waits for the devices that are being bound: tills ask at once after a restart. */
const BINDING_MS = 3000;
const BROKEN_OFF = 'a fault of the node broke it off, and its log says where; it may have printed';

/** What a kernel is made of. */
export interface KernelParts {
  readonly image: ImageInfo;
  readonly run: RunOptions;
  readonly beside: Node['beside'];
  readonly plugins: readonly Plugin[];
  readonly recipes: BuiltinRows;
  readonly bindings: Bindings;
  readonly settings: Settings;
  readonly contract: Contract;
  readonly log: Logger;
  /** How long the bus is to be quiet before devices are tried; by default `PAUSES_MS`. */
  readonly pausesMs?: Pauses;
}

/**
 * One node. The constructor composes the plugins and calls their `room`; it throws a CompositionError if they conflict, and an
 * error that names the plugin where one throws that others require.
 * Members that `Node` has are documented there.
 */
export class Kernel implements Node {
  readonly image: ImageInfo;
  readonly run: RunOptions;
  readonly beside: Node['beside'];
  readonly rooms: Rooms;
  readonly hooks: Hooks;
  readonly bindings: Bindings;
  readonly settings: Settings;
  readonly contract: Contract;
  readonly log: Logger;
  readonly composition: Composition;
  readonly config: KernelConfig;
  readonly recipes: RecipeTable;
  readonly keys = new Keys(this);
  readonly ledger = new Ledger();
  readonly hotplug: Hotplug;
  /** In the order in which they were declared. */
  readonly routes: readonly ServedRoute[];
  readonly startedAt = performance.now();
  readonly listening = new Listening(() => this.hooks.presence.call());
  readonly #offers: ReadonlyMap<string, unknown>;
  /** The id of a node that has none stored. */
  readonly #newDeviceId = newDeviceId();
  readonly #commands = new Shares(COMMANDS, COMMANDS_OF_ONE_ADDRESS);
  /** Places of commands that wait for nobody's turn: however many others wait, they are let in. */
  readonly #prompt = new Shares(COMMANDS, COMMANDS_OF_ONE_ADDRESS);
  #recording = false;
  /** Number of `unrecorded` calls that are running. */
  #unrecorded = 0;
  #stopping = false;
  #holds = 0;
  /** The devices that were plugged in at the start are being bound. */
  #binding: Promise<void> | undefined;
  /** Commands that were let in, and have no result. */
  #running = 0;
  readonly #whenIdle: (() => void)[] = [];
  /** A first id is being stored. */
  #stored: Promise<void> | undefined;

  constructor({ image, run, beside, plugins, recipes, bindings, settings, contract, log, pausesMs }: KernelParts) {
    this.image = image;
    this.run = run;
    this.beside = beside;
    this.bindings = bindings;
    this.settings = settings;
    this.contract = contract;
    this.log = log;
    this.composition = compose(plugins, CORE_ERRORS);
    // A room of this tree that throws where nobody waits for it ends one run; the next one knows whose it is, and goes on.
    this.rooms = new Rooms(plugins, log, image.roomsAreOwn !== true || bindings.boot.reason === 'crash');
    this.hooks = createHooks(this.rooms);
    this.hooks.quiet.tapPromise('kernel', (timeoutMs) => this.#idle(timeoutMs));
    this.config = new KernelConfig(this.composition.config, { settings, contract, hooks: this.hooks, log, image });
    this.recipes = new RecipeTable(recipes, this.composition.codecs);
    this.hotplug = new Hotplug(this.composition.endpoints.values(), {
      hooks: this.hooks,
      ledger: this.ledger,
      recipes: this.recipes,
      rooms: this.rooms,
      log,
      places: new Places(settings, log),
      ...(pausesMs && { pausesMs }),
    });
    this.#offers = new Map(
      plugins.map(({ name, offers }) => [name, this.#opened(name, 'offers', () => offers?.(this))]),
    );
    this.routes = plugins.flatMap(({ name, room: open, routes = [] }) => {
      const room = this.#opened(name, 'room', () => open?.(this, this.#offers.get(name)));
      return routes.map((route) => ({ plugin: name, route, room }));
    });
    requireBinders(
      this.composition.plugins.filter(({ name }) => !this.rooms.isOff(name)),
      (kind) => this.hooks.bind.get(kind)?.isUsed() === true,
    );
  }

  /** What this function of a plugin returns; undefined where it throws, or the plugin is off already. */
  #opened<T>(plugin: string, where: 'offers' | 'room', work: () => T): T | undefined {
    if (this.rooms.isOff(plugin)) return undefined;
    try {
      return this.rooms.run(plugin, work);
    } catch (error) {
      this.rooms.cannotStart(plugin, where, error);
      return undefined;
    }
  }

  /** Starts the rooms, then the USB binding. Rejects where a room cannot start that others require. */
  async start(): Promise<void> {
    // A first id is known before it is on the disk, which nobody need wait for; one that is replaced is the old one until then.
    const isFirst = this.settings.read('identity') === undefined;
    if (!isFirst) await this.#storeDeviceId();
    await this.keys.load();
    await this.hooks.start.promise();
    if (isFirst) this.#stored = this.#storeDeviceId();
    await this.bindings.usb.start(new TransferTap(this.hotplug, this));
    this.hotplug.scanned();
    const isOver = () => {
      this.#binding = undefined;
    };
    this.#binding = inTime(this.hotplug.settled(), BINDING_MS).then(isOver, isOver);
  }

  get deviceId(): string {
    return this.settings.read('identity')?.deviceId ?? this.#newDeviceId;
  }

  async #storeDeviceId(): Promise<void> {
    const stored = this.settings.read('identity');
    if (stored !== undefined && stored.next === undefined) return;
    const identity = { deviceId: stored?.next ?? this.#newDeviceId };
    await this.settings
      .update((draft) => {
        draft.identity = identity;
      })
      .catch((error: unknown) => this.log.warn({ error: messageOf(error) }, 'the device id cannot be stored'));
  }

  get recording(): boolean {
    return this.#recording && this.#unrecorded === 0;
  }

  set recording(on: boolean) {
    this.#recording = on;
  }

  async unrecorded<T>(work: () => Promise<T>): Promise<T> {
    this.#unrecorded += 1;
    try {
      return await work();
    } finally {
      this.#unrecorded -= 1;
    }
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  get restarting(): boolean {
    return this.#stopping || this.#holds > 0;
  }

  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
    };
  }

  /**
   * To be called with an error that nobody caught. Whether the node goes on: it is that of a room whose devices it can do
   * without; they are let go and bound anew, as the work that drove them may have broken off. A service is well again only after a restart.
   */
  survives(thrown: unknown): boolean {
    const room = this.rooms.running;
    if (room === undefined) return false;
    const isSeldom = this.rooms.threw(room, 'by itself', thrown);
    if (!this.rooms.isSpared(room)) return false;
    const { endpoints = [] } = this.composition.plugins.find(({ name }) => name === room) ?? {};
    for (const { id } of isSeldom ? endpoints : []) {
      const { condition, identity } = this.hotplug.state(id) ?? {};
      if (identity !== undefined && (condition === 'bound' || condition === 'silent')) this.lookAgain(identity.port);
    }
    return true;
  }

  /** Stops the rooms, last tapped first, then releases the devices. A failure is logged; the other parts still stop. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { name, fn } of this.hooks.stop.taps.toReversed()) {
      await this.#attempt(name, fn as () => Promise<void> | void);
    }
    await this.#attempt('hotplug', () => this.hotplug.stop());
    await this.#attempt('usb', () => this.bindings.usb.stop());
    await this.#stored;
  }

  async #attempt(name: string, stop: () => Promise<void> | void): Promise<void> {
    try {
      await stop();
    } catch (error) {
      this.log.error({ plugin: name, error: String(error) }, 'did not stop cleanly');
    }
  }

  async command(command: Command): Promise<CommandResult> {
    const { from } = command;
    const leave = from === undefined ? () => {} : this.#placeFor(command, from);
    let result: CommandResult | undefined;
    this.#running += 1;
    try {
      if (leave === undefined) result = failed(command, 'busy', this.#awaited(command));
      else if (this.composition.endpoints.has(command.endpoint)) {
        if (this.#binding !== undefined && this.hotplug.state(command.endpoint)?.condition !== 'bound')
          await this.#binding;
        // A restart may have begun while the body of the command was read.
        if (this.restarting) result = failed(command, 'restarting');
        else {
          this.keys.isFor(command);
          this.hooks.began.call(command);
          result = await this.hooks.command.get(command.type)?.promise(command);
        }
      }
    } catch (error) {
      result = this.#thrown(command, error);
    }
    leave?.();
    result ??= failed(
      command,
      'unknown_endpoint',
      `no endpoint ${JSON.stringify(command.endpoint)} takes ${command.type}`,
    );
    this.hooks.commanded.call(command, result);
    this.event(result as unknown as NodeEvent);
    this.#running -= 1;
    if (this.#running === 0) for (const isIdle of this.#whenIdle.splice(0)) isIdle();
    return result;
  }

  /** Resolves when no command is under way, at the latest after so long. */
  async #idle(timeoutMs: number): Promise<void> {
    if (this.#running === 0) return;
    await inTime(new Promise<void>((resolve) => this.#whenIdle.push(resolve)), timeoutMs).catch(() => {});
  }

  #placeFor(command: Command, from: string): (() => void) | undefined {
    const leave = this.#commands.take(from);
    if (this.hooks.prompt.call(command) !== true) return leave;
    const prompt = this.#prompt.take(from);
    if (prompt === undefined) leave?.();
    return (
      prompt &&
      (() => {
        leave?.();
        prompt();
      })
    );
  }

  /** The detail of `busy`. */
  #awaited(command: Command): string {
    const waiting = `${COMMANDS} commands wait, or ${COMMANDS_OF_ONE_ADDRESS} of this address; nothing was written`;
    const what = this.hooks.awaited.call(command);
    return what === undefined ? waiting : `${waiting}; ${what}`;
  }

  /**
   * The result where a tap threw: an ApiError gives its code and detail; anything else is logged and gives `internal`, or
   * `write_failed` of a command whose turn had come: nobody knows then what left.
   */
  #thrown(command: Command, error: unknown): CommandResult {
    if (error instanceof ApiError) return failed(command, error.code, error.detail);
    const { type, id, endpoint } = command;
    if (!this.rooms.knows(error)) this.log.error({ type, id, endpoint, error: stackOf(error) }, 'command failed');
    return command.hasBegun === true ? failed(command, 'write_failed', BROKEN_OFF) : failed(command, 'internal');
  }

  get channels(): ReadonlyMap<string, ChannelsDeclaration> {
    return this.composition.channels;
  }

  get webhookEvents(): readonly string[] {
    return this.composition.webhookEvents;
  }

  get errors(): ReadonlyMap<string, ErrorRow> {
    return this.composition.errors;
  }

  endpoints(kind?: string): EndpointState[] {
    const states = this.hotplug.states();
    return kind === undefined ? states : states.filter(({ declaration }) => declaration.kind === kind);
  }

  endpoint(id: string): EndpointState | undefined {
    return this.hotplug.state(id);
  }

  bound<Kind extends keyof BoundKinds>(kind: Kind, endpoint: string): BoundKinds[Kind] | undefined {
    // The plugin that binds a kind says in `BoundKinds` what it returns for it.
    return this.hotplug.bound(kind, endpoint) as BoundKinds[Kind] | undefined;
  }

  bring(endpoint: string, by: Bound | undefined): void {
    this.hotplug.bring(endpoint, by);
  }

  lookAgain(port: string): void {
    this.hotplug.again(port);
  }

  offered<Name extends keyof Offers>(plugin: Name): Offers[Name] | undefined {
    return this.#offers.get(plugin) as Offers[Name] | undefined;
  }

  serves(method: string, path: string): boolean {
    return this.composition.routes.some((route) => route.method === method && route.path === path);
  }

  settled(): Promise<void> {
    return this.hotplug.settled();
  }

  event(event: NodeEvent): void {
    this.hooks.event.call(event);
  }

  status(): StatusDraft {
    const draft: StatusDraft = {};
    this.hooks.status.call(draft);
    return draft;
  }
}
