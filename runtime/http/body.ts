/** Request bodies: bounds on size, time and nesting; strict decoding. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Gathered } from '../base/gathered.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Shares } from '../kernel/shares.ts';
import { membersIn, namesIn } from './duplicate-keys.ts';
import { addressOf } from './peer.ts';

/** Default bound on the length of a body. */
export const DEFAULT_LIMIT_BYTES = 64 * 1024;
const MAX_DEPTH = 16;
const BYTE_ORDER_MARK = 0xfeff;
/** How much of a refused body is read and discarded, and for how long, before its connection is closed. */
const LINGER = { bytes: 1024 * 1024, ms: 1000 };

/** The part of each body that is not counted: it is less than a connection costs. The rest is, in steps of as much at least. */
const FREE_BYTES = 16 * 1024;

const NOTHING: Buffer = Buffer.alloc(0);

const truncated = new WeakSet<IncomingMessage>();

/**
 * Marks a request whose client closed its side of the connection within the body: no more bytes will come. Node has no
 * event for this that keeps the connection open for a response, so readers of a body check `isTruncated`, then listen
 * for the event `truncated`.
 */
export function truncate(request: IncomingMessage): void {
  truncated.add(request);
  request.emit('truncated');
}

/** Whether `truncate` was called for this request. */
export const isTruncated = (request: IncomingMessage): boolean => truncated.has(request);

/** Tells once, and why, that nothing more is to be read for a request. */
export interface Revocable {
  onRevoked: ((reason: unknown) => void) | undefined;
}

/** Bounds of a body. */
export interface BodyLimits {
  readonly bytes: number;
  readonly timeoutMs: number;
  /** Error code for a body that is longer than `bytes`. */
  readonly tooLarge: string;
  /** Error code for a body that does not arrive whole, or in a content coding. */
  readonly notWhole: string;
  /** The memory of all bodies that arrive, in bytes; without it this one is not counted. */
  readonly memory?: Shares | undefined;
  /** What a body of more than 16 KB waits for that is here, and is to be worked on; undefined of nothing. */
  readonly turn?: (address: string) => Promise<void> | undefined;
  /** Told of the bytes of each piece that arrives after the header. */
  readonly arrived?: (bytes: number) => void;
}

/** The length of a body as its header declares it, in bytes; 0 where it does not. */
export const declaredLength = ({ headers }: IncomingMessage): number => Number(headers['content-length'] ?? 0);

const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || declaredLength(request) > 0;

/** Whether the request was received completely; known earlier than `complete`, which Node sets after the last byte. */
export const isWhole = (request: IncomingMessage): boolean =>
  request.complete ||
  (request.headers['transfer-encoding'] === undefined && declaredLength(request) === request.readableLength);

/** Sends `100 Continue` to a client that announced a body with `Expect: 100-continue` (RFC 9110, 10.1.1). */
export function invite(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect !== undefined && hasBody(request)) response.writeContinue();
}

/** Reads and parses a JSON body. Rejects as `readBytes`, and with the ApiError `invalid_json` if it is not JSON. */
export async function readJson(...body: Parameters<typeof readBytes>): Promise<unknown> {
  return parseJson(await readBytes(...body));
}

/** Reads a body that is text. Rejects as `readBytes`, and with `limits.notWhole` for bytes that `decode` throws a RangeError for. */
export async function readText(
  decode: (bytes: Uint8Array, mediaType: string | undefined) => string,
  ...body: Parameters<typeof readBytes>
): Promise<string> {
  const bytes = await readBytes(...body);
  const [request, limits] = body;
  try {
    return decode(bytes, request.headers['content-type']);
  } catch (error) {
    if (error instanceof RangeError) throw new ApiError(limits.notWhole, error.message);
    throw error;
  }
}

/** Text in UTF-8, without a byte order mark. Throws a RangeError for other bytes. */
export function utf8Of(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new RangeError('not UTF-8');
  return textOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/**
 * Reads a body. `response`: where nobody has invited it yet. Rejects with the ApiError `limits.notWhole` if it does not arrive completely in
 * time, `limits.tooLarge` if it is too long, before it is read where its header says so, `busy` if too much arrives on other connections; with
 * its reason once `admission` is revoked. The rest of it is then left to whoever answers.
 */
export async function readBytes(
  request: IncomingMessage,
  limits: BodyLimits,
  admission?: Revocable,
  response?: ServerResponse,
): Promise<Buffer> {
  if (request.headers['content-encoding'] !== undefined)
    throw new ApiError(limits.notWhole, 'no content coding is taken');
  if (declaredLength(request) > limits.bytes) throw tooLarge(limits);
  // Node gives the whole of a body that came with its header before promises go on: nearly every body is such a one.
  await undefined;
  // Also where the body did not wait for it: without `100 Continue` Node closes the connection behind the response.
  if (response !== undefined) invite(request, response);
  if (request.readableLength <= Math.min(FREE_BYTES, limits.bytes) && isWhole(request)) return readHere(request);
  return read(request, limits, admission);
}

/** The body of a request whose last byte is here. Its end comes at once, or its connection is gone. */
async function readHere(request: IncomingMessage): Promise<Buffer> {
  const bytes: Buffer | null = request.read();
  if (!request.closed) await new Promise((resolve) => void request.once('close', resolve).resume());
  return bytes ?? NOTHING;
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

const tooLarge = ({ tooLarge: code, bytes }: BodyLimits) => new ApiError(code, `at most ${bytes} bytes`);

/** The detail for an incomplete body. The length of a chunked body is not known in advance. */
const arrived = (length: number, declared: number): string =>
  declared > 0 ? `${length} of ${declared} bytes arrived` : `${length} bytes arrived`;

function read(request: IncomingMessage, limits: BodyLimits, admission?: Revocable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new Gathered();
    let length = 0;
    const address = addressOf(request.socket);
    const taken: (() => void)[] = [];
    let covered = FREE_BYTES;
    /** Whether there is memory for what is here. */
    const take = (): boolean => {
      if (limits.memory === undefined || length <= covered) return true;
      const step = Math.max(FREE_BYTES, length - covered);
      const giveBack = limits.memory.take(address, step);
      if (giveBack === undefined) return false;
      taken.push(giveBack);
      covered += step;
      return true;
    };
    const listenNoMore = () => {
      clearTimeout(deadline);
      request.off('data', onData).off('end', onEnd).off('close', early).off('truncated', early);
    };
    const settle = () => {
      listenNoMore();
      for (const giveBack of taken.splice(0)) giveBack();
      if (admission !== undefined) admission.onRevoked = undefined;
    };
    const fail = (error: unknown) => {
      settle();
      request.pause();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limits.bytes) fail(tooLarge(limits));
      else if (take()) body.push(chunk);
      else fail(new ApiError('busy', 'too many bodies arrive at once'));
      limits.arrived?.(chunk.length);
    };
    const early = () => {
      const came = arrived(length + request.readableLength, declaredLength(request));
      fail(new ApiError(limits.notWhole, `the body ended early: ${came}`));
    };
    const done = () => {
      settle();
      resolve(body.whole());
    };
    const onEnd = () => {
      listenNoMore();
      const waits = limits.turn?.(address);
      if (waits === undefined) done();
      else void waits.then(done);
    };
    const late = () => fail(new ApiError(limits.notWhole, `the body did not arrive within ${limits.timeoutMs} ms`));
    const deadline = setTimeout(late, limits.timeoutMs);
    if (isTruncated(request) || request.destroyed) return early();
    request.on('data', onData).on('end', onEnd).on('close', early).on('truncated', early);
    if (admission !== undefined) admission.onRevoked = fail;
  });
}

/** Parses JSON in UTF-8; ignores one leading byte order mark (RFC 8259, 8.1). Throws the ApiError `invalid_json`. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'not UTF-8');
  const text = textOf(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of JSON.parse quotes the body, which may contain a credential.
    throw new ApiError('invalid_json', bytes.length === 0 ? 'the body is empty' : 'not JSON');
  }
  const members = membersIn(value, MAX_DEPTH);
  if (members === Number.POSITIVE_INFINITY) throw new ApiError('invalid_json', `nested over ${MAX_DEPTH} levels`);
  if (namesIn(text) > members) throw new ApiError('invalid_json', 'an object names a member twice');
  return value;
}

/**
 * Reads and discards the rest of a refused body, within the bounds of `LINGER`; never rejects. If a connection is
 * closed with unread bytes, TCP resets it, and the client may lose the response (RFC 9112, 9.6).
 */
export function discard(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = LINGER.bytes;
    const done = () => {
      clearTimeout(deadline);
      request.off('data', onData).off('end', done).off('close', done).off('truncated', done);
      resolve();
    };
    const onData = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) done();
    };
    const deadline = setTimeout(done, LINGER.ms);
    if (request.destroyed || isTruncated(request)) done();
    else request.on('data', onData).on('end', done).on('close', done).on('truncated', done).resume();
  });
}
