/** Long-lived responses: four stream slots for the whole node, and streams that close if the client does not read. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { unacknowledgedBytes } from './unacknowledged.ts';

/** Number of stream slots: subscribers of events and viewers of the camera together (specification section 8). */
export const STREAM_SLOTS = 4;
/** Largest number of bytes queued for one client, in the stream and its socket. */
const MAX_BACKLOG_BYTES = 64 * 1024;
const CHECK_MS = 5000;
/** A client that acknowledges nothing for this long is dropped; with the delay of one check, well within 30 s. */
const SILENCE_MS = 20_000;

/** A stream slot that is in use. */
export interface Slot {
  /** Frees the slot; further calls do nothing. */
  release(): void;
}

/** The stream slots of a node. */
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

/** An empty body for HEAD on a stream: the header fields are those of GET, without a length. */
export const noStream = (): Readable => Readable.from([]);

/** The body of a long-lived response. Ends with its connection, by `end`, or when the client's backlog is full. */
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

  /** Bytes queued for the client and not yet accepted by the operating system. */
  get backlog(): number {
    return this.readableLength + this.#socket.writableLength;
  }

  /** Queues a frame; if the backlog is exceeded, the connection is destroyed. */
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
   * Drops a client that no longer acknowledges. TCP keep-alive finds a dead peer only while no data is unacknowledged;
   * otherwise TCP would retransmit for a quarter of an hour (tcp(7), tcp_retries2). Node closes no response that waits behind
   * another one of its connection (pipelining) when that connection closes.
   */
  #check(): void {
    if (this.#socket.destroyed) {
      this.destroy();
      return;
    }
    const outstanding = unacknowledgedBytes(this.#socket);
    const acknowledged = this.#socket.bytesWritten - this.#socket.writableLength - outstanding;
    const now = performance.now();
    if (outstanding === 0 || acknowledged !== this.#acknowledged) this.#progressAt = now;
    this.#acknowledged = acknowledged;
    if (now - this.#progressAt >= SILENCE_MS) this.destroy();
  }
}
