/**
 * Raw commands of the API. They are sent unchanged and may be pieces of one job, as an image is larger than one of them.
 * This follows the commands that they leave open, so that no other bytes land inside one.
 */
import type { MacroMemory } from '../../../codecs/escpos-macro.ts';
import type { PrinterMode } from '../../../codecs/escpos-mode.ts';
import { MAX_PAYLOAD } from '../../../codecs/escpos-payload.ts';
import type { AskedCounts } from '../../../codecs/escpos-progress.ts';
import { EscposStream } from '../../../codecs/escpos-stream.ts';
import { AS_SENT, NOWHERE, stretchesIn, type WriteSizes } from '../../../codecs/escpos-stretches.ts';
import { LONGEST_UNDECIDED } from '../../../codecs/escpos-tokenizer.ts';
import type { Pause } from './between.ts';
import { type Boundary, SELECTED } from './parts.ts';
import { LEAST } from './reach.ts';

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
  /** What is sent ends inside a command. */
  #isInside = false;
  /** The address of the client that sent the last one. */
  #from: string | undefined;
  /** The place at the end of what is being sent. */
  #place: Boundary | undefined;
  #cuts = 0;

  constructor(mode: PrinterMode) {
    this.#mode = mode;
  }

  /** True where the last job was a raw command. */
  get any(): boolean {
    return this.#stream !== undefined;
  }

  /** True where the next one is not to go on in what they left: it is another client's, and they left a command or the setup mode. */
  endsBefore(from: string): boolean {
    return this.#from !== undefined && this.#from !== from && (this.#isInside || this.#mode.setup);
  }

  /** True where they left a command incomplete. */
  get underWay(): boolean {
    return this.#isInside;
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

  /** The parts in which these bytes are sent; behind each of them `sent` is to be called. */
  stretches(bytes: Uint8Array, wanted: WriteSizes, from: string): Iterable<Uint8Array> {
    this.#from = from;
    this.#stream ??= new EscposStream({ ...AS_SENT, stretch: LEAST }, this.#mode);
    const stream = this.#stream;
    const told = { ...NOWHERE, cut: () => void this.#cuts++ };
    this.#at = performance.now();
    return stretchesIn(bytes, stream, told, wanted, {
      mayStand: () => this.#isPlain,
      ended: (selection) => {
        // What no manual allows may be longer for the printer, and have no end there.
        const isPlace = selection !== undefined && !stream.isDoubtful;
        this.#place = isPlace ? { ...SELECTED, selection } : undefined;
      },
    });
  }

  /** Where something may stand behind what is sent, while none of them is being written. */
  pause({ recording }: Pick<MacroMemory, 'recording'>): Pause | undefined {
    return this.#isInside || recording || !this.#isPlain ? undefined : SELECTED;
  }

  get #isPlain(): boolean {
    return !(this.#mode.setup || this.#mode.starts);
  }

  /** Gives the place between two commands that has come, if something may stand there: a printer that records a macro would store it. */
  sent({ recording }: Pick<MacroMemory, 'recording'>): Boundary | undefined {
    const place = this.#place;
    this.#place = undefined;
    this.#isInside = place === undefined && this.#stream?.atBoundary === false;
    return recording ? undefined : place;
  }

  /** How many commands cut the paper of what was read since this was asked last. */
  takeCuts(): number {
    const cuts = this.#cuts;
    this.#cuts = 0;
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
    this.#isInside = false;
    this.#from = undefined;
    if (stream === undefined) return undefined;
    const { owed, isDoubtful } = stream;
    stream.end(NOWHERE);
    return owed + LONGEST_UNDECIDED + (isDoubtful ? MOST_COUNTED : 0);
  }
}
