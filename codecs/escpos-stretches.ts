/** Places between two commands of bytes that are known as a whole, and pictures that are cut where they are too long for one write. */
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

/** How much goes out in one write; each is asked again for each write, as it changes with what the printer takes. */
export interface WriteSizes {
  /** The fewest bytes of a stretch. */
  readonly stretch: number;
  /** The most bytes of a picture that the node makes, but for one row; left out: pictures are not cut. */
  readonly picture?: number;
}

/** What a stream gave, in order. */
interface Run {
  /** Index of its first byte; below 0 in what an earlier piece began. */
  readonly start: number;
  readonly bytes: Uint8Array;
  /** Places within it or at its end at which the printer is ready. */
  readonly boundaries?: Boundaries | undefined;
  /** The meaning of a run without bytes: a picture begins there, or else what is to be sent behind a command that stands there. */
  readonly place?: 'picture' | Uint8Array | undefined;
}

/** Where others may stand in bytes of somebody else. */
export interface InsertPlaces {
  /** Whether they may where the stream is now, which needs something around them there. */
  mayStand(): boolean;
  /** Called before each part is given. `selection`: what is to be sent behind a command that stands at its end; undefined where none may. */
  ended(selection: Uint8Array | undefined): void;
}

/**
 * Cuts bytes of the node itself into parts that end between two commands, or at the end. Each has at least so many bytes as is
 * wanted when it is asked for, `least` or more; but for pictures that are cut (GS v 0), which changes bytes in place.
 */
export function stretchesOf(
  bytes: Uint8Array,
  least: number,
  wanted: WriteSizes = { stretch: least },
): Iterable<Uint8Array> {
  const length = bytes.length;
  if (length <= wanted.stretch) return [bytes];
  return stretchesIn(bytes, new EscposStream({ ...AS_SENT, stretch: least }), NOWHERE, wanted);
}

/** The same, of bytes that `stream` reads behind others. */
export function* stretchesIn(
  bytes: Uint8Array,
  stream: EscposStream,
  told: StreamSink,
  wanted: WriteSizes,
  places?: InsertPlaces,
): Generator<Uint8Array> {
  const runs: Run[] = [];
  // What an earlier piece began, it has sent.
  let passed = -stream.held;
  const sink: StreamSink = {
    ...told,
    forward: (run, boundaries) => {
      runs.push({ start: passed, bytes: run, boundaries });
      passed += run.length;
    },
    boundary: () => {
      if (places?.mayStand() !== false) runs.push({ start: passed, bytes: NOTHING, place: stream.selection });
    },
    picture:
      wanted.picture === undefined || places !== undefined
        ? undefined
        : () => void runs.push({ start: passed, bytes: NOTHING, place: 'picture' }),
  };
  let from = 0;
  const next = ({ start, bytes: run, boundaries, place }: Run) => {
    const least = from + wanted.stretch - start;
    if (place !== undefined) return place !== 'picture' && from < start && least <= 0 ? 0 : undefined;
    return boundaries?.next(run, Math.max(1, least));
  };
  for (let at = 0; at < bytes.length; at += STRETCH) {
    stream.push(bytes.subarray(at, at + STRETCH), sink);
    for (const each of runs.splice(0)) {
      const { start, place } = each;
      const end = place === 'picture' ? longPicture(bytes, start, wanted.picture) : undefined;
      if (end !== undefined) {
        if (from < start) yield bytes.subarray(from, start);
        yield* stripsOf(bytes.subarray(start, end), wanted);
        from = end;
      }
      for (let to = next(each); to !== undefined; to = next(each)) {
        places?.ended(place instanceof Uint8Array ? place : NOTHING);
        yield bytes.subarray(from, start + to);
        from = start + to;
      }
    }
  }
  if (from === bytes.length) return;
  places?.ended(undefined);
  yield bytes.subarray(from);
}

/** GS v 0 m xL xH yL yH. */
const HEADER = 8;

/** Where the picture at `start` ends, if it is one that is to be cut. */
function longPicture(bytes: Uint8Array, start: number, most = Number.POSITIVE_INFINITY): number | undefined {
  if (bytes[start] !== 0x1d || bytes[start + 1] !== 0x76) return undefined;
  const { rowBytes, rows } = shapeOf(bytes.subarray(start));
  const length = HEADER + rowBytes * rows;
  return rowBytes > 0 && rows > 1 && length > most && start + length <= bytes.length ? start + length : undefined;
}

const shapeOf = (header: Uint8Array) => ({
  rowBytes: header[4]! + 256 * header[5]!,
  rows: header[6]! + 256 * header[7]!,
});

/** A picture as some of fewer rows, each a view: its header takes the place of bytes that are sent. */
function* stripsOf(picture: Uint8Array, wanted: WriteSizes): Generator<Uint8Array> {
  const { rowBytes, rows } = shapeOf(picture);
  const header = picture.slice(0, HEADER);
  let count = 0;
  for (let row = 0; row < rows; row += count) {
    const most = Math.floor(((wanted.picture ?? 0) - HEADER) / rowBytes);
    count = Math.max(1, Math.min(rows - row, most));
    header[6] = count & 0xff;
    header[7] = count >> 8;
    const strip = picture.subarray(row * rowBytes, HEADER + (row + count) * rowBytes);
    strip.set(header);
    yield strip;
  }
}
