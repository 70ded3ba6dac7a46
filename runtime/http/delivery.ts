/** Delivery of events to a receiver: a queue of eight, one event in flight, one retry (specification 3.3 and 6.2). */
import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { defined } from '../base/defined.ts';
import type { Logger } from '../kernel/log.ts';
import type { WebhookFailure } from './contract.ts';
import { failureOf, type Outbound, type Outgoing } from './outbound.ts';

/** The receiver, and the types of the events that it gets. */
export interface Webhook {
  /** Used exactly as given; '' for none. */
  readonly url: string;
  readonly secret: string;
  readonly events: readonly string[];
}

const SLOTS = 8;
const EVENT_BYTES = 511;
const ATTEMPTS = 2;
const DEADLINE_MS = 5000;
/** Limits of the delivery, for the OpenAPI document. */
export const WEBHOOK_LIMITS = {
  webhookQueueEvents: SLOTS,
  webhookEventBytes: EVENT_BYTES,
  webhookAttempts: ATTEMPTS,
  webhookTimeoutMs: DEADLINE_MS,
};

const isDelivered = (status: number) => status >= 200 && status <= 299;

interface Message {
  readonly seq: number;
  readonly body: string;
}

/** What a delivery needs. `deadlineMs` and `seq` are for tests. */
export interface DeliveryParts {
  /**
   * Returns the current configuration. URL and secret are read together, so that a secret is used only with its URL.
   */
  readonly webhook: () => Webhook;
  /** Certificate authorities (PEM) beside those that Node trusts; none or '': no other. */
  readonly ca?: () => string;
  readonly node: string;
  readonly uptimeMs: () => number;
  readonly outbound: Pick<Outbound, 'post' | 'close'>;
  readonly log: Logger;
  readonly deadlineMs?: number;
  /** Number of the last event before the first one. */
  readonly seq?: number;
}

/**
 * Value of the header field X-NODE-Signature for this body: its HMAC-SHA256 (RFC 2104) with the secret as the key, in
 * hexadecimal; nothing follows the = if there is no secret.
 */
export const signatureOf = (body: string | Uint8Array, secret: string): string =>
  `sha256=${secret === '' ? '' : createHmac('sha256', secret).update(body).digest('hex')}`;

/** Delivers events in the order in which they happened. */
export class Delivery {
  readonly #parts: DeliveryParts;
  /** Waiting events, without the one in flight. */
  readonly #queue: Message[] = [];
  /** Resolves when nothing is in flight and nothing waits. */
  #running: Promise<void> | undefined;
  #stopped = false;
  #seq: number;
  #delivered = 0;
  #dropped = 0;
  #lastStatus = -1;
  /** Why the last attempt did not deliver; undefined where it did. */
  #lastError: WebhookFailure | undefined;
  #lastAttemptAt: number | undefined;
  /** Reason of the last drop; logged when it changes. */
  #fault = '';

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#seq = parts.seq ?? 0;
  }

  /**
   * Queues an event, if its type is subscribed. It gets a number and is delivered or dropped in the end: a number that
   * the receiver misses is an event that it did not get. Nothing is sent before this returns.
   */
  offer(event: { readonly type: string }): void {
    const { url, events } = this.#parts.webhook();
    if (url === '' || this.#stopped || !events.includes(event.type)) return;
    const json = JSON.stringify(event);
    this.#seq = (this.#seq + 1) >>> 0;
    if (Buffer.byteLength(json) > EVENT_BYTES) {
      this.#dropped += 1;
      return;
    }
    const message = { seq: this.#seq, body: this.#bodyOf(json) };
    if (this.#running === undefined) {
      this.#running = this.#run(message);
      return;
    }
    if (this.#queue.length === SLOTS) {
      this.#queue.shift();
      this.#dropped += 1;
    }
    this.#queue.push(message);
  }

  /** The counters for GET /status. */
  status() {
    return {
      delivered: this.#delivered,
      dropped: this.#dropped,
      queued: this.#queue.length,
      seq: this.#seq,
      lastStatus: this.#lastStatus,
      ...defined({ lastError: this.#lastError }),
      lastAttemptAgoMs: this.#lastAttemptAt === undefined ? -1 : Math.floor(performance.now() - this.#lastAttemptAt),
    };
  }

  /** Accepts no more events, drops the waiting ones, and resolves when the one in flight has ended, after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    const { outbound } = this.#parts;
    this.#stopped = true;
    this.#dropped += this.#queue.length;
    this.#queue.length = 0;
    const grace = setTimeout(() => outbound.close(), graceMs);
    await this.#running;
    clearTimeout(grace);
    outbound.close();
  }

  /** The body of the request, around the event's JSON. */
  #bodyOf(event: string): string {
    const node = JSON.stringify(this.#parts.node);
    return `{"node":${node},"seq":${this.#seq},"uptimeMs":${Math.floor(this.#parts.uptimeMs()) >>> 0},"event":${event}}`;
  }

  async #run(first: Message): Promise<void> {
    // The code that emitted the event continues first.
    await new Promise((resolve) => setImmediate(resolve));
    for (let next: Message | undefined = first; next !== undefined; next = this.#queue.shift()) {
      if (await this.#deliver(next)) this.#delivered += 1;
      else this.#dropped += 1;
    }
    this.#running = undefined;
  }

  /** Makes up to two attempts with the same request, URL and secret. Resolves with whether it was delivered. */
  async #deliver({ seq, body }: Message): Promise<boolean> {
    const { url, secret } = this.#parts.webhook();
    if (url === '') return false;
    const ca = this.#parts.ca?.() || undefined;
    const headers = {
      'Content-Type': 'application/json',
      'X-NODE-Node': this.#parts.node,
      'X-NODE-Seq': String(seq),
      'X-NODE-Signature': signatureOf(body, secret),
    };
    let fault = '';
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const { status, reason } = await this.#attempt({ url, headers, body, ca });
      fault = reason;
      if (isDelivered(status)) {
        this.#fault = '';
        return true;
      }
      if (this.#stopped || (status >= 400 && status <= 499)) break;
    }
    if (fault !== this.#fault) this.#parts.log.warn({ reason: fault }, 'webhook not delivered');
    this.#fault = fault;
    return false;
  }

  async #attempt(request: Omit<Outgoing, 'deadlineMs'>): Promise<{ status: number; reason: string }> {
    const { outbound, deadlineMs = DEADLINE_MS } = this.#parts;
    const outcome = await outbound.post({ ...request, deadlineMs }).then(
      (status) => ({
        status,
        reason: `the receiver answered ${status}`,
        error: isDelivered(status) ? undefined : ('status' as const),
      }),
      (error: Error) => ({ status: -1, reason: error.message.slice(0, 200), error: failureOf(error) }),
    );
    this.#lastStatus = outcome.status;
    this.#lastError = outcome.error;
    this.#lastAttemptAt = performance.now();
    return outcome;
  }
}
