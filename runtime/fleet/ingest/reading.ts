/** Bodies that are being read: their bytes are bounded, and where there are too many, the slowest of one address give way. */
import type { IncomingMessage } from 'node:http';
import { type Revocable, readBytes } from '../../http/body.ts';
import { limitsOf } from '../http/body.ts';
import { Busy } from '../http/errors.ts';
import { sourceOf } from '../http/source.ts';

/** Time for the longest heartbeat: 16 KB over 3 KB/s. */
const TIMEOUT_MS = 5000;
/** Bytes that have arrived of bodies that are not whole yet. */
const MOST_BYTES = 8 * 1024 * 1024;

interface Body extends Revocable {
  readonly source: string;
  bytes: number;
}

/** Reads bodies, many at a time. */
export class BodyReading {
  /** The oldest first. */
  readonly #bodies = new Set<Body>();
  #bytes = 0;

  /** The whole body; rejects as `readBytes`, and with `Busy` where it gives way. */
  async read(request: IncomingMessage, address: string, limit: number): Promise<Buffer> {
    const body: Body = { source: sourceOf(address), bytes: 0, onRevoked: undefined };
    this.#bodies.add(body);
    const arrived = (bytes: number) => {
      body.bytes += bytes;
      this.#bytes += bytes;
      if (this.#bytes > MOST_BYTES && !request.complete) this.#makeRoom();
    };
    try {
      return await readBytes(request, limitsOf(limit, { timeoutMs: TIMEOUT_MS, arrived }), body);
    } finally {
      this.#bodies.delete(body);
      this.#bytes -= body.bytes;
    }
  }

  /**
   * Refuses those of the address that holds the most, the oldest first, down to half of what it has. (A connection that is cut off
   * is opened again at once; one that is answered waits for its end.)
   */
  #makeRoom(): void {
    const held = new Map<string, number>();
    for (const { source, bytes } of this.#bodies) held.set(source, (held.get(source) ?? 0) + bytes);
    const [source = '', most = 0] = [...held].reduce((one, other) => (other[1] > one[1] ? other : one), ['', 0]);
    let left = most;
    for (const body of this.#bodies) {
      if (left <= most / 2) return;
      if (body.source !== source) continue;
      left -= body.bytes;
      body.onRevoked?.(new Busy('other bodies need the room'));
    }
  }
}
