/** GET /events as an async generator (WHATWG HTML, 9.2 Server-sent events), over fetch, which reports a refusal. */
import { backoff } from '../base/backoff.ts';
import { isWhole, linesOf } from './body.ts';
import { Deadline, pause } from './deadline.ts';
import { NodeError } from './errors.ts';
import type { Transport } from './transport.ts';

/** Options of `events`. */
export interface EventOptions {
  /** Ends the generator. */
  readonly signal?: AbortSignal | undefined;
  /** Starts with the events after this one, as far as the node still has them. */
  readonly lastEventId?: string | undefined;
  /** False: the generator ends when its connection ends. */
  readonly reconnect?: boolean | undefined;
}

const CONNECT_MS = 15_000;
/** The node sends a comment every 15 s: a stream without data for this long is considered dead. */
const SILENCE_MS = 45_000;
const RETRY_MS = 3000;
const LONGEST_RETRY_MS = 30_000;
const MAX_EVENT = 256 * 1024;

const ids = new WeakMap<object, string>();
/** The id of an event from `events()`, for `lastEventId`; undefined for any other object. */
export const eventIdOf = (event: object): string | undefined => ids.get(event);

/**
 * Yields events. Throws a `NodeError` if the first connection fails or is refused; later only on a refusal that waiting
 * does not change. Between two connections it waits 3 s, or as long as the node says, doubled after each failure up to
 * 30 s.
 */
export async function* eventsOf<T extends object>(
  transport: Transport,
  { signal, lastEventId, reconnect = true }: EventOptions,
): AsyncGenerator<T, void> {
  let id = lastEventId;
  let retryMs = RETRY_MS;
  let connected = false;
  for (let failures = 0; ; failures += 1) {
    const deadline = new Deadline(signal);
    try {
      deadline.start(CONNECT_MS);
      const headers = id === undefined ? {} : { 'Last-Event-ID': id };
      const response = await transport.once('GET', '/events', { headers }, deadline.signal, streamOf);
      connected = true;
      for await (const message of messagesOf(response, deadline)) {
        failures = 0;
        if (message.retryMs !== undefined) retryMs = message.retryMs;
        if (message.id !== undefined) id = message.id;
        const event = eventIn(message.data);
        if (event === undefined) continue;
        if (id !== undefined) ids.set(event, id);
        yield event as T;
      }
    } catch (error) {
      if (signal?.aborted) return;
      const final = error instanceof NodeError && error.status !== 0 && error.retry !== 'yes';
      if (!connected || final || !reconnect) throw error;
    } finally {
      deadline.end();
    }
    if (!reconnect) return;
    try {
      await pause(backoff(failures + 1, retryMs, LONGEST_RETRY_MS), signal);
    } catch {
      return;
    }
  }
}

async function streamOf(response: Response): Promise<Response> {
  if (isWhole(response)) throw new NodeError('bad_answer', response.status, 'this fetch gives no body as it arrives');
  if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) return response;
  throw new NodeError('bad_answer', response.status, 'the response is not an event stream');
}

interface Message {
  readonly data: string;
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
}

/** Parses blocks of fields, each ended by an empty line; a block without data can still have an id and a retry time. */
async function* messagesOf(response: Response, deadline: Deadline): AsyncGenerator<Message> {
  let data: string[] = [];
  let size = 0;
  let id: string | undefined;
  let retryMs: number | undefined;
  for await (const line of linesOf(response, deadline, SILENCE_MS)) {
    if (line === '') {
      yield { data: data.join('\n'), id, retryMs };
      [data, size, id, retryMs] = [[], 0, undefined, undefined];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    // Only characters that can be sent back in a header field.
    else if (field === 'id' && /^[ -~]{0,64}$/.test(value)) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value);
    size += line.length;
    if (size > MAX_EVENT) throw new NodeError('bad_answer', response.status, `an event over ${MAX_EVENT} characters`);
  }
}

/** The event; undefined for data that no node sends. */
function eventIn(data: string): object | undefined {
  try {
    const event: unknown = JSON.parse(data);
    return typeof event === 'object' && event !== null && 'type' in event ? event : undefined;
  } catch {
    return undefined;
  }
}
