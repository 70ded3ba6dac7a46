/** A request that is sent again, with a key of its own, until it is known what came of it. */
import { backoff } from '../base/backoff.ts';
import { pause } from './deadline.ts';
import { NodeError } from './errors.ts';
import type { CallOptions, KeyedOptions } from './transport.ts';

const ONCE_MS = 90_000;
const AGAIN_MS = { first: 250, longest: 5000 };
/** The node was not reached, did not look at the key, or is still at it. */
const NOT_KNOWN_YET = /^(unreachable|bad_answer|busy|key_in_use|restarting)$/;

/**
 * Calls `send` with a new key, and again with the same where the answer is lost, for up to `timeoutMs` (90 s). Rejects with
 * the last NodeError, `mayHavePrinted` where a request may have come to the node and nobody could say what became of it; or
 * with the reason of the signal.
 */
export async function once<R>(
  send: (options: KeyedOptions) => Promise<R>,
  { signal, timeoutMs = ONCE_MS }: CallOptions = {},
): Promise<R> {
  const key = newKey();
  const end = performance.now() + timeoutMs;
  let inDoubt = false;
  for (let tries = 1; ; tries += 1) {
    const pauseMs = backoff(tries, AGAIN_MS.first, AGAIN_MS.longest);
    try {
      return await send({ key, signal, timeoutMs: Math.max(1, end - performance.now()) });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const { code, status, detail, retry, mayHavePrinted } = error;
      const isOpen = NOT_KNOWN_YET.test(code);
      // Where the access key changed meanwhile, nobody looked at this one.
      inDoubt = mayHavePrinted || (inDoubt && (isOpen || status === 401));
      if (!isOpen || performance.now() + pauseMs >= end)
        throw new NodeError(code, status, detail, { retry, mayHavePrinted: inDoubt });
    }
    await pause(pauseMs, signal);
  }
}

/** 128 random bits in hexadecimal. (`crypto.randomUUID` is missing in pages that came by plain HTTP.) */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
