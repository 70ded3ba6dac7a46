/** What a plugin sees of the node that it runs in: all that it may do, and nothing else. */
import type { Band, Bindings } from '../bindings/bindings.ts';
import type { Command, CommandResult } from './command.ts';
import type { Config } from './config.ts';
import type { Contract } from './contract.ts';
import type { Bound, ChannelsDeclaration, EndpointState } from './device.ts';
import type { ErrorRow } from './errors.ts';
import type { Hooks, StatusDraft } from './hooks.ts';
import type { Ledger } from './ledger.ts';
import type { Listening } from './listening.ts';
import type { Logger } from './log.ts';
import type { RecipeTable } from './recipes.ts';
import type { BoundKinds, NodeEvent, Offers } from './registry.ts';
import type { Settings } from './settings.ts';

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

/** Rows by which devices are driven: which one is for a device, and the rows from outside. */
export type Recipes = Pick<RecipeTable, 'resolve' | 'replace' | 'refused'>;

export interface Node {
  readonly image: ImageInfo;
  readonly run: RunOptions;
  /** The machine: USB bus, storage, memory, clock and network links. */
  readonly bindings: Bindings;
  readonly log: Logger;
  /** Where behaviour is attached. */
  readonly hooks: Hooks;
  readonly config: Pick<Config, 'get' | 'view' | 'patch'>;
  /** Stored sections that are no configuration: each room writes its own. */
  readonly settings: Settings;
  /** Looks whether a value has the shape of a declared schema. */
  readonly contract: Contract;
  readonly recipes: Recipes;
  /** Every code that this image can answer, with its HTTP status. */
  readonly errors: ReadonlyMap<string, ErrorRow>;
  /** What devices hold of the bus while they are bound, by kind, as far as their rooms say. */
  readonly channels: ReadonlyMap<string, ChannelsDeclaration>;
  /** Types of the events that a webhook may carry. */
  readonly webhookEvents: readonly string[];
  /** Which USB devices were met, and why some were refused. */
  readonly ledger: Pick<Ledger, 'devices' | 'rejections'>;
  /** What listens, as HOST:PORT, by the name of what it is (`http`, `raw`); `mdns` is the host name it is found by. */
  readonly listening: Listening;
  /** When the node was made, on the monotonic clock (ms): for ages. */
  readonly startedAt: number;
  /** No new work is taken: the node is about to end. */
  readonly stopping: boolean;
  /** Commands are refused: the node is about to restart. */
  readonly restarting: boolean;
  /** Somebody records traffic: whoever moves bytes tells `hooks.transfer`. While it is off, nobody looks at them. */
  recording: boolean;

  /** Every endpoint of the image, or of one kind, and how it stands, in the order in which they were declared. */
  endpoints(kind?: string): readonly EndpointState[];
  /** The endpoint of that id; undefined where the image has none. */
  endpoint(id: string): EndpointState | undefined;
  /** What `bind` returned for the device at an endpoint; undefined where none is bound, or the endpoint is of another kind. */
  bound<Kind extends keyof BoundKinds>(kind: Kind, endpoint: string): BoundKinds[Kind] | undefined;
  /**
   * Brings what is at an endpoint of transport `node`; undefined takes it away. What was there before is released. Throws
   * where the image has no such endpoint.
   */
  bring(endpoint: string, by: Bound | undefined): void;
  /** What another plugin offers; undefined where the image has no plugin of that name. */
  offered<Name extends keyof Offers>(plugin: Name): Offers[Name] | undefined;
  /** A route of this image answers this method and path. */
  serves(method: string, path: string): boolean;
  /** Runs a command to its one result, which is also an event. Never rejects. */
  command(command: Command): Promise<CommandResult>;
  /** Tells that something happened: to the event stream, the webhook and whoever listens. */
  event(event: NodeEvent): void;
  /** What GET /status answers. */
  status(): StatusDraft;
  /** For work that moves a credential: nothing is recorded until it has settled. Settles as the work does. */
  unrecorded<T>(work: () => Promise<T>): Promise<T>;
  /** Has commands refused until the returned function is called. */
  hold(): () => void;
  /** Resolves once every connect and disconnect reported so far has been dealt with. */
  settled(): Promise<void>;
}
