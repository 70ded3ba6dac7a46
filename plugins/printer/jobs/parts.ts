/** What a job of port 9100 has filtered and not sent yet, and what of it goes out in one write. */
import type { Boundaries } from '../../../codecs/escpos-boundaries.ts';
import { NULS } from '../../../codecs/escpos-open-ends.ts';
import type { Pause } from './between.ts';

const NOTHING = new Uint8Array(0);

/** What the filter put out, or a place between two commands. */
export type Part = Sent | Boundary;
interface Sent {
  readonly bytes: Uint8Array;
  readonly part: 'bytes' | 'macro' | 'run';
}
/** `boundaries`: those within it or at its end that are as `SELECTED`. */
interface Kept extends Sent {
  readonly boundaries: Boundaries | undefined;
}
/** A place where something else may stand. */
export interface Boundary {
  readonly part: 'boundary';
  /** The ESC = n to send behind what selects the printer there. */
  readonly selection: Uint8Array;
  /** The printer is in its setup mode there; it starts again there, because the client has left that mode. */
  readonly setup: boolean;
  readonly starts: boolean;
  /** Bytes that a kick needs before it; a status request may not stand there, then. */
  readonly before: Uint8Array;
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
/** A place in a text that has gone on for long without a byte that ends a character for sure: a kick may cost one of them. */
const IN_TEXT: Boundary = { ...SELECTED, before: NULS };
/** Bytes in which another one is looked for. */
const WITHIN = { least: 16, most: 256 };

/** Parts in the order in which they are sent. */
export class Parts {
  #parts: (Kept | Boundary)[] = [];
  /** Index of the first one that is not taken, and how many of its bytes are. */
  #next = 0;
  #taken = 0;
  /** What was taken last ends at one of its boundaries. */
  #boundary: Boundary | undefined;

  get isEmpty(): boolean {
    return this.#next === this.#parts.length && this.#boundary === undefined;
  }

  /** Bytes that are not taken. */
  get length(): number {
    return this.#left.reduce((sum, each) => sum + (each.part === 'boundary' ? 0 : each.bytes.length), -this.#taken);
  }

  keep(bytes: Uint8Array, part: Sent['part'], boundaries?: Boundaries): void {
    this.#parts.push({ bytes, part, boundaries });
  }

  mark(boundary: Boundary): void {
    this.#parts.push(boundary);
  }

  /** Others come behind these. */
  append(others: Parts): void {
    for (const each of others.#left) this.#parts.push(each);
  }

  /** All of the bytes, of which none is taken. */
  takeAll(): Uint8Array {
    const bytes = joined(this.#left.flatMap((each) => (each.part === 'boundary' ? [] : each.bytes)));
    this.#parts = [];
    this.#next = 0;
    return bytes;
  }

  /**
   * The next part; of plain bytes as many as go out in one write: up to the first boundary that is `reach` bytes away, and over none
   * at which the printer starts again. Undefined where there is none.
   */
  take(reach: number): Part | undefined {
    const reached = this.#boundary;
    this.#boundary = undefined;
    if (reached !== undefined) return reached;
    const first = this.#parts[this.#next];
    if (first?.part !== 'bytes') {
      if (first === undefined) this.#parts = [];
      this.#next = first === undefined ? 0 : this.#next + 1;
      return first;
    }
    const run: Uint8Array[] = [];
    let length = 0;
    for (let at = this.#next; at < this.#parts.length; at += 1) {
      const each = this.#parts[at]!;
      if (each.part === 'bytes') {
        const { bytes, boundaries } = each;
        const from = this.#taken;
        const least = Math.ceil(from + Math.max(1, reach - length));
        const far = least + Math.min(WITHIN.most, Math.max(WITHIN.least, Math.ceil(reach)));
        const next = boundaries?.next(bytes, least);
        const inText = next === undefined || next > far ? boundaries?.inText(bytes, far) : undefined;
        const boundary = inText ?? next;
        const to = boundary ?? bytes.length;
        run.push(bytes.subarray(from, to));
        length += to - from;
        if (inText !== undefined) this.#boundary = IN_TEXT;
        else if (boundary !== undefined || boundaries?.endsAt(to) === true) this.#boundary = SELECTED;
        this.#taken = to < bytes.length ? to : 0;
        // A boundary behind the last bytes is left.
        if (this.#taken === 0) this.#next = at + 1;
        if (boundary !== undefined) break;
      } else if (each.part !== 'boundary' || each.starts || length >= reach) break;
    }
    return { bytes: joined(run), part: 'bytes' };
  }

  get #left(): readonly (Kept | Boundary)[] {
    return this.#parts.slice(this.#next);
  }
}

/** Joins pieces, without a copy where they lie one behind the other, as parts of what a client sent at once do. */
function joined(run: readonly Uint8Array[]): Uint8Array {
  const [first = NOTHING] = run;
  let end = first.byteOffset;
  for (const { buffer, byteOffset, length } of run) {
    if (buffer !== first.buffer || byteOffset !== end) return Buffer.concat(run);
    end += length;
  }
  return Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset);
}
