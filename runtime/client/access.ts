/** The requests that a room's `client.ts` makes its calls from. */
import { defined } from '../base/defined.ts';
import { blobOf, linesOf } from './body.ts';
import { Deadline } from './deadline.ts';
import { NodeError } from './errors.ts';
import { once } from './once.ts';
import type { CallOptions, KeyedOptions, Sending, Transport } from './transport.ts';

/** What a room's `client.ts` may export. */
export interface RoomClient {
  /** Returns the room's calls by name; they become members of `NodeClient`. */
  readonly calls?: (node: Access) => object;
  /** Whether a POST makes a printer do something: such a request is never repeated. */
  readonly prints?: (path: string, body: unknown) => boolean;
}

/** Default time limit between two lines of a response. */
const LINE_MS = 15_000;

/** Requests to one node, with its keys and time limits. */
export class Access {
  readonly #transport: Transport;
  readonly #rooms: readonly RoomClient[];

  constructor(transport: Transport, rooms: readonly RoomClient[]) {
    this.#transport = transport;
    this.#rooms = rooms;
  }

  /** Sends `body` as JSON, resolves with the response as JSON. Rejects with a `NodeError`. */
  readonly request = <R>(method: string, path: string, body?: unknown, options: KeyedOptions = {}): Promise<R> => {
    const { key, mark, ...others } = options;
    const json = body === undefined ? undefined : JSON.stringify(body);
    const prints = method === 'POST' && this.#rooms.some((room) => room.prints?.(path, body) === true);
    const headers = defined({ 'Idempotency-Key': key, 'Idempotency-Mark': mark });
    return this.#transport.request<R>(method, path, { ...others, headers, body: json, prints });
  };

  /** As `request`, with a key that it makes: sent again until it is known what came of it (once.ts). */
  readonly once = <R>(method: string, path: string, body: unknown, options?: CallOptions): Promise<R> =>
    once((keyed) => this.request<R>(method, path, body, keyed), options);

  /**
   * Sends a body that is not JSON, or header fields; resolves with the response as JSON. Rejects with a `NodeError`.
   */
  readonly send = <R>(method: string, path: string, sending: Sending): Promise<R> =>
    this.#transport.request<R>(method, path, sending);

  /** GET, or POST where there is a body, whose response is not JSON. Rejects with a `NodeError`. */
  readonly blob = (path: string, sending: Sending = {}): Promise<Blob> =>
    this.#transport.send(sending.body === undefined ? 'GET' : 'POST', path, sending, blobOf);

  /** GET of one JSON value per line, yielded as they arrive; each within `timeoutMs`. Throws a `NodeError`. */
  async *lines<R>(path: string, { signal, timeoutMs = LINE_MS }: CallOptions = {}): AsyncGenerator<R, void> {
    const deadline = new Deadline(signal);
    try {
      deadline.start(timeoutMs);
      const response = await this.#transport.once('GET', path, { signal }, deadline.signal, async (same) => same);
      for await (const line of linesOf(response, deadline, timeoutMs)) yield JSON.parse(line) as R;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof NodeError) throw error;
      throw new NodeError(error instanceof SyntaxError ? 'bad_answer' : 'unreachable', 0, String(error));
    } finally {
      deadline.end();
    }
  }

  /** The URL of a path, for requests by other means. */
  readonly url = (path: string): string => this.#transport.url(path);
}
