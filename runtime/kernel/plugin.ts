/**
 * The declaration of a plugin. Static facts are declared, so that an image can be described without running it;
 * behaviour is added in `room`, by taps on the node's hooks.
 */
import type { IncomingMessage } from 'node:http';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { CodecDeclaration } from '../../codecs/codec.ts';
import type { Begin } from './command.ts';
import type { ConfigDeclaration } from './config.ts';
import type { ChannelsDeclaration, EndpointDeclaration } from './device.ts';
import type { ErrorRow } from './errors.ts';
import type { Node } from './node.ts';
import type { Reply } from './reply.ts';
import type { SchemaFault } from './validator.ts';

/**
 * Which key a route needs: `none`, no key; `admin`, `strict`: the API key from that mode on; `update`: the update key.
 */
export type Tier = 'none' | 'admin' | 'strict' | 'update';

/** Whether a request is admitted still: keys and the mode may change while its body arrives, or while it is handled. */
export interface Admission {
  /** Aborted, with the ApiError as its reason, once the request would be refused: its tier asks for what it lacks now. */
  readonly revoked: AbortSignal;
  /** Throws that ApiError: the last look before something is done that cannot be undone. */
  check(): void;
}

/** The argument of a handler. `body` has passed the schema of the route. */
export interface Call<Body = unknown, Room = unknown> {
  readonly node: Node;
  /** What `room` of the same plugin returned. */
  readonly room: Room;
  readonly body: Body;
  readonly params: Readonly<Record<string, string>>;
  readonly request: IncomingMessage;
  /** The request carries the stored API key. */
  readonly hasApiKey: boolean;
  /** The request carries the stored update key. */
  readonly hasUpdateKey: boolean;
  readonly admission: Admission;
  /** For `commands: { begins: 'handler' }`, of a request that may have waited. */
  readonly begin?: Begin | undefined;
  /** The part that says when the commands of this route begin; undefined for a route without. */
  readonly begins?: 'route' | 'handler' | undefined;
  /** The key of idempotency, where the request has one. */
  readonly key?: string | undefined;
}

/** The body of a route: JSON, or text. */
export interface BodyDeclaration<S extends TSchema = TSchema> {
  readonly schema: S;
  /** Media type of a body that is no JSON, but text; the schema is then that of a string. */
  readonly type?: string;
  /** The text of such a body, by its `Content-Type`; UTF-8 where this is left out. A RangeError is a body that is refused, and says why. */
  readonly decode?: (bytes: Uint8Array, mediaType: string | undefined) => string;
  /** Largest body that is accepted, in bytes; default 64 KiB. */
  readonly limitBytes?: number;
  /** Error code for a body that does not match the schema, or a function that returns the whole response. */
  readonly invalid: string | ((fault: SchemaFault, call: Call) => Reply);
}

/** An error code that a route sends with HTTP statuses other than the one in the error table. */
export interface RouteError {
  readonly code: string;
  readonly statuses: readonly number[];
}

/** One method and path of the API. */
export interface RouteDeclaration<S extends TSchema = TSchema, Room = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly tier: Tier;
  /**
   * Returns the tier if it depends on the body (undefined if that is not JSON); `tier` is then the highest possible.
   */
  tierOf?(body: unknown): Tier;
  readonly summary: string;
  /** Header fields that this route reads, in addition to those of every route and the keys. */
  readonly headers?: TObject;
  readonly body?: BodyDeclaration<S>;
  /** For a body that is not read before the handler, which reads it from the request: its media type and largest size. */
  readonly upload?: { readonly type: string; readonly limitBytes: number };
  /** Shape of a 200 response; shape of one line where `type` is a stream of JSON lines. */
  readonly response?: TSchema;
  /** Media type of a 200 response that is not JSON: the handler returns text, bytes or a Readable. */
  readonly type?: string;
  /**
   * The route runs commands: it is `restarting` while the node does, before its body is read, and takes an
   * `Idempotency-Key` (keys.ts). `begins`: who says that it began, so that it is on the disk: the route, before the handler;
   * or the handler by `begin`, of which then nothing is in doubt that still waited. Choose `route` where the device is told at
   * once; `handler` where a command waits for its turn: the tap of `command` then awaits `command.begin?.()`, which
   * `runCommand` hands on, right before the first byte that does something.
   */
  readonly commands?: { readonly begins: 'route' | 'handler' };
  /** Error codes of this route, in addition to those of every route, its tier and its body. */
  readonly errors?: readonly (string | RouteError)[];
  /**
   * Whether a route that is no read is served on the two connections that are kept, as reads are. Others are `busy` there.
   */
  readonly always?: boolean;
  /** Checks the state before the body is read (capture_off, restarting, no_slots): throws an ApiError to refuse. */
  readonly before?: (call: Call<undefined, Room>) => void;
  /** Returns the JSON of a 200 response, or a Reply; throws an ApiError to refuse. */
  readonly handle: (call: Call<Static<S>, Room>) => unknown;
}

/** A route of a plugin whose `room` returns a value of type `Room`. */
export type Route<Room = unknown> = RouteDeclaration<TSchema, Room>;

/** A route of a running node, with the value that its plugin's `room` returned. */
export interface ServedRoute {
  /** The name of its plugin. */
  readonly plugin: string;
  readonly route: Route;
  readonly room: unknown;
}

/** For plugins with a room: `routesOf<MyRoom>()` returns a function like `route` whose handlers get `room` typed. */
export const routesOf =
  <Room>() =>
  <S extends TSchema>(declaration: RouteDeclaration<S, Room>): Route<Room> =>
    // The cast is safe: the HTTP front calls a handler only with a body that has passed the schema of the route.
    declaration as unknown as Route<Room>;

/** Declares a route whose handler needs no room. The type of `body` in the handler follows from the schema. */
export const route = routesOf<unknown>();

/** An event that a plugin sends. */
export interface EventDeclaration {
  readonly schema: TSchema;
  /** True: a webhook may be configured to carry it. */
  readonly webhook?: boolean;
}

/** An HTTP request that the node sends to a configured server; described under `webhooks` in the OpenAPI document. */
export interface WebhookDeclaration {
  readonly name: string;
  readonly summary: string;
  readonly headers: TObject;
  /** Shape of the body; its property `event`, if any, is one of the events that a webhook may carry. */
  readonly body: TObject;
  /** Types of events that may be selected even if no room of the image declares them. */
  readonly events?: readonly string[];
}

/** Version of the interface between node and plugin. */
export const PLUGIN_API = 2;

/** A plugin. `Room`: what `room` returns; `Offered`: what `offers` returns. */
export interface PluginDeclaration<Room = unknown, Offered = unknown> {
  readonly name: string;
  readonly api: typeof PLUGIN_API;
  /** Names of plugins that must be in the same image. */
  readonly requires?: readonly string[];
  readonly routes?: readonly Route<Room>[];
  readonly endpoints?: readonly EndpointDeclaration[];
  /** Kinds of which a variant may have several endpoints, with its own ids (`endpoints` in build.config.ts). */
  readonly several?: readonly string[];
  readonly codecs?: readonly CodecDeclaration[];
  readonly errors?: readonly ErrorRow[];
  readonly config?: readonly ConfigDeclaration[];
  /** By event type. */
  readonly events?: Readonly<Record<string, EventDeclaration>>;
  /** Host channels that a bound device needs. Default: one for each pipe of the device. */
  readonly channels?: ChannelsDeclaration;
  readonly webhooks?: readonly WebhookDeclaration[];
  /** What this room adds to GET /status. Where several rooms declare the same object, their properties are merged. */
  readonly status?: TObject;
  /** Error codes that taps of this room add to routes of other rooms, by `METHOD /path`. */
  readonly adds?: Readonly<Record<string, readonly string[]>>;
  /** Bounds that no schema of this room shows (specification section 8); the name contains the unit. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Shapes of other input, beside bodies and configuration, that the room validates with `node.contract`. */
  readonly inputs?: readonly TSchema[];
  /** Returns what other plugins get with `node.offered`, for example hooks. Called once per node, before any `room`. */
  readonly offers?: (node: Node) => Offered;
  /**
   * Called once per node, before it starts; taps the hooks. It returns the plugin's state in this node, which its
   * handlers get as `room`. What `bind` returns is kept by the node (`node.bound`). `offered`: what `offers` returned.
   */
  readonly room?: (node: Node, offered: Offered) => Room;
}
/** A plugin of any room type. */
export type Plugin = Readonly<PluginDeclaration>;

/** Declares a plugin; the default export of its `index.ts`. Returns it frozen. */
export const definePlugin = <Room = unknown, Offered = undefined>(
  declaration: PluginDeclaration<Room, Offered>,
  // The cast is safe: the kernel gives what `room` returned only to handlers of the same plugin.
): Plugin => Object.freeze(declaration) as unknown as Plugin;
