/** Places between two commands of bytes that are known as a whole. */
import type { Boundaries } from './escpos-boundaries.ts';
import { EscposStream } from './escpos-stream.ts';
import { STRETCH, type StreamSink } from './escpos-stream-sink.ts';

/** Bytes as they are: nothing of them is left out. */
export const AS_SENT = { realtimePulseDisable: false, pulseOnBel: false, asSent: true };
const NOTHING = new Uint8Array(0);
/** Takes what a stream gives, and keeps nothing. */
export const NOWHERE: StreamSink = {
  forward: () => {},
  defineMacro: () => {},
  runMacro: () => {},
  status: () => {},
  dropped: () => {},
  cut: () => {},
};

/**
 * Cuts bytes of the node itself into parts that end between two commands, or at the end. Each has at least so many bytes as `wanted`
 * says when it is asked for, `least` or more.
 */
export function* stretchesOf(bytes: Uint8Array, least: number, wanted = () => least): Generator<Uint8Array> {
  if (bytes.length <= wanted()) return yield bytes;
  const stream = new EscposStream({ ...AS_SENT, stretch: least });
  /** What it gave, with where that begins, and the boundaries that it told one by one, without any of their own. */
  const runs: { readonly start: number; readonly run: Uint8Array; readonly boundaries?: Boundaries | undefined }[] = [];
  let passed = 0;
  const sink: StreamSink = {
    ...NOWHERE,
    forward: (run, boundaries) => {
      runs.push({ start: passed, run, boundaries });
      passed += run.length;
    },
    boundary: () => void runs.push({ start: passed, run: NOTHING }),
  };
  let from = 0;
  const next = ({ start, run, boundaries }: (typeof runs)[number]) => {
    const least = from + wanted() - start;
    if (run.length === 0) return from < start && least <= 0 ? 0 : undefined;
    return boundaries?.next(run, Math.max(1, least));
  };
  for (let at = 0; at < bytes.length; at += STRETCH) {
    stream.push(bytes.subarray(at, at + STRETCH), sink);
    for (const each of runs.splice(0)) {
      for (let place = next(each); place !== undefined; place = next(each)) {
        yield bytes.subarray(from, each.start + place);
        from = each.start + place;
      }
    }
  }
  if (from < bytes.length) yield bytes.subarray(from);
}
