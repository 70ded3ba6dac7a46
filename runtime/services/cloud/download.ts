/** The bytes of an image from a server that breaks off, is busy, or sends the whole again. */

import { setTimeout as pause } from 'node:timers/promises';
import { backoff } from '../../base/backoff.ts';
import { retryAfterMs } from '../../base/retry-after.ts';
import { failureOf, type Opened, type Outbound, type Outgoing } from '../../http/outbound.ts';
import { ApiError } from '../../kernel/errors.ts';

/** As long as a node takes an upload. */
const DEADLINE_MS = 3_600_000;
/** Longest wait that a server may ask for (`Retry-After`), and the one where it says none. */
const MAX_WAIT_SECONDS = 600;
const WAIT_SECONDS = 10;
/** A download that breaks off goes on where it was; so often without a single byte, and it is given up. */
const FRUITLESS = 5;
/** The pause before it goes on, doubled each time that it was fruitless. */
const RETRY_MS = 1000;

/** What is fetched, and how. */
export interface Wanted {
  readonly url: string;
  readonly headers: Outgoing['headers'];
  /** Bytes of all of it. */
  readonly length: number;
  readonly signal: AbortSignal;
  /** Whether a server that is busy is asked again when it says so, and one that did not answer, a little later; else it is an error. */
  readonly waits: boolean;
  /** The first pause after a connection that broke. */
  readonly retryMs?: number;
}

/**
 * Resolves when the server begins to send, with the bytes, exactly `length` of them. A connection that breaks is followed by
 * another that asks for what is lacking (RFC 9110, 14.2). Rejects and throws with the ApiError `cloud_unreachable`.
 */
export async function download(outbound: Pick<Outbound, 'open'>, wanted: Wanted): Promise<AsyncIterable<Uint8Array>> {
  const until = performance.now() + DEADLINE_MS;
  const open = async (from: number): Promise<Opened> => {
    for (;;) {
      const { url, headers, signal, waits, retryMs = RETRY_MS } = wanted;
      const range = from === 0 ? {} : { Range: `bytes=${from}-` };
      const deadlineMs = Math.max(1, until - performance.now());
      const all = { ...headers, ...range, 'Accept-Encoding': 'identity' };
      const opened = await outbound.open('GET', { url, headers: all, deadlineMs, signal });
      const { status } = opened;
      if (status === 200 || (status === 206 && startOf(opened) === from)) return opened;
      // Ends the request.
      await opened.chunks[Symbol.asyncIterator]().return?.();
      const wait = Math.max(retryMs, 1000 * waitOf(opened));
      const isBusy = status === 429 || status === 503;
      if (!(isBusy && waits) || performance.now() + wait > until)
        throw new ApiError('cloud_unreachable', `the cloud answered ${status} to the download`);
      await pause(wait, undefined, { signal });
    }
  };
  return bytesOf(wanted, open, await begun(wanted, () => open(0)));
}

/** The first answer. Who waits comes again, too, where thousands come at once and his connection breaks before it. */
async function begun({ waits, signal, retryMs = RETRY_MS }: Wanted, open: () => Promise<Opened>): Promise<Opened> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await open();
    } catch (error) {
      const isForGood = error instanceof ApiError || ['tls', 'address'].includes(failureOf(error as Error));
      if (!waits || isForGood || signal.aborted || failures === FRUITLESS) return unreachable(error as Error);
      await pause(backoff(failures + 1, retryMs), undefined, { signal });
    }
  }
}

async function* bytesOf(
  { length, signal, retryMs = RETRY_MS }: Wanted,
  open: (from: number) => Promise<Opened>,
  first: Opened,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let fruitless = 0;
  for (let opened: Opened | undefined = first; ; opened = undefined) {
    const before = received;
    try {
      const { status, chunks } = opened ?? (await open(received));
      // A server without ranges sends all of it again.
      let known = status === 200 ? received : 0;
      for await (const chunk of chunks) {
        const fresh = chunk.subarray(Math.min(known, chunk.length));
        known -= chunk.length - fresh.length;
        received += fresh.length;
        if (received > length) break;
        if (fresh.length > 0) yield fresh;
      }
      if (received === length) return;
    } catch (error) {
      if (signal.aborted) throw error;
      fruitless = received > before ? 0 : fruitless + 1;
      if (fruitless === FRUITLESS) return unreachable(error as Error, 'the download was interrupted: ');
      await pause(backoff(fruitless + 1, retryMs), undefined, { signal });
      continue;
    }
    throw new ApiError('cloud_unreachable', `the image does not have ${length} bytes, as offered`);
  }
}

/** Where the bytes of an answer 206 begin; undefined where it does not say. */
function startOf({ headers }: Opened): number | undefined {
  const [, start] = /^bytes (\d+)-/.exec(headers['content-range'] ?? '') ?? [];
  return start === undefined ? undefined : Number(start);
}

/** In seconds. */
function waitOf({ headers }: Opened): number {
  const asked = retryAfterMs(headers['retry-after']);
  return asked === undefined ? WAIT_SECONDS : Math.min(asked / 1000, MAX_WAIT_SECONDS);
}

const unreachable = (error: Error, about = ''): never => {
  throw error instanceof ApiError ? error : new ApiError('cloud_unreachable', `${about}${error.message}`.slice(0, 200));
};
