/** Bodies of requests. */
import type { IncomingMessage } from 'node:http';
import { type BodyLimits, parseJson } from '../../http/body.ts';
import { Refusal } from './errors.ts';

/** The bounds of a body of so many bytes; it has 20 s unless another time is given. The application has invited it. */
export const limitsOf = (bytes: number, more: Partial<BodyLimits> = {}): BodyLimits => ({
  bytes,
  timeoutMs: 20_000,
  tooLarge: 'body_too_large',
  notWhole: 'invalid_json',
  ...more,
});

/** The JSON in it. Throws the ApiError `invalid_json`, also for text that a database does not hold: NUL, and halves of surrogate pairs. */
export function jsonOf(bytes: Buffer): unknown {
  const value = parseJson(bytes);
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
