/** Answers that stay open: four slots for the whole node, and a stream that drops a reader who does not read. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { unacknowledgedBytes } from './unacknowledged.ts';

/** Event subscribers and camera viewers together (specification section 8). */
export const STREAM_SLOTS = 4;
/** What may be queued for one reader, here and in its socket. */
const MAX_BACKLOG_BYTES = 64 * 1024;
const CHECK_MS = 5000;
/** A reader that acknowledges nothing for so long is gone: with one check's delay, well within 30 s. */
const SILENCE_MS = 20_000;

export interface Slot {
  /** Gives the slot back; a second time is harmless. */
  release(): void;
}

export class StreamSlots {
  readonly #taken = new Set<Slot>();

  get free(): number {
    return STREAM_SLOTS - this.#taken.size;
  }

  take(): Slot | undefined {
    if (this.free === 0) return undefined;
    const slot: Slot = { release: () => this.#taken.delete(slot) };
    this.#taken.add(slot);
    return slot;
  }
}

/** In place of a stream for HEAD, which gets its header fields: none of them says how long it is. */
export const noStream = (): Readable => Readable.from([]);

/** The body of an answer that stays open. Ends with its connection, by `end`, or when the reader falls behind. */
export class LiveStream extends Readable {
  readonly #socket: IncomingMessage['socket'];
  readonly #slot: Slot;
  readonly #checks: NodeJS.Timeout;
  #ended = false;
  #acknowledged = -1;
  #progressAt = performance.now();

  constructor(request: IncomingMessage, slot: Slot) {
    super();
    this.#socket = request.socket;
    this.#slot = slot;
    this.#checks = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  /** Bytes queued for the reader and not yet taken by the kernel. */
  get backlog(): number {
    return this.readableLength + this.#socket.writableLength;
  }

  /** Queues a frame; a reader that is over its backlog with it is dropped. */
  send(frame: Uint8Array): void {
    if (this.destroyed || this.#ended) return;
    if (this.backlog + frame.length > MAX_BACKLOG_BYTES) this.destroy();
    else this.push(frame);
  }

  end(): void {
    if (!this.destroyed && !this.#ended) this.push(null);
    this.#ended = true;
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#checks);
    this.#slot.release();
    done(error);
  }

  /**
   * Keep-alive probes find a dead peer only while nothing is under way to it; with events under way TCP alone would
   * retransmit for a quarter of an hour (Linux, tcp_retries2).
   */
  #check(): void {
    const outstanding = unacknowledgedBytes(this.#socket);
    const acknowledged = this.#socket.bytesWritten - this.#socket.writableLength - outstanding;
    const now = performance.now();
    if (outstanding === 0 || acknowledged !== this.#acknowledged) this.#progressAt = now;
    this.#acknowledged = acknowledged;
    if (now - this.#progressAt >= SILENCE_MS) this.destroy();
  }
}
