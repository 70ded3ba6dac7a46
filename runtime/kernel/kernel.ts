/**
 * The kernel: plugins, commands, events, endpoints and USB devices. It names no device kind and no service; what a
 * node does is what its plugins tapped.
 */
import type { Band, Bindings } from '../bindings/bindings.ts';
import { type Command, type CommandResult, failed } from './command.ts';
import { type Composition, compose } from './composition.ts';
import { Config } from './config.ts';
import type { Contract } from './contract.ts';
import { CORE_ERRORS } from './core-errors.ts';
import { ApiError } from './errors.ts';
import { createHooks, type Hooks, type NodeEvent, type StatusDraft } from './hooks.ts';
import { Hotplug } from './hotplug.ts';
import { Ledger } from './ledger.ts';
import { Listening } from './listening.ts';
import type { Logger } from './log.ts';
import type { Plugin } from './plugin.ts';
import { type RecipeRow, RecipeTable } from './recipes.ts';
import type { Settings } from './settings.ts';
import { messageOf, stackOf } from './thrown.ts';
import { TransferTap } from './transfer-tap.ts';

/** What the build put into this image. */
export interface ImageInfo {
  readonly variant: string;
  readonly version: string;
  /** Host channels of the USB bus. */
  readonly usbChannels: number;
  /** Bands the radio of this hardware has. */
  readonly bands: readonly Band[];
  /** Raw Ed25519 public keys in base64: who may sign the next image. */
  readonly trustedKeys: readonly string[];
  /** Lowest security floor that the next image may have. */
  readonly securityFloor: number;
}

/** How this process was started. */
export interface RunOptions {
  readonly host: string;
  readonly port: number;
  readonly rawPort: number;
  /** The node owns the machine: network, buttons and restarts. */
  readonly appliance: boolean;
}

export interface KernelParts {
  readonly image: ImageInfo;
  readonly run: RunOptions;
  readonly plugins: readonly Plugin[];
  readonly recipes: readonly RecipeRow[];
  readonly bindings: Bindings;
  readonly settings: Settings;
  readonly contract: Contract;
  readonly log: Logger;
}

export class Kernel {
  readonly image: ImageInfo;
  readonly run: RunOptions;
  readonly hooks: Hooks;
  readonly bindings: Bindings;
  readonly settings: Settings;
  readonly contract: Contract;
  readonly log: Logger;
  readonly composition: Composition;
  readonly config: Config;
  readonly recipes: RecipeTable;
  readonly ledger = new Ledger();
  readonly hotplug: Hotplug;
  /** Monotonic, for ages. */
  readonly startedAt = performance.now();
  /** What listens, as HOST:PORT, by the name of what it is (`http`, `raw`); `mdns` is the host name it is found by. */
  readonly listening = new Listening(() => this.hooks.presence.call());
  #recording = false;
  /** Works under way whose bytes nobody may see. */
  #unrecorded = 0;
  #stopping = false;
  #holds = 0;

  constructor({ image, run, plugins, recipes, bindings, settings, contract, log }: KernelParts) {
    this.image = image;
    this.run = run;
    this.bindings = bindings;
    this.settings = settings;
    this.contract = contract;
    this.log = log;
    this.composition = compose(plugins, CORE_ERRORS);
    this.hooks = createHooks(({ plugin, hook, error }) => {
      log.error({ plugin, hook, error: messageOf(error) }, 'plugin failed and was skipped');
    });
    this.config = new Config(this.composition.config, { settings, contract, hooks: this.hooks, log });
    this.recipes = new RecipeTable(recipes);
    this.hotplug = new Hotplug(this.composition.endpoints.values(), {
      hooks: this.hooks,
      ledger: this.ledger,
      recipes: this.recipes,
      log,
    });
    for (const plugin of plugins) plugin.apply?.(this);
  }

  async start(): Promise<void> {
    await this.hooks.start.promise();
    await this.bindings.usb.start(new TransferTap(this));
  }

  /** Somebody records traffic: whoever moves bytes tells `hooks.transfer`. While it is off, nobody looks at them. */
  get recording(): boolean {
    return this.#recording && this.#unrecorded === 0;
  }

  set recording(on: boolean) {
    this.#recording = on;
  }

  /** For work that moves a credential: nothing is recorded until it has settled. */
  async unrecorded<T>(work: () => Promise<T>): Promise<T> {
    this.#unrecorded += 1;
    try {
      return await work();
    } finally {
      this.#unrecorded -= 1;
    }
  }

  /** No new work is taken: the node is about to end. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Commands are refused: the node is about to restart. */
  get restarting(): boolean {
    return this.#stopping || this.#holds > 0;
  }

  /** Has commands refused until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
    };
  }

  /** Rooms finish what they have in hand, last tapped first; then the devices are let go. Each part gets its turn. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { name, fn } of this.hooks.stop.taps.toReversed()) {
      await this.#attempt(name, fn as () => Promise<void> | void);
    }
    await this.#attempt('hotplug', () => this.hotplug.stop());
    await this.#attempt('usb', () => this.bindings.usb.stop());
  }

  async #attempt(name: string, stop: () => Promise<void> | void): Promise<void> {
    try {
      await stop();
    } catch (error) {
      this.log.error({ plugin: name, error: String(error) }, 'did not stop cleanly');
    }
  }

  /** Runs a command to its one result, which is also an event. Never rejects. */
  async command(command: Command): Promise<CommandResult> {
    let result: CommandResult | undefined;
    try {
      if (this.composition.endpoints.has(command.endpoint)) {
        result = await this.hooks.command.get(command.type)?.promise(command);
      }
    } catch (error) {
      result = this.#thrown(command, error);
    }
    result ??= failed(
      command,
      'unknown_endpoint',
      `no endpoint ${JSON.stringify(command.endpoint)} takes ${command.type}`,
    );
    this.hooks.commanded.call(command, result);
    this.event(result as unknown as NodeEvent);
    return result;
  }

  /** A tap threw: that, too, is an outcome. A refusal is told; the particulars of a fault are for the log. */
  #thrown(command: Command, error: unknown): CommandResult {
    if (error instanceof ApiError) return failed(command, error.code, error.detail);
    const { type, id, endpoint } = command;
    const what = stackOf(error);
    this.log.error({ type, id, endpoint, error: what }, 'command failed');
    return failed(command, 'internal');
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
