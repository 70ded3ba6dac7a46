/** An answer to an HTTP request, as handlers and hooks give it. */
import type { Readable } from 'node:stream';

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
