/** A bucket of S3's API, of which three requests of an object are made: PUT, HEAD and GET. aws4fetch signs them. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { backoff } from '../../base/backoff.ts';
import { Gathered } from '../../base/gathered.ts';
import { messageOf } from '../../base/thrown.ts';
import { failureOf, type Method, type Opened, Outbound, type Streamed } from '../../http/outbound.ts';
import type { Refuses } from '../../http/targets.ts';
import { Away } from '../database/database.ts';
import type { BucketOptions } from './bucket-options.ts';

/** A request of which nothing moves for so long is broken off; any is after the second. */
const IDLE_MS = 15_000;
const DEADLINE_MS = 15 * 60_000;
/** An image is sent so often where the trouble may be over in a moment. */
const ATTEMPTS = 3;
const RETRY_MS = 500;
/** What is read of the body of an error. */
const ERROR_BYTES = 64 * 1024;
/** The SHA-256 of no bytes. */
const EMPTY = createHash('sha256').digest('hex');

/** An object of the bucket: its name, and its length in bytes. */
export interface Stored {
  readonly sha256: string;
  readonly length: number;
}

/** Bytes of an object, from this one of it on. */
export interface ObjectPiece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The bucket did not do what it was asked for. `isBrief`: it may be over in a moment. */
export class BucketFault extends Away {
  readonly isBrief: boolean;
  constructor(message: string, isBrief: boolean) {
    super(`the bucket of images ${message}`);
    this.isBrief = isBrief;
  }
}

/** How long whoever gets an image may keep it: it never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

type Fields = Readonly<Record<string, string>>;

/** Sends requests to one bucket. Redirects are not followed: they would lead what is signed to somebody else. */
export class Bucket {
  readonly #options: BucketOptions;
  readonly #outbound: Outbound;
  readonly #idleMs: number;
  readonly #closing = new AbortController();
  #failures = 0;

  /** `idleMs`: for tests. */
  constructor(options: BucketOptions, refuses: Refuses, idleMs = IDLE_MS) {
    this.#options = options;
    this.#outbound = new Outbound({ refuses });
    this.#idleMs = idleMs;
  }

  /** How many requests failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Aborted when it is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** A fault, which is counted. */
  fault(message: string, isBrief = false): BucketFault {
    this.#failures += 1;
    return new BucketFault(message, isBrief);
  }

  /** Stores an object. `chunks` gives its bytes, each time that it is called. Rejects with a BucketFault. */
  async put({ sha256, length }: Stored, chunks: () => AsyncIterable<Uint8Array>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#put(sha256, { length, chunks: chunks() });
        return;
      } catch (error) {
        const mayBeOver = error instanceof BucketFault && error.isBrief;
        if (!mayBeOver || attempt === ATTEMPTS || this.closing.aborted) throw error;
      }
      await delay(backoff(attempt, RETRY_MS));
    }
  }

  async #put(sha256: string, { length, chunks }: Streamed): Promise<void> {
    const request = this.#request('PUT', sha256);
    try {
      const fields = { 'X-Amz-Content-Sha256': sha256, 'Cache-Control': IMMUTABLE };
      const body = { length, chunks: request.noting(chunks) };
      const answer = await request.open(fields, { 'Content-Type': 'application/octet-stream' }, body);
      if (answer.status < 200 || answer.status > 299) throw await this.#refusal(answer);
    } catch (error) {
      throw request.faultOf(error);
    } finally {
      request.end();
    }
  }

  /** Whether it has an object of this name and length. Rejects with a BucketFault. */
  async has({ sha256, length }: Stored): Promise<boolean> {
    const request = this.#request('HEAD', sha256);
    try {
      const answer = await request.open();
      // Who may not list a bucket is told 403 of what is not there (Amazon S3 API reference, HeadObject).
      if (answer.status === 404 || answer.status === 403) return false;
      if (answer.status !== 200) throw await this.#refusal(answer);
      return answer.headers['content-length'] === String(length);
    } catch (error) {
      throw request.faultOf(error);
    } finally {
      request.end();
    }
  }

  /**
   * The bytes of an object from `from` on, or, of a server without ranges, from the first. Throws a BucketFault, also where it has
   * another length, or ends before that.
   */
  async *read({ sha256, length }: Stored, from: number): AsyncGenerator<ObjectPiece> {
    const request = this.#request('GET', sha256);
    try {
      const range: Fields = from === 0 ? {} : { Range: `bytes=${from}-` };
      // Not signed: proxies on the way may change it.
      const answer = await request.open({}, { ...range, 'Accept-Encoding': 'identity' });
      if (answer.status !== 200 && answer.status !== 206) throw await this.#refusal(answer);
      let at = startOf(answer, length);
      if (at !== 0 && at !== from) throw this.fault(`does not have the ${length} bytes of an image`);
      for await (const bytes of answer.chunks) {
        if (at + bytes.length > length) throw this.fault(`has more than the ${length} bytes of an image`);
        request.alive();
        yield { at, bytes };
        request.alive();
        at += bytes.length;
      }
      if (at < length) throw this.fault('broke off', true);
    } catch (error) {
      throw request.faultOf(error);
    } finally {
      request.end();
    }
  }

  /** Breaks off all that is under way. */
  close(): void {
    this.#closing.abort();
    this.#outbound.close();
  }

  /** A request of an object, which is broken off where nothing moves. */
  #request(method: Method, sha256: string) {
    const { url: bucket, region, sessionToken, ...key } = this.#options;
    const url = `${bucket}/firmware/${sha256}`;
    const over = new AbortController();
    let hangs = false;
    const idle = setTimeout(() => {
      hangs = true;
      over.abort();
    }, this.#idleMs);
    const alive = () => void idle.refresh();
    return {
      alive,
      /** `fields` are signed, `others` are not. */
      open: async (fields: Fields = {}, others: Fields = {}, body?: Streamed): Promise<Opened> => {
        this.closing.throwIfAborted();
        const signed = await new AwsV4Signer({
          ...{ url, method, headers: { 'X-Amz-Content-Sha256': EMPTY, ...fields }, service: 's3', ...key },
          ...(region !== '' && { region }),
          ...(sessionToken !== '' && { sessionToken }),
        }).sign();
        const answer = await this.#outbound.open(method, {
          ...{ url, headers: { ...Object.fromEntries(signed.headers), ...others }, ...(body && { body }) },
          ...{ deadlineMs: DEADLINE_MS, signal: over.signal },
        });
        alive();
        return answer;
      },
      /** The same bytes; each that is taken is a sign of life. */
      async *noting(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
        for await (const chunk of chunks) {
          yield chunk;
          alive();
        }
      },
      faultOf: (error: unknown): BucketFault => {
        if (error instanceof BucketFault) return error;
        if (hangs) return this.fault(`did not answer for ${this.#idleMs / 1000} s`);
        const isBrief = ['connection', 'refused'].includes(failureOf(error as Error));
        return this.fault(`cannot be reached: ${messageOf(error).slice(0, 200)}`, isBrief);
      },
      end: () => {
        clearTimeout(idle);
        // What it still sends, or takes, is for nobody.
        over.abort();
      },
    };
  }

  /** What it answered in place of what was asked for, by its code (Amazon S3 API reference, error responses). */
  async #refusal({ status, chunks }: Opened): Promise<BucketFault> {
    const said = new Gathered();
    for await (const chunk of chunks) {
      if (said.length + chunk.length > ERROR_BYTES) break;
      said.push(chunk);
    }
    const [, code = ''] = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(said.whole().toString('latin1')) ?? [];
    const isBrief = status >= 500 || status === 429 || code === 'RequestTimeout';
    return this.fault(`answered ${status}${code === '' ? '' : ` (${code})`}`, isBrief);
  }
}

/** Where the bytes of an answer begin in an object of this length (RFC 9110, 14.4); undefined where it is of another one. */
function startOf({ status, headers }: Opened, length: number): number | undefined {
  if (status === 200) return headers['content-length'] === String(length) ? 0 : undefined;
  const [, first, whole] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? [];
  return Number(whole) === length ? Number(first) : undefined;
}
