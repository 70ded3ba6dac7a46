/** Bodies of requests. */
import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../http/body.ts';
import { Refusal } from './errors.ts';

const TIMEOUT_MS = 20_000;

/** How a body is read, where that is not as usual. */
export interface Reading {
  /** The time for all of it; 20 s unless given. */
  readonly timeoutMs?: number;
  /** Told of the bytes of each piece as it arrives. */
  readonly arrived?: (bytes: number) => void;
  /** Ends it, with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * The whole body. Rejects with a Refusal where it is longer than `limit` bytes or does not arrive in time; the rest of it is then
 * left to whoever answers.
 */
export function bytesOf(
  request: IncomingMessage,
  limit: number,
  { timeoutMs = TIMEOUT_MS, arrived, signal }: Reading = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (refusal?: Error) => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', stop);
      request.off('data', take).off('end', whole).off('close', early).pause();
      if (refusal === undefined) resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
      else reject(refusal);
    };
    const whole = () => end();
    const stop = () => end(signal?.reason as Error);
    const early = () => end(new Refusal('invalid_json', 'the body ended early'));
    const take = (chunk: Buffer) => {
      length += chunk.length;
      arrived?.(chunk.length);
      if (length > limit) end(new Refusal('body_too_large', `at most ${limit} bytes`));
      else chunks.push(chunk);
    };
    const deadline = setTimeout(() => end(new Refusal('invalid_json', 'the body did not arrive in time')), timeoutMs);
    if (Number(request.headers['content-length'] ?? 0) > limit)
      return end(new Refusal('body_too_large', `at most ${limit} bytes`));
    signal?.addEventListener('abort', stop);
    request.on('data', take).on('end', whole).on('close', early);
  });
}

/** The JSON in it. Throws a Refusal; also for text that a database does not hold: NUL, and halves of surrogate pairs. */
export function jsonOf(bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    throw new Refusal('invalid_json', (error as { detail?: string }).detail);
  }
  // As JSON.stringify writes them (ECMA-262, 25.5.4.3): behind an even number of backslashes, which are text.
  const suspicious = /\\u(0000|[dD])/.test(bytes.toString('latin1'));
  if (suspicious && /(?<!\\)(?:\\\\)*\\u(0000|d[89a-f])/.test(JSON.stringify(value)))
    throw new Refusal('invalid_json', 'text with NUL or half a surrogate pair');
  return value;
}

/**
 * The body as it comes, of a request that is answered also where nobody reads it to its end: else Node would take it for broken off
 * (stream.Readable, `iterator`).
 */
export const piecesOf = (request: IncomingMessage): AsyncIterable<Uint8Array> =>
  request.iterator({ destroyOnReturn: false });
