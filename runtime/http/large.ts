/**
 * Large bodies of responses. They leave in slices, without a copy, at the reader's pace. What was made for one response is
 * bounded, in all and by address, until it has left: a client that asks for much and reads nothing fills no memory.
 */
import type { ServerResponse } from 'node:http';
import { ApiError } from '../kernel/errors.ts';
import { Shares } from '../kernel/shares.ts';

/** Larger bodies are large. */
export const LARGE_BYTES = 64 * 1024;
/** Memory for bodies that are on their way, and for those of one address. */
const BYTES = 8 * 1024 * 1024;
const BYTES_OF_ONE_ADDRESS = BYTES / 2;

const lasting = new WeakSet<ArrayBufferLike>();

/** Marks a body that the node keeps anyway, and that many responses share: it is not counted. Returns it. */
export function keep<Body extends Uint8Array>(body: Body): Body {
  lasting.add(body.buffer);
  return body;
}

interface Out {
  responses: number;
  giveBack(): void;
}

/** The large bodies of a front that are on their way. */
export class LargeBodies {
  readonly #shares = new Shares(BYTES, BYTES_OF_ONE_ADDRESS);
  /** By their memory: responses with the same one count once. */
  readonly #out = new Map<ArrayBufferLike, Out>();

  /** Counts the body until the response has left. Throws the ApiError `busy` where too much is on its way to `address`. */
  hold(response: ServerResponse, body: Uint8Array, address: string): void {
    // A response whose connection was closed meanwhile does not leave, and tells nothing more.
    if (lasting.has(body.buffer) || response.closed) return;
    const out = this.#take(body, address);
    response.once('close', () => this.#leave(body, out));
  }

  #take({ buffer, byteLength }: Uint8Array, address: string): Out {
    const giveBack = this.#out.get(buffer)?.giveBack ?? this.#shares.take(address, byteLength);
    if (giveBack === undefined) throw new ApiError('busy', 'too many large answers wait to be read');
    const out = this.#out.get(buffer) ?? { responses: 0, giveBack };
    out.responses += 1;
    this.#out.set(buffer, out);
    return out;
  }

  #leave({ buffer }: Uint8Array, out: Out): void {
    out.responses -= 1;
    if (out.responses > 0) return;
    this.#out.delete(buffer);
    out.giveBack();
  }
}

/** Sends the body of a response whose header was written, and ends it. A stream for each would take as much memory as it. */
export function sendSlices(response: ServerResponse, body: Uint8Array): void {
  let at = 0;
  const next = () => {
    const slice = body.subarray(at, at + LARGE_BYTES);
    at += slice.length;
    if (at === body.length) response.end(slice);
    else response.write(slice);
  };
  response.on('drain', next);
  next();
}
