/** Places between two commands of bytes that are known as a whole. */
import { EscposStream } from './escpos-stream.ts';
import { STRETCH, type StreamSink } from './escpos-stream-sink.ts';

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

/**
 * Cuts bytes of the node itself into parts that end between two commands, or at the end. Each has at least so many bytes as `wanted`
 * says when it is asked for, `least` or more.
 */
export function* stretchesOf(bytes: Uint8Array, least: number, wanted = () => least): Generator<Uint8Array> {
  if (bytes.length <= wanted()) return yield bytes;
  const stream = new EscposStream({ ...AS_SENT, stretch: least });
  let passed = 0;
  const ends: number[] = [];
  const sink: StreamSink = {
    ...NOWHERE,
    forward: ({ length }, places) => {
      for (const place of places ?? []) ends.push(passed + place);
      passed += length;
    },
    boundary: () => void ends.push(passed),
  };
  let from = 0;
  for (let at = 0; at < bytes.length; at += STRETCH) {
    stream.push(bytes.subarray(at, at + STRETCH), sink);
    for (const to of ends.splice(0)) {
      if (to - from < wanted()) continue;
      yield bytes.subarray(from, to);
      from = to;
    }
  }
  if (from < bytes.length) yield bytes.subarray(from);
}
