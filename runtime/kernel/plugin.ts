/**
 * What a plugin is. Everything static is declared, so that an image can say what it can do without running;
 * behaviour is tapped on the node's hooks in `room`.
 */
import type { IncomingMessage } from 'node:http';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { CodecDeclaration } from '../../codecs/codec.ts';
import type { ConfigDeclaration } from './config.ts';
import type { SchemaFault } from './contract.ts';
import type { ChannelsDeclaration, EndpointDeclaration } from './device.ts';
import type { ErrorRow } from './errors.ts';
import type { Node } from './node.ts';
import type { Reply } from './reply.ts';

/** `none` is never gated; `admin` and `strict` name the weakest mode that asks for the API key; `update` is its own key. */
export type Tier = 'none' | 'admin' | 'strict' | 'update';

/** What a handler gets. `body` has passed the route's schema. */
export interface Call<Body = unknown, Room = unknown> {
  readonly node: Node;
  /** What `room` of the same plugin returned. */
  readonly room: Room;
  readonly body: Body;
  readonly params: Readonly<Record<string, string>>;
  readonly request: IncomingMessage;
  /** The caller showed the stored API key. */
  readonly hasApiKey: boolean;
  /** The caller showed the stored update key. */
  readonly hasUpdateKey: boolean;
}

export interface BodyDeclaration<S extends TSchema = TSchema> {
  readonly schema: S;
  /** Largest body taken, in bytes; 64 KiB where not said. */
  readonly limitBytes?: number;
  /** The code of a body that is JSON but not of this shape, or a function that words the whole answer. */
  readonly invalid: string | ((fault: SchemaFault, body: unknown, node: Node) => Reply);
}

/** A code that a route answers with other statuses than that of its row. */
export interface RouteError {
  readonly code: string;
  readonly statuses: readonly number[];
}

export interface RouteDeclaration<S extends TSchema = TSchema, Room = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly tier: Tier;
  /** The tier where it depends on what the body (undefined if it is not JSON) asks for; `tier` is then the highest. */
  tierOf?(body: unknown): Tier;
  readonly summary: string;
  /** Header fields this route reads, beside those of every route and the keys. */
  readonly headers?: TObject;
  readonly body?: BodyDeclaration<S>;
  /** A body that is not JSON: the handler reads it from the request. */
  readonly upload?: { readonly type: string; readonly limitBytes: number };
  /** What a 200 carries; one line of it where `type` is a stream of JSON lines. */
  readonly response?: TSchema;
  /** Media type of a 200 that is not JSON: text, bytes or a stream that the handler returns goes out as this. */
  readonly type?: string;
  /** Codes this route can answer beside those of every route, its tier and its body. */
  readonly errors?: readonly (string | RouteError)[];
  /** State that refuses before a body is read (capture_off, restarting, no_slots): throw an ApiError. */
  readonly before?: (call: Call<undefined, Room>) => void;
  /** Returns the JSON of a 200, or a Reply; throws an ApiError to refuse. */
  readonly handle: (call: Call<Static<S>, Room>) => unknown;
}

/** A route of a plugin whose handlers need such a room. */
export type Route<Room = unknown> = RouteDeclaration<TSchema, Room>;

/** A route as it is served: with what `room` of its plugin returned. */
export interface ServedRoute {
  readonly route: Route;
  readonly room: unknown;
}

/** Declares the routes of a plugin with a room: says its type once, and every handler gets it as `room`. */
export const routesOf =
  <Room>() =>
  <S extends TSchema>(declaration: RouteDeclaration<S, Room>): Route<Room> =>
    // The front calls a handler with no body but one that has passed the schema of the route.
    declaration as unknown as Route<Room>;

/** Declares a route whose handler needs no room. Keeps the body's type between its schema and its handler. */
export const route = routesOf<unknown>();

export interface EventDeclaration {
  readonly schema: TSchema;
  /** A webhook may carry it. */
  readonly webhook?: boolean;
}

/** Requests that the node itself sends, to whoever it is configured to. */
export interface WebhookDeclaration {
  readonly name: string;
  readonly summary: string;
  readonly headers: TObject;
  /** With an `event`: one of those that a webhook may carry, as the rooms of the image declare them. */
  readonly body: TObject;
  /** Types of events that may be selected whether or not a room of the image declares them. */
  readonly events?: readonly string[];
}

/** Version of the interface between node and plugin. */
export const PLUGIN_API = 2;

export interface PluginDeclaration<Room = unknown, Offered = unknown> {
  readonly name: string;
  readonly api: typeof PLUGIN_API;
  /** Names of plugins that must be in the same image. */
  readonly requires?: readonly string[];
  readonly routes?: readonly Route<Room>[];
  readonly endpoints?: readonly EndpointDeclaration[];
  /** Kinds of its endpoints of which a variant may have several, by ids of its own (`endpoints` in build.config.ts). */
  readonly several?: readonly string[];
  readonly codecs?: readonly CodecDeclaration[];
  readonly errors?: readonly ErrorRow[];
  readonly config?: readonly ConfigDeclaration[];
  /** By the type of the event. */
  readonly events?: Readonly<Record<string, EventDeclaration>>;
  /** Where it is left out, every pipe of a device of the room counts. */
  readonly channels?: ChannelsDeclaration;
  readonly webhooks?: readonly WebhookDeclaration[];
  /** What this room writes into GET /status; an object that several rooms write into has the properties of all. */
  readonly status?: TObject;
  /** Codes that the taps of this room make routes of other rooms answer, by `METHOD /path`. */
  readonly adds?: Readonly<Record<string, readonly string[]>>;
  /** Bounds that no schema of this room shows (specification section 8), the unit in the name. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Shapes of what comes in from outside beside bodies and configuration, for `node.contract`. */
  readonly inputs?: readonly TSchema[];
  /** What this plugin offers to others (`node.offered`), hooks of its own for example. Made for each node, before any room. */
  readonly offers?: () => Offered;
  /**
   * Called once for each node, before it starts: taps the hooks. What it returns is the state of this plugin in that
   * node, and its handlers get it as `room`; the node keeps what `bind` returned. `offered` is what `offers` returned.
   */
  readonly room?: (node: Node, offered: Offered) => Room;
}
export type Plugin = Readonly<PluginDeclaration>;

export const definePlugin = <Room = unknown, Offered = undefined>(
  declaration: PluginDeclaration<Room, Offered>,
  // The kernel gives to the handlers of a plugin what its own `room` returned, and to nobody else.
): Plugin => Object.freeze(declaration) as unknown as Plugin;
