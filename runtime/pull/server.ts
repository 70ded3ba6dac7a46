/** Requests to a server of jobs: bounded, within a time limit, without redirects; what is no success says when to ask again. */

import type { Duplex } from 'node:stream';
import { defined } from '../base/defined.ts';
import { Gathered } from '../base/gathered.ts';
import { retryAfterMs } from '../base/retry-after.ts';
import { messageOf } from '../base/thrown.ts';
import { type Method, Outbound, type Read } from '../http/outbound.ts';
import type { Authentication } from './authentication.ts';
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

/** Bytes of an answer that is held in memory: of the largest picture. */
const ANSWER_BYTES = 8 * 1024 * 1024;
/** Bytes that are read behind the head of an answer that is no success: its connection is used again then. */
const REFUSAL_BYTES = 64 * 1024;
/** How often a request is sent again because of a 401: a server may have forgotten its nonce, and may be late with the next. */
const MOST_CHALLENGES = 2;
const UNAUTHORIZED = 401;
/** Time limits: without a byte, and for all of an answer. A day's receipts take minutes on a slow line. */
const STALL_MS = 30_000;
const DEADLINE_MS = 600_000;
const LONGEST_WAIT_MS = 3_600_000;
/**
 * Content codings (RFC 9110, 8.4.1); some servers write the encoding of their text there, which is none. None is asked for, and a
 * proxy before the server may do it all the same: the server has forgotten the jobs by then.
 */
const CODED = /\b(gzip|x-gzip|deflate|compress|x-compress|br|zstd)\b/i;

/** One request. */
export interface ServerAsking {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of a POST. */
  readonly body?: string;
  /** Most bytes of the answer; `ANSWER_BYTES` where it is left out. */
  readonly limitBytes?: number;
  /** Takes an answer that is longer, from its beginning. What it throws ends the request. Where it is there, what has arrived counts. */
  readonly overflow?: (bytes: Uint8Array, mediaType: string) => void;
}

/** A success. */
export interface ServerAnswer extends Read {
  /** Why it is not whole: the server forgets jobs as it hands them out, so what has arrived is of use. */
  readonly fault?: string;
}

/** A server, by the URLs of its requests. */
export class Server {
  readonly #outbound: Outbound;
  readonly #ca: string | undefined;
  readonly #signal: AbortSignal;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #authentication: Authentication;
  readonly #read: () => void;

  /** `ca`: certificate authorities (PEM) beside those that Node trusts. `read`: called at each read of an answer. */
  constructor(
    ca: string | undefined,
    signal: AbortSignal,
    version: string,
    authentication: Authentication,
    read: () => void = () => {},
  ) {
    // It runs for the operator, who chose the server: it may be anywhere.
    this.#outbound = new Outbound({ refuses: () => false, proxied: throughProxy(process.env) });
    this.#ca = ca;
    this.#signal = signal;
    this.#headers = { 'User-Agent': `tillnode-pull/${version}` };
    this.#authentication = authentication;
    this.#read = read;
  }

  /**
   * Resolves with a success (2xx); its body is empty where it went into `overflow`. Rejects with a ServerFault, or with the reason of
   * the signal.
   */
  async request(method: Method, asking: ServerAsking): Promise<ServerAnswer> {
    const answer = await this.#admitted(method, asking);
    const { status } = answer;
    if (isSuccess(status)) return answer;
    const redirect = status >= 300 && status <= 399 ? ', a redirect, which is not followed' : '';
    const refusal = status === UNAUTHORIZED ? `: ${this.#authentication.fault}` : '';
    throw new ServerFault(
      `the server answered ${status}${redirect}${refusal}`,
      status,
      Math.min(LONGEST_WAIT_MS, retryAfterMs(answer.headers['retry-after']) ?? 0),
    );
  }

  /** The answer to a request with what the server asks for to let it in; 401 where it does not. */
  async #admitted(method: Method, asking: ServerAsking): Promise<ServerAnswer> {
    const authentication = this.#authentication;
    for (let challenges = 0; ; challenges += 1) {
      const authorization = authentication.for(method, asking.url);
      const answer = await this.#answer(method, {
        ...asking,
        headers: { ...asking.headers, ...defined({ Authorization: authorization }) },
      });
      if (answer.status !== UNAUTHORIZED) authentication.taken(asking.url, answer.headers);
      else if (authentication.challenged(asking.url, answer.headers, authorization) && challenges < MOST_CHALLENGES)
        continue;
      return answer;
    }
  }

  async #answer(
    method: Method,
    { url, headers, body, limitBytes = ANSWER_BYTES, overflow }: ServerAsking,
  ): Promise<ServerAnswer> {
    const stalled = new AbortController();
    const timer = setTimeout(() => stalled.abort(), STALL_MS);
    const asked = {
      url: url.href,
      headers: { ...this.#headers, ...headers, 'Accept-Encoding': 'identity' },
      deadlineMs: DEADLINE_MS,
      signal: AbortSignal.any([this.#signal, stalled.signal]),
      ca: this.#ca,
      ...defined({ body }),
    };
    const held = new Gathered();
    let isOver = false;
    let arriving: Omit<ServerAnswer, 'body'> | undefined;
    try {
      const { chunks, ...head } = await this.#outbound.open(method, asked);
      // Whatever comes behind it.
      if (!isSuccess(head.status)) return { ...head, body: await passedOver(chunks) };
      arriving = head;
      const mediaType = head.headers['content-type'] ?? '';
      for await (const chunk of uncoded(this.#arrivals(chunks, timer), head.headers['content-encoding'])) {
        if (!isOver && held.length + chunk.length > limitBytes) {
          if (overflow === undefined || head.status !== 200)
            throw new ServerFault(`the answer is over ${limitBytes} bytes`, 0, 0, true);
          isOver = true;
          for (const piece of held.pieces) overflow(piece, mediaType);
          held.clear();
        }
        if (isOver) overflow?.(chunk, mediaType);
        else held.push(chunk);
      }
      return { ...head, body: held.whole() };
    } catch (error) {
      const fault = stalled.signal.aborted ? `no answer within ${STALL_MS} ms` : messageOf(error);
      if (overflow !== undefined && arriving?.status === 200 && (isOver || held.length > 0))
        return { ...arriving, body: held.whole(), fault };
      this.#signal.throwIfAborted();
      throw error instanceof ServerFault ? error : new ServerFault(fault);
    } finally {
      clearTimeout(timer);
    }
  }

  async *#arrivals(chunks: AsyncIterable<Uint8Array>, timer: NodeJS.Timeout): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      timer.refresh();
      this.#read();
      yield chunk;
    }
  }

  close(): void {
    this.#outbound.close();
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** Reads what stands behind the head, or some of it, so that the connection is free, and keeps nothing of it. Never rejects. */
async function passedOver(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let bytes = 0;
  try {
    for await (const { length } of chunks) {
      bytes += length;
      if (bytes > REFUSAL_BYTES) break;
    }
  } catch {
    // The status is known.
  }
  return Buffer.alloc(0);
}

/** What was coded, as it arrives. Throws where the coding is none of these, at the first byte. */
async function* uncoded(chunks: AsyncIterable<Uint8Array>, coding = ''): AsyncGenerator<Uint8Array> {
  const [name = ''] = CODED.exec(coding) ?? [];
  if (name === '') return yield* chunks;
  const { createGunzip, createInflate } = await import('node:zlib');
  const decoders: Readonly<Record<string, () => Duplex>> = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
  };
  const decoder = decoders[coding.trim().toLowerCase()]?.();
  if (decoder === undefined) throw new Error(`the content coding ${name} is not taken`);
  const { pipeline } = await import('node:stream');
  pipeline(chunks, decoder, () => {});
  yield* decoder as AsyncIterable<Uint8Array>;
}
