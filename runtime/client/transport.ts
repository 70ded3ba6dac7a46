/** One request to a node and its answer: time-outs, refusals, and which requests may be made twice. */
import { jsonOf } from './body.ts';
import { Deadline, pause } from './deadline.ts';
import { NodeError } from './errors.ts';

export interface ClientOptions {
  /** Such as `http://node-1a2b3c4d.local`; in a page of the node itself, `''`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly updateKey?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** A request that takes longer is given up; 15 s, for what prints 90 s, for an image 10 min where it is not said. */
  readonly timeoutMs?: number | undefined;
}

/** Of one call. An aborted call rejects with the reason of its signal. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface Sending extends CallOptions {
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** It makes the printer do something: never made twice, and its end must be known. */
  readonly prints?: boolean;
}

const TIMEOUT_MS = 15_000;
/** A long receipt on a slow printer: a caller that gives up too soon prints it twice. */
const PRINT_TIMEOUT_MS = 90_000;
const RETRIES = 2;
const RETRY_MS = 250;

/** System errors of a connection that never was (Node; a browser does not tell). */
const NEVER_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;
/** Refusals after which a part of a job may be on the paper. */
const UNKNOWN_OUTCOME = /^(bad_answer|write_failed)$/;

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
      // The platform's own words hold the key.
      throw new TypeError('a key has characters that no header can carry');
    }
  }

  url(path: string): string {
    return this.#url + path;
  }

  async request<T>(method: string, path: string, sending: Sending = {}): Promise<T> {
    return this.send(method, path, sending, async (response) => {
      const answer = await jsonOf(response);
      if (typeof answer !== 'object') throw new NodeError('bad_answer', response.status, 'the answer is not JSON');
      return answer as T;
    });
  }

  /** A GET is made again, a few times and within its time, where that may help; nothing else ever is. */
  async send<T>(method: string, path: string, sending: Sending, read: (response: Response) => Promise<T>): Promise<T> {
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
          await pause(RETRY_MS * 2 ** again, signal).catch(() => {
            throw sending.signal?.aborted ? sending.signal.reason : error;
          });
        }
      }
    } finally {
      deadline.end();
    }
  }

  /** Rejects with a NodeError, or with the reason of the caller's own signal. */
  async once<T>(
    method: string,
    path: string,
    { body, headers = {}, prints = false, signal: own }: Sending,
    signal: AbortSignal,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { fetch: get = fetch } = this.#options;
    const all = new Headers(this.#headers);
    if (path !== '/update') all.delete('Authorization');
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    try {
      // A node never redirects, and a key goes nowhere else.
      const init = {
        method,
        headers: all,
        signal,
        redirect: 'error' as const,
        ...(body !== undefined && { body }),
      };
      const response = await get(this.url(path), init);
      if (!response.ok) throw await refusal(response, prints);
      return await read(response);
    } catch (error) {
      if (own?.aborted) throw own.reason;
      if (error instanceof NodeError) throw error.mayHavePrinted || !prints ? error : inDoubt(error);
      const { message, code } = causeOf(signal.aborted ? signal.reason : error);
      const sent = !NEVER_CONNECTED.test(code);
      throw new NodeError('unreachable', 0, message, {
        retry: sent && prints ? 'no' : sent && method !== 'GET' ? 'sometimes' : 'yes',
        mayHavePrinted: sent && prints,
      });
    }
  }
}

/** The innermost cause says what happened: fetch itself says no more than that it failed. */
function causeOf(error: unknown): { message: string; code: string } {
  let found = error as { readonly cause?: unknown; readonly message?: string; readonly code?: unknown };
  while (typeof found?.cause === 'object' && found.cause !== null) found = found.cause;
  const code = typeof found?.code === 'string' ? found.code : '';
  return { message: found?.message || code || String(error), code };
}

const inDoubt = ({ code, status, detail, retry }: NodeError): NodeError =>
  new NodeError(code, status, detail, { retry, mayHavePrinted: UNKNOWN_OUTCOME.test(code) });

async function refusal(response: Response, prints: boolean): Promise<NodeError> {
  const { status } = response;
  const { error, detail } = ((await jsonOf(response)) ?? {}) as { readonly error?: unknown; readonly detail?: unknown };
  const code = typeof error === 'string' ? error : 'bad_answer';
  const words = typeof detail === 'string' ? detail : code === 'bad_answer' ? `HTTP ${status}` : undefined;
  return new NodeError(code, status, words, { mayHavePrinted: prints && UNKNOWN_OUTCOME.test(code) });
}
