/** The interface between a plugin and the node that it runs in. Plugins use nothing else of the kernel. */

import type { Language } from '../base/language.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { RecipeTable } from '../recipes/table.ts';
import type { CommandResult } from './command.ts';
import type { KernelConfig } from './config.ts';
import type { Bound, ChannelsDeclaration, EndpointState } from './device.ts';
import type { ErrorRow } from './errors.ts';
import type { Hooks, StatusDraft } from './hooks.ts';
import type { Keys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { Listening } from './listening.ts';
import type { Logger } from './log.ts';
import type { BoundKinds, Hardware, NodeCommand, NodeEvent, Offers } from './registry.ts';
import type { Rooms } from './rooms.ts';
import type { Settings } from './settings.ts';
import type { Contract } from './validator.ts';

/** What the build put into this image. */
export interface ImageInfo {
  readonly variant: string;
  readonly version: string;
  /** Host channels of the USB bus. */
  readonly usbChannels: number;
  readonly hardware: Readonly<Partial<Hardware>>;
  /** Raw Ed25519 public keys (32 bytes, base64) that the next image may be signed with. */
  readonly trustedKeys: readonly string[];
  /** Lowest security floor that the next image may have: older images, with known faults, are refused. */
  readonly securityFloor: number;
  /** ISO 15924 codes of the scripts that this image has faces of, and so can draw. */
  readonly scripts: readonly string[];
  /** None of its rooms is from another package or folder. */
  readonly roomsAreOwn?: true;
  /** The language of its printed notices, which are in English, too; none: English alone. */
  readonly language?: Language;
}

/** How this process was started. */
export interface RunOptions {
  readonly host: string;
  readonly port: number;
  /** TCP ports that rooms listen on, by the name of the listener; 0 or none: any free one. */
  readonly ports: Readonly<Record<string, number>>;
  /** The node owns the machine: network, buttons and restarts. */
  readonly appliance: boolean;
}

/** The part of the recipe table that plugins use. */
export type Recipes = Pick<RecipeTable, 'resolve' | 'replace' | 'refused' | 'codecNames'>;

/** The node as plugins see it. Call its methods on it (`node.event(…)`): taken apart they lose it. */
export interface Node {
  /**
   * Eight lower-case hexadecimal digits, random, made at the first start and stored; where they cannot be stored, they
   * last as long as the process.
   */
  readonly deviceId: string;
  readonly image: ImageInfo;
  readonly run: RunOptions;
  /** The path of a file of this image, by its name: what the build put beside the bundle. Throws if it is not there. */
  beside(name: string): string;
  /** The machine: USB bus, storage, memory, clock and network links. */
  readonly bindings: Bindings;
  readonly log: Logger;
  /** The extension points that plugins tap. */
  readonly hooks: Hooks;
  readonly config: Pick<KernelConfig, 'get' | 'view' | 'patch'>;
  /** Stored data that is not configuration; each room writes its own sections. */
  readonly settings: Settings;
  /** Validates values against declared schemas. */
  readonly contract: Contract;
  readonly recipes: Recipes;
  /** Keys of idempotency, of the routes that run commands. */
  readonly keys: Pick<Keys, 'once' | 'interrupted' | 'isKnown' | 'settle' | 'mark' | 'planted'>;
  /** Which rooms are off, and what rooms threw. */
  readonly rooms: Rooms;
  /** The error table of this image, by code. */
  readonly errors: ReadonlyMap<string, ErrorRow>;
  /** Which host channels a bound device needs, by kind, for the kinds whose rooms declare it. */
  readonly channels: ReadonlyMap<string, ChannelsDeclaration>;
  /** Types of the events that a webhook may carry. */
  readonly webhookEvents: readonly string[];
  /** The USB devices seen since the start, and the latest rejections. */
  readonly ledger: Pick<Ledger, 'devices' | 'rejections' | 'stands'>;
  /** The addresses of open listeners as HOST:PORT, by name (`http`, `raw`); `mdns` is the host name in use. */
  readonly listening: Listening;
  /** When the node was created (monotonic ms); for uptimes. */
  readonly startedAt: number;
  /** The node is stopping: take no new work. */
  readonly stopping: boolean;
  /** The node is about to restart or stop: commands are refused. */
  readonly restarting: boolean;
  /**
   * Traffic is being recorded: the room `capture` sets it. A device of the bus reports its transfers of itself; only a room that
   * moves bytes by another way calls `hooks.transfer`, while this is true.
   */
  recording: boolean;

  /** The state of every endpoint, or of those of one kind, in the order of declaration. */
  endpoints(kind?: string): readonly EndpointState[];
  /** The state of one endpoint; undefined if the image has none of that id. */
  endpoint(id: string): EndpointState | undefined;
  /**
   * What `bind` returned for the device at an endpoint; undefined if none is bound or the endpoint is of another kind.
   */
  bound<Kind extends keyof BoundKinds>(kind: Kind, endpoint: string): BoundKinds[Kind] | undefined;
  /**
   * Sets the device of an endpoint of transport `node`; undefined removes it. The previous one is released. Throws if
   * the image has no such endpoint.
   */
  bring(endpoint: string, by: Bound | undefined): void;
  /** What another plugin offers (`PluginDeclaration.offers`); undefined if the image has no plugin of that name. */
  offered<Name extends keyof Offers>(plugin: Name): Offers[Name] | undefined;
  /** Whether the image has a route with this method and path. */
  serves(method: string, path: string): boolean;
  /** Runs a command and resolves with its result, which is also sent as an event. Never rejects. */
  command(command: NodeCommand): Promise<CommandResult>;
  /** Sends an event to the event stream, the webhook and every tap of `hooks.event`. */
  event(event: NodeEvent): void;
  /** The body of GET /status. */
  status(): StatusDraft;
  /** Runs work that transfers a credential; nothing is recorded until it settles. Settles as the work does. */
  unrecorded<T>(work: () => Promise<T>): Promise<T>;
  /** Refuses commands (`restarting`) until the returned function is called, once. */
  hold(): () => void;
  /** Lets go of the USB device on a port and looks at it anew, where a person has said what it is. */
  lookAgain(port: string): void;
  /** Resolves when every connect and disconnect reported so far has been processed. */
  settled(): Promise<void>;
}
