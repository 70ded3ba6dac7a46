/**
 * Typed client of the LAN API, for browsers and Node. The calls are those of the rooms (`client.ts` in each), and the
 * shapes those of their contracts: nothing is stated twice.
 */
import { rooms } from 'virtual:client';
import type { Calls, NodeEvent } from '../kernel/registry.ts';
import { Access } from './access.ts';
import { type EventOptions, eventsOf } from './events.ts';
import { type CallOptions, type ClientOptions, Transport } from './transport.ts';

export type * from '../kernel/registry.ts';
export { NodeError, type Retry } from './errors.ts';
export { type EventOptions, eventIdOf } from './events.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type * from './types.ts';
export { verifyWebhook } from './webhook.ts';

class Client {
  readonly #transport: Transport;
  readonly #access: Access;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.#access = new Access(this.#transport, rooms);
    for (const { calls } of rooms) Object.assign(this, calls?.(this.#access));
  }

  /** Any route, also one of a plugin that this client does not know. Throws a `NodeError` on a refusal. */
  request<R = unknown>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<R> {
    return this.#access.request(method, path, body, options);
  }

  /**
   * Everything that happens, from now on: connects again by itself, until it is aborted or left. `events<T>()` names the
   * events of a plugin that this client does not know.
   */
  events<Other extends { readonly type: string } = never>(
    options: EventOptions = {},
  ): AsyncGenerator<NodeEvent | Other, void> {
    return eventsOf<NodeEvent | Other>(this.#transport, options);
  }
}

export type NodeClient = Client & Calls;
/** A client of one node, with the calls of every room. */
export const NodeClient: new (options: ClientOptions) => NodeClient = Client as new (
  options: ClientOptions,
) => NodeClient;
