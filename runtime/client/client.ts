/**
 * Typed client of the LAN API, for browsers and Node. Its calls come from the rooms (`client.ts` of each), its types
 * from their contracts.
 */
/// <reference path="./virtual-client.d.ts" />
import { rooms } from 'virtual:client';
import type { Calls, NodeEvent } from '../kernel/registry.ts';
import { Access } from './access.ts';
import { type EventOptions, eventsOf } from './events.ts';
import { type ClientOptions, type KeyedOptions, Transport } from './transport.ts';

export type {
  Dither,
  Picture,
  PictureError,
  PictureFault,
  Pixels,
  RasterLine,
  RasterOptions,
} from '../../codecs/picture.ts';
export type * from '../kernel/registry.ts';
export { NodeError, type Retry } from './errors.ts';
export { type EventOptions, eventIdOf } from './events.ts';
export { raster } from './raster.ts';
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

  /** Calls any route, also one of a plugin that this client does not know. Rejects with a `NodeError`. */
  request<R = unknown>(method: string, path: string, body?: unknown, options?: KeyedOptions): Promise<R> {
    return this.#access.request(method, path, body, options);
  }

  /**
   * Yields all events from now on; reconnects until its signal is aborted or the loop is left. `events<T>()` adds the
   * types of events of a plugin that this client does not know. Throws a `NodeError` if it cannot connect at first, or
   * the node refuses.
   */
  events<Other extends { readonly type: string } = never>(
    options: EventOptions = {},
  ): AsyncGenerator<NodeEvent | Other, void> {
    return eventsOf<NodeEvent | Other>(this.#transport, options);
  }
}

/** A client of one node: its own members and the calls of every room. */
export type NodeClient = Client & Calls;
/** `new NodeClient(options)` throws a TypeError if a key contains characters that a header field cannot. */
export const NodeClient: new (options: ClientOptions) => NodeClient = Client as new (
  options: ClientOptions,
) => NodeClient;
