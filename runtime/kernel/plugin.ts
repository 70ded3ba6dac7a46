/**
 * What a plugin is. Everything static is declared, so that an image can say what it can do without running;
 * behaviour is tapped on the kernel's hooks in `apply`.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { CodecDeclaration } from '../../codecs/codec.ts';
import type { SchemaFault } from './contract.ts';
import type { ErrorRow } from './errors.ts';
import type { Kernel } from './kernel.ts';

/** `none` is never gated; `admin` and `strict` name the weakest mode that asks for the API key; `update` is its own key. */
export type Tier = 'none' | 'admin' | 'strict' | 'update';

/** What a handler gets. `body` has passed the route's schema. */
export interface Call<Body = unknown> {
  readonly kernel: Kernel;
  readonly body: Body;
  readonly params: Readonly<Record<string, string>>;
  readonly request: IncomingMessage;
  /** The caller showed the stored API key. */
  readonly hasApiKey: boolean;
  /** The caller showed the stored update key. */
  readonly hasUpdateKey: boolean;
}

/** An answer that is more than a 200 with JSON. A Readable body is streamed; a string or bytes need a type. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}
export type ReplyBody = Readable | Uint8Array | string | object;

export interface BodyDeclaration<S extends TSchema = TSchema> {
  readonly schema: S;
  /** Largest body taken, in bytes; 64 KiB where not said. */
  readonly limitBytes?: number;
  /** The code of a body that is JSON but not of this shape, or a function that words the whole answer. */
  readonly invalid: string | ((fault: SchemaFault, body: unknown, kernel: Kernel) => Reply);
}

/** A code that a route answers with other statuses than that of its row. */
export interface RouteError {
  readonly code: string;
  readonly statuses: readonly number[];
}

export interface RouteDeclaration<S extends TSchema = TSchema> {
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
  before?(call: Call<undefined>): void;
  /** Returns the JSON of a 200, or a Reply; throws an ApiError to refuse. */
  handle(call: Call<Static<S>>): unknown;
}

/** Keeps the body's type between a route's schema and its handler. */
export const route = <S extends TSchema>(declaration: RouteDeclaration<S>): RouteDeclaration =>
  declaration as unknown as RouteDeclaration;

export interface EndpointDeclaration {
  readonly id: string;
  readonly kind: string;
  readonly transport: 'usb' | 'node';
  readonly capabilities: readonly string[];
}

export interface ConfigDeclaration {
  readonly key: string;
  /** The value, closed; a nested object is patched key by key. */
  readonly schema: TSchema;
  readonly default: unknown;
  /** Names inside the value (or the key itself) that are write-only: a read gives `<name>Set`. */
  readonly secrets?: readonly string[];
  /** What is stored for a patched value, where the patch alone does not say it. Runs after the merge, before any check. */
  settle?(value: unknown, context: ConfigContext): unknown;
  /** Rules no schema can say; throws an ApiError. Sees the whole configuration as it would become. */
  check?(next: Readonly<Record<string, unknown>>, context: ConfigContext): void;
}

export interface ConfigContext {
  readonly previous: Readonly<Record<string, unknown>>;
  /** The patch as it came, for rules about presence (a field applies by presence, not truthiness). */
  readonly patch: Readonly<Record<string, unknown>>;
}

export interface EventDeclaration {
  readonly type: string;
  readonly schema: TSchema;
}

/** Requests that the node itself sends, to whoever it is configured to. */
export interface WebhookDeclaration {
  readonly name: string;
  readonly summary: string;
  readonly headers: TObject;
  /** With an `event`: one of those whose type its schema names, as the rooms of the image declare them. */
  readonly body: TObject;
}

export interface PluginDeclaration {
  readonly name: string;
  /** Version of this interface. */
  readonly api: 1;
  /** Names of plugins that must be in the same image. */
  readonly requires?: readonly string[];
  readonly routes?: readonly RouteDeclaration[];
  readonly endpoints?: readonly EndpointDeclaration[];
  readonly codecs?: readonly CodecDeclaration[];
  readonly errors?: readonly ErrorRow[];
  readonly config?: readonly ConfigDeclaration[];
  readonly events?: readonly EventDeclaration[];
  readonly webhooks?: readonly WebhookDeclaration[];
  /** What this room writes into GET /status; an object that several rooms write into has the properties of all. */
  readonly status?: TObject;
  /** Codes that the taps of this room make routes of other rooms answer, by `METHOD /path`. */
  readonly adds?: Readonly<Record<string, readonly string[]>>;
  /** Bounds that no schema of this room shows (specification section 8), the unit in the name. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Shapes of what comes in from outside beside bodies and configuration, for `kernel.contract`. */
  readonly inputs?: readonly TSchema[];
  apply?(kernel: Kernel): void;
}
export type Plugin = Readonly<PluginDeclaration>;

export const definePlugin = (declaration: PluginDeclaration): Plugin => Object.freeze(declaration);
