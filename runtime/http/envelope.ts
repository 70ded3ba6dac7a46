/** Responses: the header fields of every response, JSON, and the error envelope (specification 2.13) with what becomes one. */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Context, Next } from 'koa';
import { defined } from '../base/defined.ts';
import { ApiError, type ErrorRow } from '../kernel/errors.ts';
import { Reply } from '../kernel/reply.ts';
import { discard, isWhole } from './body.ts';
import { FOLLOWED } from './connection.ts';
import { LARGE_BYTES, type LargeBodies, sendSlices } from './large.ts';
import { addressOf } from './peer.ts';
import { LiveStream } from './streams.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The header fields of every response, unless it has another one of that name. */
export const EVERY_ANSWER = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};
const OF_JSON = { ...EVERY_ANSWER, 'Content-Type': JSON_TYPE };
const OF_BYTES = {
  ...EVERY_ANSWER,
  'Content-Type': 'application/octet-stream',
  // A reverse proxy passes streams on as they come (nginx, ngx_http_proxy_module, proxy_buffering).
  'X-Accel-Buffering': 'no',
};

/** The error envelope: `{"ok": false, "error": code, "detail"?}`. */
export const errorBody = (code: string, detail?: string) => ({
  ok: false,
  error: code,
  ...defined({ detail }),
});

/** What a front does its own way with what is thrown. */
export interface Refusals {
  /** The front's table of errors, by code. */
  readonly errors: ReadonlyMap<string, ErrorRow>;
  /** What to say of something else that was thrown: a fault, which is logged, is `internal` without details. */
  readonly meant: (thrown: unknown, ctx: Context) => ApiError;
  /** Answers with an error of the table, when the turn of who asked has come. */
  readonly refuse: (ctx: Context, error: ApiError, status: number) => Promise<void>;
}

/** The outermost middleware: everything that is thrown while `serve` runs becomes the error envelope. */
export const enveloping =
  (serve: (ctx: Context, next: Next) => Promise<void> | undefined, { errors, meant, refuse }: Refusals) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      await serve(ctx, next);
    } catch (thrown) {
      const error = thrown instanceof ApiError && errors.has(thrown.code) ? thrown : meant(thrown, ctx);
      await refuse(ctx, error, errors.get(error.code)?.status ?? 500);
    }
  };

/**
 * Sends what a handler returned: a Reply with its status, anything else with 200; as `type` if given, else as JSON. Gives the bytes
 * of its body, as `answer`. Throws the ApiError `busy` where its body is large and too many such wait to be read.
 */
export function send(ctx: Context, result: unknown, large: LargeBodies, type?: string): number {
  const { status, body, headers } = result instanceof Reply ? result : new Reply(200, result);
  const fields = status === 200 && type !== undefined ? { 'Content-Type': type, ...headers } : headers;
  const bytes = largeBytesOf(body);
  const { req, res } = ctx;
  const isLarge = bytes !== undefined && ctx.method !== 'HEAD';
  if (isLarge) large.hold(res, bytes, addressOf(req.socket));
  if (!isLarge || !isWhole(req)) return answer(ctx, status, bytes ?? body, fields);
  ctx.respond = false;
  res.writeHead(status, { 'Content-Length': bytes.length, ...OF_BYTES, ...fields });
  sendSlices(res, bytes);
  return bytes.length;
}

/** The bytes of a body that is large. */
function largeBytesOf(body: unknown): Uint8Array | undefined {
  if (body instanceof Uint8Array) return body.length > LARGE_BYTES ? body : undefined;
  return typeof body === 'string' && body.length > LARGE_BYTES ? Buffer.from(body) : undefined;
}

/**
 * Sends a response, as the last step of a handler. `body`: Readable, string, bytes, or anything that JSON can express. Gives its
 * bytes: none of a stream that does not end, and no end of them of another one.
 */
export function answer(
  ctx: Context,
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): number {
  const { req, res } = ctx;
  const isPayload = typeof body === 'string' || body instanceof Uint8Array || body instanceof Readable;
  if (!isPayload && isWhole(req)) {
    // Nearly every response is such a one. Koa would set and look up its fields one by one, which takes longer than all else.
    const json = jsonOf(body);
    const length = Buffer.byteLength(json);
    ctx.respond = false;
    res.writeHead(status, { 'Content-Length': length, ...OF_JSON, ...headers }).end(json);
    return length;
  }
  ctx.set(isPayload ? OF_BYTES : OF_JSON);
  if (headers !== undefined) ctx.set(headers);
  ctx.status = status;
  const payload = body instanceof Readable ? body : bytesOf(body);
  if (payload instanceof LiveStream) endsWith(req.socket, res, payload);
  const length = payload instanceof Readable ? Number.POSITIVE_INFINITY : Buffer.byteLength(payload);
  if (isWhole(req)) {
    ctx.body = payload;
    return payload instanceof LiveStream ? 0 : length;
  }
  res.setHeader('Connection', 'close');
  ctx.body = payload instanceof Readable ? payload : Readable.from(lingering(payload, req), { objectMode: false });
  if (!(payload instanceof Readable)) ctx.length = length;
  return length;
}

/**
 * Ends a stream that never ends when its reader has closed its own side: it has left; and when it has asked for something
 * else on the same connection, which would never be answered. One that has not begun is still answered, as an empty one.
 */
function endsWith(socket: Socket, response: ServerResponse, stream: LiveStream): void {
  const leave = () => {
    if (response.headersSent) stream.destroy();
    else stream.end();
  };
  const next = () => stream.end();
  socket.once('end', leave);
  socket.once(FOLLOWED, next);
  if (socket.readableEnded) leave();
  stream.once('close', () => socket.off('end', leave).off(FOLLOWED, next));
}

/** The payload of a body. A string stays a string: Node sends it in one segment with the header. */
function bytesOf(body: unknown): string | Buffer {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return jsonOf(body);
}

/** A JSON body ends with a line feed, as whatever a terminal shows: the next prompt stands on a line of its own. */
function jsonOf(body: unknown): string {
  const json = JSON.stringify(body);
  if (json === undefined) throw new TypeError('a handler returned nothing to answer with');
  return `${json}\n`;
}

/** Sends the whole payload at once, but ends the response only after the rest of the request was discarded. */
async function* lingering(payload: string | Buffer, request: IncomingMessage): AsyncGenerator<string | Buffer> {
  yield payload;
  await discard(request);
}

/** An error response as text, for a connection on which no valid request was parsed; with `Connection: close`. */
export function rawAnswer(status: string, code: string, detail?: string): string {
  const body = jsonOf(errorBody(code, detail));
  const fields = [
    ...Object.entries(OF_JSON),
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
  ];
  return `HTTP/1.1 ${status}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
