/** An HTTP response, as handlers and hooks return it. */
import type { Readable } from 'node:stream';

/**
 * A response that is not just a 200 with JSON. A Readable body is streamed; a string or bytes need a `Content-Type`.
 */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  /** Undefined where it has none of its own. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  constructor(status: number, body: unknown, headers?: Readonly<Record<string, string>>) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}
/** The body of a response; an object is sent as JSON. */
export type ReplyBody = Readable | Uint8Array | string | object;
