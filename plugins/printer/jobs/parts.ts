/** What a job of port 9100 has filtered and not sent yet, and what of it goes out in one write. */
import type { Pause } from './between.ts';

const NOTHING = new Uint8Array(0);

/** What the filter put out, or a place between two commands. */
export type Part = { readonly bytes: Uint8Array; readonly part: 'bytes' | 'macro' | 'run' } | Boundary;
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

/**
 * The plain bytes from here on that go out in one write, and the index behind them: up to the first boundary that is `reach` bytes
 * away, and over none at which the printer starts again.
 */
export function together(parts: readonly Part[], from: number, reach: number): { bytes: Uint8Array; to: number } {
  const run: Uint8Array[] = [];
  let [length, to] = [0, from];
  for (let at = from; at < parts.length; at += 1) {
    const next = parts[at]!;
    if (next.part === 'bytes') {
      run.push(next.bytes);
      length += next.bytes.length;
      to = at + 1;
    } else if (next.part !== 'boundary' || next.starts || length >= reach) break;
  }
  return { bytes: joined(run), to };
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
