/**
 * Raw commands of the API. They are sent unchanged and may be pieces of one job, as an image is larger than one of them.
 * This follows the commands that they leave open, so that no other bytes land inside one.
 */
import type { PrinterMode } from '../../../codecs/escpos-mode.ts';
import { MAX_PAYLOAD } from '../../../codecs/escpos-payload.ts';
import type { AskedCounts } from '../../../codecs/escpos-progress.ts';
import { EscposStream } from '../../../codecs/escpos-stream.ts';
import { AS_SENT, NOWHERE } from '../../../codecs/escpos-stretches.ts';
import { LONGEST_UNDECIDED } from '../../../codecs/escpos-tokenizer.ts';

/** Most milliseconds between two pieces of one job. */
const TOGETHER_MS = 60_000;

/** More than a number of two bytes announces, which is what most commands have. */
const MOST_COUNTED = 0x1_0000;

/** Follows the series of raw commands that was sent last. */
export class RawPieces {
  readonly #mode: PrinterMode;
  #stream: EscposStream | undefined;
  /** Ahead of it: what the next piece would begin. */
  #ahead = new EscposStream(AS_SENT);
  #at = 0;

  constructor(mode: PrinterMode) {
    this.#mode = mode;
  }

  /** True where the last job was a raw command. */
  get any(): boolean {
    return this.#stream !== undefined;
  }

  /** True where they left a command incomplete. */
  get underWay(): boolean {
    return this.#stream?.atBoundary === false;
  }

  /** True where they left a command incomplete and the rest did not come in time. */
  get abandoned(): boolean {
    return this.underWay && performance.now() - this.#at > TOGETHER_MS;
  }

  /**
   * True where the printer would wait for more than `MAX_PAYLOAD` bytes behind this piece, which is not to be sent then. The series has
   * to end.
   */
  announceTooMuch(bytes: Uint8Array): boolean {
    this.#ahead.push(bytes.slice(), NOWHERE);
    return this.#ahead.owed > MAX_PAYLOAD;
  }

  /** How many commands of these bytes cut the paper. */
  follow(bytes: Uint8Array): number {
    this.#stream ??= new EscposStream(AS_SENT, this.#mode);
    let cuts = 0;
    this.#stream.push(bytes.slice(), { ...NOWHERE, cut: () => void cuts++ });
    this.#at = performance.now();
    return cuts;
  }

  /** What the printer will answer to what came since this was asked last. */
  takeAsked(): AskedCounts {
    return this.#stream?.progress.takeAsked() ?? new Map();
  }

  /** Ends the series: how many NULs complete the command that it left open; undefined where there was no series. */
  end(): number | undefined {
    const stream = this.#stream;
    this.#ahead = new EscposStream(AS_SENT);
    this.#stream = undefined;
    if (stream === undefined) return undefined;
    const { owed, isDoubtful } = stream;
    stream.end(NOWHERE);
    return owed + LONGEST_UNDECIDED + (isDoubtful ? MOST_COUNTED : 0);
  }
}
