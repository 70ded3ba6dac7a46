/** Requests to a node: time limits, refusals, and which requests may be repeated. */
import { backoff } from '../base/backoff.ts';
import { defined } from '../base/defined.ts';
import { jsonOf } from './body.ts';
import { Deadline, pause } from './deadline.ts';
import { NodeError } from './errors.ts';

/** Options of a client. */
export interface ClientOptions {
  /** For example `http://node-1a2b3c4d.local`; `''` in a page of the node itself. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly updateKey?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Time limit of each request. Default: 15 s; 90 s if it prints; 10 min for an image. */
  readonly timeoutMs?: number | undefined;
}

/** Options of one call. An aborted call rejects with the reason of its signal. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Options of a call that the node does once for each key. */
export interface KeyedOptions extends CallOptions {
  /** Key of idempotency: 1 to 64 printable ASCII characters, new for each new command. */
  readonly key?: string | undefined;
  /** Where it may have been sent before with this key: `idempotency.mark` of the status from before that. */
  readonly mark?: string | undefined;
}

/** One request. */
export interface Sending extends CallOptions {
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set where it makes a printer do something: it is never repeated, and an unknown outcome is reported as `mayHavePrinted`. */
  readonly prints?: boolean;
}

const TIMEOUT_MS = 15_000;
/** Enough for a long receipt on a slow printer: a caller that gives up too early would print it twice. */
const PRINT_TIMEOUT_MS = 90_000;
const RETRIES = 2;
const RETRY_MS = 250;

/** System errors that mean that no connection was made (only in Node; a browser does not report them). */
const NEVER_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;
/** fetch asks nobody on a port of another protocol, such as 22 (WHATWG Fetch, 2.9 "port blocking"; the words are Node's). */
const NEVER_ASKED = 'bad port';
/** Codes after which part of a job may have been printed. */
const UNKNOWN_OUTCOME = /^(bad_answer|write_failed)$/;

/** Reads a response, until the signal of its request is aborted. */
type Read<T> = (response: Response, signal: AbortSignal) => Promise<T>;

/** Sends requests to one node. Throws a TypeError if a key contains characters that a header field cannot. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #url: string;
  readonly #headers: Headers;

  constructor(options: ClientOptions) {
    const { url, apiKey, updateKey } = options;
    this.#options = options;
    this.#url = url.replace(/\/+$/, '');
    this.#headers = new Headers();
    try {
      if (apiKey !== undefined) this.#headers.set('X-NODE-Api-Key', apiKey);
      if (updateKey !== undefined) this.#headers.set('Authorization', `Bearer ${updateKey}`);
    } catch {
      // The platform's own message would contain the key.
      throw new TypeError('a key contains characters that a header field cannot');
    }
  }

  /** The URL of a path. */
  url(path: string): string {
    return this.#url + path;
  }

  /** Resolves with the response as JSON. Rejects as `send`. */
  async request<T>(method: string, path: string, sending: Sending = {}): Promise<T> {
    return this.send(method, path, sending, async (response, signal) => {
      const answer = await jsonOf(response, signal);
      if (typeof answer !== 'object' || answer === null)
        throw new NodeError('bad_answer', response.status, 'the response is not JSON');
      // A server that is no node must not be taken for a receipt on paper.
      if (sending.prints && (answer as { ok?: unknown }).ok !== true)
        throw new NodeError('bad_answer', response.status, 'the response is not the result of a command');
      return answer as T;
    });
  }

  /**
   * Makes a request within its time limit. A GET is repeated up to twice if its `retry` is `yes`; other requests never
   * are. Rejects with a NodeError, or with the reason of the caller's signal.
   */
  async send<T>(method: string, path: string, sending: Sending, read: Read<T>): Promise<T> {
    const { timeoutMs = this.#options.timeoutMs ?? (sending.prints ? PRINT_TIMEOUT_MS : TIMEOUT_MS) } = sending;
    const deadline = new Deadline(sending.signal);
    deadline.start(timeoutMs);
    try {
      for (let again = 0; ; again += 1) {
        try {
          return await this.once(method, path, sending, deadline.signal, read);
        } catch (error) {
          const { signal } = deadline;
          const mayHelp = method === 'GET' && error instanceof NodeError && error.retry === 'yes';
          if (!mayHelp || again === RETRIES || signal.aborted) throw error;
          await pause(backoff(again + 1, RETRY_MS), signal).catch(() => {
            throw sending.signal?.aborted ? sending.signal.reason : error;
          });
        }
      }
    } finally {
      deadline.end();
    }
  }

  /** Makes a request once. Rejects with a NodeError, or with the reason of the caller's own signal. */
  async once<T>(
    method: string,
    path: string,
    { body, headers = {}, prints = false, signal: own }: Sending,
    signal: AbortSignal,
    read: Read<T>,
  ): Promise<T> {
    const { fetch: get = fetch } = this.#options;
    const all = new Headers(this.#headers);
    if (path !== '/update') all.delete('Authorization');
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    try {
      // A node never redirects, and a key must not be sent to another host.
      const init = {
        method,
        headers: all,
        signal,
        redirect: 'error' as const,
        ...defined({ body }),
      };
      const response = await get(this.url(path), init);
      if (!response.ok) throw await refusal(response, prints, signal);
      return await read(response, signal);
    } catch (error) {
      if (own?.aborted) throw own.reason;
      if (error instanceof NodeError) throw error.mayHavePrinted || !prints ? error : inDoubt(error);
      const { message, code } = causeOf(signal.aborted ? signal.reason : error);
      const isBadPort = message === NEVER_ASKED;
      const sent = !NEVER_CONNECTED.test(code) && !isBadPort;
      throw new NodeError('unreachable', 0, message, {
        retry: isBadPort || (sent && prints) ? 'no' : sent && method !== 'GET' ? 'sometimes' : 'yes',
        mayHavePrinted: sent && prints,
      });
    }
  }
}

/** Message and code of the innermost cause: fetch itself reports only that it failed. */
function causeOf(error: unknown): { message: string; code: string } {
  let found = error as { readonly cause?: unknown; readonly message?: string; readonly code?: unknown };
  while (typeof found?.cause === 'object' && found.cause !== null) found = found.cause;
  const code = typeof found?.code === 'string' ? found.code : '';
  return { message: found?.message || code || String(error), code };
}

/** The error of a success that cannot be read. */
const inDoubt = ({ code, status, detail, retry }: NodeError): NodeError =>
  new NodeError(code, status, detail, { retry, mayHavePrinted: code === 'bad_answer' });

async function refusal(response: Response, prints: boolean, signal: AbortSignal): Promise<NodeError> {
  const { status } = response;
  const { ok, error, detail, bytes } = ((await jsonOf(response, signal)) ?? {}) as Readonly<
    Record<'ok' | 'error' | 'detail' | 'bytes', unknown>
  >;
  const code = ok === false && typeof error === 'string' ? error : 'bad_answer';
  const words = typeof detail === 'string' ? detail : code === 'bad_answer' ? `HTTP ${status}` : undefined;
  // A write that failed before its first byte is known.
  return new NodeError(code, status, words, { mayHavePrinted: prints && UNKNOWN_OUTCOME.test(code) && bytes !== 0 });
}
