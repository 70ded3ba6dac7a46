/** What a room's `client.ts` makes its calls with: requests of every kind, and what their answers are read as. */
import { blobOf, linesOf } from './body.ts';
import { Deadline } from './deadline.ts';
import { NodeError } from './errors.ts';
import type { CallOptions, Sending, Transport } from './transport.ts';

/** A room's `client.ts`: one of these, as its exports. */
export interface RoomClient {
  /** The calls by their names, which become members of `NodeClient`. */
  readonly calls?: (node: Access) => object;
  /** Whether a POST makes a printer do something: such a request is never made twice. */
  readonly prints?: (path: string, body: unknown) => boolean;
}

/** Between two lines of an answer that comes line by line. */
const LINE_MS = 15_000;

export class Access {
  readonly #transport: Transport;
  readonly #rooms: readonly RoomClient[];

  constructor(transport: Transport, rooms: readonly RoomClient[]) {
    this.#transport = transport;
    this.#rooms = rooms;
  }

  /** JSON for JSON. Rejects with a `NodeError` on a refusal. */
  readonly request = <R>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<R> => {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const prints = this.#rooms.some((room) => room.prints?.(path, body) === true);
    return this.#transport.request<R>(method, path, { ...options, body: json, prints });
  };

  /** A body that is not JSON, or header fields beside it, for JSON. */
  readonly send = <R>(method: string, path: string, sending: Sending): Promise<R> =>
    this.#transport.request<R>(method, path, sending);

  /** An answer that is not JSON. */
  readonly blob = (path: string, options: CallOptions = {}): Promise<Blob> =>
    this.#transport.send('GET', path, options, blobOf);

  /** An answer of one JSON value a line, as they come; each within `timeoutMs`. */
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

  /** The whole address of a path, for whoever asks by other means. */
  readonly url = (path: string): string => this.#transport.url(path);
}
