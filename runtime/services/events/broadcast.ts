/** Sends each event to every subscriber: numbered, serialized once, kept for reconnects (WHATWG HTML, 9.2). */
import { Buffer } from 'node:buffer';
import type { LiveStream } from '../../http/streams.ts';

const RING = 64;
/** Largest replay: half of a reader's queue limit, so that a replay never disconnects its reader. */
const REPLAY_BYTES = 32 * 1024;
// An empty line behind them would be a message without data to parsers that do not know that those are none.
const PREAMBLE = Buffer.from('retry: 3000\n');
const COMMENT = Buffer.from(':\n');

/** All subscribers of the node's events, and the last 64 events. */
export class Broadcast {
  readonly #subscribers = new Set<LiveStream>();
  readonly #ring: Entry[] = [];
  #lastId = 0;

  /** Number of open streams. */
  get subscribers(): number {
    return this.#subscribers.size;
  }

  /**
   * Adds a stream, and sends the events after `lastEventId`; all of the ring if that number belongs to an earlier boot.
   */
  subscribe(stream: LiveStream, lastEventId: number | undefined): void {
    this.#subscribers.add(stream);
    stream.once('close', () => this.#subscribers.delete(stream));
    stream.send(PREAMBLE);
    if (lastEventId === undefined) return;
    for (const frame of this.#since(lastEventId > this.#lastId ? 0 : lastEventId)) stream.send(frame);
  }

  /** Numbers an event, keeps it and sends it to every stream. */
  publish(event: { readonly type: string }): void {
    const entry = new Entry(++this.#lastId, event);
    if (this.#ring.push(entry) > RING) this.#ring.shift();
    for (const stream of this.#subscribers) stream.send(entry.frame);
  }

  /** Sends an empty comment to every stream, so that idle connections stay open. */
  comment(): void {
    for (const stream of this.#subscribers) stream.send(COMMENT);
  }

  /** Ends every stream. */
  end(): void {
    for (const stream of this.#subscribers) stream.end();
  }

  /** The events after `id`, oldest first; if they exceed 32 KiB, the oldest are left out. */
  #since(id: number): Buffer[] {
    const frames: Buffer[] = [];
    let room = REPLAY_BYTES;
    for (const entry of this.#ring.toReversed()) {
      room -= entry.frame.length;
      if (entry.id <= id || room < 0) break;
      frames.unshift(entry.frame);
    }
    return frames;
  }
}

/** An event in the ring; it is serialized when the first reader needs it. */
class Entry {
  readonly id: number;
  readonly #event: { readonly type: string };
  #frame: Buffer | undefined;

  constructor(id: number, event: { readonly type: string }) {
    this.id = id;
    this.#event = event;
  }

  /** The event as text. JSON escapes line ends and the type is reduced to safe characters, so it cannot end early. */
  get frame(): Buffer {
    const type = this.#event.type.replace(/[^\w.-]/g, '');
    this.#frame ??= Buffer.from(`event: ${type}\nid: ${this.id}\ndata: ${JSON.stringify(this.#event)}\n\n`);
    return this.#frame;
  }
}
