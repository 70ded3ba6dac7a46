/** What a route is: from one declaration come the check of a request, the type in the handler and the OpenAPI document. */
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Context } from 'koa';
import { closed, open } from '../../base/schema.ts';
import type { ErrorCode } from './errors.ts';
import type { Role, RouteAccess, Scope } from './roles.ts';

/** What a provider said of somebody, as far as it counts here. `email`: verified, in small letters. */
export interface Claims {
  readonly sub: string;
  readonly email?: string;
  readonly groups?: readonly string[];
}

/** The person or program that asks: the name that the audit has. */
export interface Who {
  readonly name: string;
  /** What a person may, or what a token is for. */
  readonly role: Role | Scope;
  /** The name of the local account, of who has one. */
  readonly person?: string;
  /** What a provider said of who came from there. */
  readonly claims?: Claims;
}

/** The argument of a handler. `body` and `query` have passed their schemas. */
export interface Call<Body = unknown, Query = unknown> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  /** The operator; undefined on routes that others may use. */
  readonly who: Who | undefined;
  /** The address that the request came from. */
  readonly address: string;
  readonly context: Context;
  /** For who reads a long body himself: throws the Refusal `unauthorized` or `forbidden` where who asks may not any more. */
  readonly mustStillMay: () => Promise<unknown>;
  /** For who answers strangers: resolves when it is the turn of their address, as before a refusal. */
  readonly turn: () => Promise<void>;
}

/** One method and path. */
export interface Route<B extends TSchema = TSchema, Q extends TObject = TObject> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` is a parameter. */
  readonly path: string;
  readonly summary: string;
  /** The people and programs that may use it. */
  readonly access: RouteAccess;
  /** What its query may have; NONE unless given: a parameter with another name is refused, as a field of a body is. */
  readonly query?: Q;
  /** JSON body, at most 64 KiB unless `limitBytes` says more. */
  readonly body?: B;
  readonly limitBytes?: number;
  /** Media type of a body that is not JSON; the handler reads it. */
  readonly upload?: string;
  /** JSON of the response 200; 204 where there is none. */
  readonly response?: TSchema;
  /** Media type of a response that is not JSON. */
  readonly type?: string;
  /** Further statuses, with what they mean. */
  readonly also?: Readonly<Record<number, string>>;
  readonly errors?: readonly ErrorCode[];
  /** Returns the JSON of the response, undefined for 204, or PASSED where it has set the response itself. */
  handle(call: Call<Static<B>, Static<Q>>): Promise<unknown> | unknown;
}

/** The query of a route that takes no parameters. */
export const NONE = closed({}, { $id: 'NoQuery' });
/** The query of an address that others send browsers to: what they add is theirs (RFC 6749, 4.1.2, has it ignored). */
export const ANY = open({}, { $id: 'AnyQuery' });

/** What a handler returns that has written status and body to the context. */
export const PASSED = Symbol('passed');

/** Declares a route; the types of `body` and `query` follow from the schemas. */
export const route = <B extends TSchema = TSchema, Q extends TObject = TObject>(declared: Route<B, Q>): Route =>
  // A handler is called with what has passed its schemas only.
  declared as unknown as Route;

/** A parameter of a path as the key of a row; one that no row has where it is not a number. */
export const numberOf = (text = ''): number => (/^\d{1,9}$/.test(text) ? Number(text) : -1);
