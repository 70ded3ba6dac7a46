/** Places between two commands of bytes that are known as a whole. */
import { EscposStream } from './escpos-stream.ts';
import type { StreamSink } from './escpos-stream-sink.ts';

/** Bytes as they are: nothing of them is left out. */
export const AS_SENT = { realtimePulseDisable: false, pulseOnBel: false, asSent: true };
/** Takes what a stream gives, and keeps nothing. */
export const NOWHERE: StreamSink = {
  forward: () => {},
  defineMacro: () => {},
  runMacro: () => {},
  status: () => {},
  dropped: () => {},
  cut: () => {},
};
/** Bytes that are followed at once, while such a place is looked for. */
const STEP = 512;

/** Cuts bytes of the node itself into parts of at least so many bytes, which end between two commands, or at the end. */
export function* stretchesOf(bytes: Uint8Array, least: number): Generator<Uint8Array> {
  if (bytes.length <= least) return yield bytes;
  const stream = new EscposStream(AS_SENT);
  let from = 0;
  for (let at = 0; at < bytes.length; at += STEP) {
    stream.push(bytes.subarray(at, at + STEP), NOWHERE);
    const to = Math.min(at + STEP, bytes.length);
    if (to < bytes.length && (to - from < least || !stream.isSettled)) continue;
    yield bytes.subarray(from, to);
    from = to;
  }
}
