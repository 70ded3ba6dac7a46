/**
 * Large bodies of responses. They leave in slices, without a copy, at the reader's pace. What was made for one response is
 * bounded, in all and by address, until it has left: a client that asks for much and reads nothing fills no memory.
 */
import { Readable } from 'node:stream';
import { ApiError } from '../kernel/errors.ts';
import { Shares } from '../kernel/shares.ts';

/** Larger bodies are large. */
export const LARGE_BYTES = 64 * 1024;
/** Of bodies that are on their way, and of those for one address. */
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

  /** The body as a stream for a response to `address`. Throws the ApiError `busy` where too much is on its way. */
  stream(body: Uint8Array, address: string): Readable {
    const out = lasting.has(body.buffer) ? undefined : this.#take(body, address);
    const stream = Readable.from(slices(body), { objectMode: false });
    if (out !== undefined) stream.once('close', () => this.#leave(body, out));
    return stream;
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

function* slices(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += LARGE_BYTES) yield body.subarray(at, at + LARGE_BYTES);
}
