/** One event to every subscriber: numbered, written down once, kept for those who come back (WHATWG HTML, 9.2). */
import { Buffer } from 'node:buffer';
import type { LiveStream } from '../../http/streams.ts';

const RING = 64;
/** A replay takes half of a reader's backlog at most, so that it never drops the reader it is for. */
const REPLAY_BYTES = 32 * 1024;
const PREAMBLE = Buffer.from('retry: 3000\n\n');
const COMMENT = Buffer.from(':\n\n');

export class Broadcast {
  readonly #subscribers = new Set<LiveStream>();
  readonly #ring: Entry[] = [];
  #lastId = 0;

  get subscribers(): number {
    return this.#subscribers.size;
  }

  /** `lastEventId` is what a returning reader saw last; one of an earlier boot is behind everything of this one. */
  subscribe(stream: LiveStream, lastEventId: number | undefined): void {
    this.#subscribers.add(stream);
    stream.once('close', () => this.#subscribers.delete(stream));
    stream.send(PREAMBLE);
    if (lastEventId === undefined) return;
    for (const frame of this.#since(lastEventId > this.#lastId ? 0 : lastEventId)) stream.send(frame);
  }

  publish(event: { readonly type: string }): void {
    const entry = new Entry(++this.#lastId, event);
    if (this.#ring.push(entry) > RING) this.#ring.shift();
    for (const stream of this.#subscribers) stream.send(entry.frame);
  }

  comment(): void {
    for (const stream of this.#subscribers) stream.send(COMMENT);
  }

  end(): void {
    for (const stream of this.#subscribers) stream.end();
  }

  /** What was missed, oldest first; the oldest of it is left out where it would not fit. */
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

/** An event in the ring; its frame is made when the first reader wants it. */
class Entry {
  readonly id: number;
  readonly #event: { readonly type: string };
  #frame: Buffer | undefined;

  constructor(id: number, event: { readonly type: string }) {
    this.id = id;
    this.#event = event;
  }

  /** JSON escapes every line end, and the type is a word: nothing in an event can end its frame early. */
  get frame(): Buffer {
    const type = this.#event.type.replace(/[^\w.-]/g, '');
    this.#frame ??= Buffer.from(`event: ${type}\nid: ${this.id}\ndata: ${JSON.stringify(this.#event)}\n\n`);
    return this.#frame;
  }
}
