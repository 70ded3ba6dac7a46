/** Requests to a server of jobs: bounded, within a time limit, without redirects; what is no success says when to ask again. */
import { type Method, Outbound, type Read, TOO_LARGE } from '../http/outbound.ts';
import { throughProxy } from './proxy.ts';

/** A server that did not answer as it should. */
export class ServerFault extends Error {
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** The server asks to wait for so long (Retry-After), in milliseconds. */
  readonly waitMs: number;
  /** The answer is over the limit, and would be again. */
  readonly isTooLarge: boolean;
  constructor(words: string, status = 0, waitMs = 0, isTooLarge = false) {
    super(words);
    this.status = status;
    this.waitMs = waitMs;
    this.isTooLarge = isTooLarge;
  }
}

/** Bytes of an answer: some dozens of receipts as images. A larger one is not read. */
export const ANSWER_BYTES = 8 * 1024 * 1024;
const DEADLINE_MS = 30_000;
const LONGEST_WAIT_MS = 3_600_000;

/** One request. */
export interface Asking {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a POST. */
  readonly body?: string;
  /** Most bytes of the answer; `ANSWER_BYTES` where it is left out. */
  readonly limitBytes?: number;
}

/** A server, by the URLs of its requests. */
export class Server {
  readonly #outbound: Outbound;
  readonly #ca: string | undefined;
  readonly #signal: AbortSignal;
  readonly #headers: Readonly<Record<string, string>>;

  /** `ca`: certificate authorities (PEM) beside those that Node trusts. */
  constructor(ca: string | undefined, signal: AbortSignal, version: string) {
    // It runs for the operator, who chose the server: it may be anywhere.
    this.#outbound = new Outbound({ refuses: () => false, proxied: throughProxy(process.env) });
    this.#ca = ca;
    this.#signal = signal;
    this.#headers = { 'User-Agent': `tillnode-pull/${version}` };
  }

  /** Resolves with a success (2xx). Rejects with a ServerFault, or with the reason of the signal. */
  async request(method: Method, { url, headers, body, limitBytes = ANSWER_BYTES }: Asking): Promise<Read> {
    const whole = {
      url: url.href,
      headers: { ...this.#headers, ...headers },
      deadlineMs: DEADLINE_MS,
      signal: this.#signal,
      ca: this.#ca,
      ...(body !== undefined && { body }),
    };
    const answer = await this.#outbound.read(method, whole, limitBytes).catch((error: NodeJS.ErrnoException) => {
      this.#signal.throwIfAborted();
      throw new ServerFault(error.message, 0, 0, error.code === TOO_LARGE);
    });
    const { status } = answer;
    if (status >= 200 && status <= 299) return answer;
    const redirect = status >= 300 && status <= 399 ? ', a redirect, which is not followed' : '';
    throw new ServerFault(
      `the server answered ${status}${redirect}`,
      status,
      retryAfterMs(answer.headers['retry-after']),
    );
  }

  close(): void {
    this.#outbound.close();
  }
}

/** Retry-After (RFC 9110, 10.2.3) in milliseconds: seconds, or a date. */
function retryAfterMs(value: string | undefined): number {
  if (value === undefined) return 0;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.min(LONGEST_WAIT_MS, Math.max(0, ms || 0));
}
