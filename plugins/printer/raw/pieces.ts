/**
 * Raw commands of the API. They go out as they are, and may be pieces of one job: an image is larger than one of them.
 * What they leave open is followed, so that nothing else gets into it.
 */
import type { PrinterMode } from '../../../codecs/escpos-mode.ts';
import { EscposStream, MAX_PAYLOAD, type StreamSink } from '../../../codecs/escpos-stream.ts';
import { LONGEST_UNDECIDED } from '../../../codecs/escpos-tokenizer.ts';

const AS_SENT = { realtimePulseDisable: false, pulseOnBel: false, asSent: true };
const NOWHERE: StreamSink = {
  forward: () => {},
  defineMacro: () => {},
  runMacro: () => {},
  status: () => {},
  dropped: () => {},
};
/** Pieces of one job follow each other within this. */
const TOGETHER_MS = 60_000;

export class RawPieces {
  readonly #mode: PrinterMode;
  #stream: EscposStream | undefined;
  #at = 0;

  constructor(mode: PrinterMode) {
    this.#mode = mode;
  }

  /** What was sent last was a raw command, too. */
  get any(): boolean {
    return this.#stream !== undefined;
  }

  /** They have announced more than they sent. */
  get underWay(): boolean {
    return this.#stream?.atBoundary === false;
  }

  /** The rest of what they announced will not come. */
  get abandoned(): boolean {
    return this.underWay && performance.now() - this.#at > TOGETHER_MS;
  }

  /** Whether these begin a payload larger than any printer takes: nothing could make up for its rest. */
  announceTooMuch(bytes: Uint8Array): boolean {
    if (this.underWay) return false;
    const alone = new EscposStream(AS_SENT);
    alone.push(bytes.slice(), NOWHERE);
    return alone.end(NOWHERE) > MAX_PAYLOAD;
  }

  follow(bytes: Uint8Array): void {
    this.#stream ??= new EscposStream(AS_SENT, this.#mode);
    this.#stream.push(bytes.slice(), NOWHERE);
    this.#at = performance.now();
  }

  /** No more will come: how many NULs make up for what they left open; undefined where there were none. */
  end(): number | undefined {
    const stream = this.#stream;
    if (stream === undefined) return undefined;
    this.#stream = undefined;
    let decided = 0;
    const sink: StreamSink = { ...NOWHERE, forward: ({ length }) => (decided += length) };
    // Whatever is undecided is decided by them: a header that was cut off, too, announces something then.
    stream.push(new Uint8Array(LONGEST_UNDECIDED), sink);
    return Math.min(decided + stream.end(sink), MAX_PAYLOAD);
  }
}
