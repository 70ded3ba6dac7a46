/** What a job of port 9100 has filtered and not sent yet, and what of it goes out in one write. */
import type { Pause } from './between.ts';

const NOTHING = new Uint8Array(0);

/** What the filter put out, or a place between two commands. */
export type Part = Sent | Boundary;
interface Sent {
  readonly bytes: Uint8Array;
  readonly part: 'bytes' | 'macro' | 'run';
}
/** `places`: how many of its bytes lie before each boundary that is as `SELECTED`. */
interface Kept extends Sent {
  readonly places: readonly number[];
}
/** A place where something else may stand. */
export interface Boundary {
  readonly part: 'boundary';
  /** The ESC = n to send behind what selects the printer there. */
  readonly selection: Uint8Array;
  /** The printer is in its setup mode there; it starts again there, because the client has left that mode. */
  readonly setup: boolean;
  readonly starts: boolean;
}
/** A place in what is not filtered: the printer is selected there. */
export const SELECTED: Boundary & Pause = {
  part: 'boundary',
  selection: NOTHING,
  setup: false,
  starts: false,
  before: NOTHING,
  after: NOTHING,
};

/** Parts in the order in which they are sent. */
export class Parts {
  #parts: (Kept | Boundary)[] = [];
  /** Bytes of the first one that are taken. */
  #taken = 0;
  /** What was taken last ends at one of its places. */
  #atPlace = false;

  get isEmpty(): boolean {
    return this.#parts.length === 0 && !this.#atPlace;
  }

  /** Bytes that are not taken. */
  get length(): number {
    return this.#parts.reduce((sum, each) => sum + (each.part === 'boundary' ? 0 : each.bytes.length), -this.#taken);
  }

  keep(bytes: Uint8Array, part: Sent['part'], places: readonly number[] = []): void {
    this.#parts.push({ bytes, part, places });
  }

  mark(boundary: Boundary): void {
    this.#parts.push(boundary);
  }

  /** Others come behind these. */
  append(others: Parts): void {
    this.#parts.push(...others.#parts);
  }

  /** All of the bytes, of which none is taken. */
  takeAll(): Uint8Array {
    return joined(this.#parts.splice(0).flatMap((each) => (each.part === 'boundary' ? [] : each.bytes)));
  }

  /**
   * The next part; of plain bytes as many as go out in one write: up to the first boundary that is `reach` bytes away, and over none
   * at which the printer starts again. Undefined where there is none.
   */
  take(reach: number): Part | undefined {
    if (this.#atPlace) {
      this.#atPlace = false;
      return SELECTED;
    }
    if (this.#parts[0]?.part !== 'bytes') return this.#parts.shift();
    const run: Uint8Array[] = [];
    let [length, count] = [0, 0];
    for (const [index, each] of this.#parts.entries()) {
      if (each.part === 'bytes') {
        const from = this.#taken;
        const least = from + Math.max(1, reach - length);
        const place = each.places.find((at) => at >= least);
        const to = place ?? each.bytes.length;
        run.push(each.bytes.subarray(from, to));
        length += to - from;
        this.#atPlace = place !== undefined;
        this.#taken = to < each.bytes.length ? to : 0;
        // A boundary behind the last bytes is left.
        if (this.#taken === 0) count = index + 1;
        if (this.#atPlace) break;
      } else if (each.part !== 'boundary' || each.starts || length >= reach) break;
    }
    this.#parts.splice(0, count);
    return { bytes: joined(run), part: 'bytes' };
  }
}

/** Without a copy where they lie one behind the other, as parts of what a client sent at once do. */
function joined(run: readonly Uint8Array[]): Uint8Array {
  const [first = NOTHING] = run;
  let end = first.byteOffset;
  for (const { buffer, byteOffset, length } of run) {
    if (buffer !== first.buffer || byteOffset !== end) return Buffer.concat(run);
    end += length;
  }
  return Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset);
}
