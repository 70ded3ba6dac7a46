/**
 * One job of a printer, from the API or port 9100: waits for the printer, writes, completes the command it began. Paper out
 * and other faults during a job: status.ts notices them, outlet.ts has the write that fails, commands.ts and
 * raw/connection.ts say what became of the job.
 */
import { settleMode } from '../../../codecs/escpos-mode.ts';
import type { BackChannelItem } from '../../../codecs/escpos-status.ts';
import { EscposStream } from '../../../codecs/escpos-stream.ts';
import type { StreamOptions, StreamSink } from '../../../codecs/escpos-stream-sink.ts';
import { stretchesOf } from '../../../codecs/escpos-stretches.ts';
import type { Pause } from './between.ts';
import type { Outlet, Trust } from './outlet.ts';
import { type Boundary, Parts, SELECTED } from './parts.ts';
import { INSIDE_COMMAND_MS, Patience, patienceAt } from './patience.ts';
import { LEAST } from './reach.ts';
import type { Holder, Source } from './waiters.ts';
import { WriteFailed } from './write-failed.ts';

/** `recovery` has no bytes of its own: it only completes what the job before it left open. */
export type JobKind = 'print' | 'raw' | 'port9100' | 'recovery';

/** The connection on port 9100, as its job sees it. */
export interface Client extends Pick<StreamSink, 'status' | 'dropped'> {
  /** Milliseconds after which an idle one lets others in, whether or not somebody waits. */
  readonly idleMs: number;
  /** Others have waited long enough: let them in, here if another job can print here, else by cutting this one off. */
  giveWay(): void;
}

const NOTHING = new Uint8Array(0);
/** Milliseconds in which the next segment of what a client sends is there, also over a slow radio. */
const SEGMENT_MS = 75;
const TRUST = { bytes: 'guarded', macro: 'macro', run: 'asIs' } as const;

/**
 * A job holds the printer between `begin` and `end`, `abandon` or `leave`. Only one job holds a printer; this is its turn
 * (see outlet.ts). Every method that writes rejects with WriteFailed.
 */
export class Job implements Holder {
  onReply: ((bytes: Uint8Array) => void) | undefined;
  /** See Holder; left out: what the printer does not take within its deadline has failed. */
  persists: (() => boolean) | undefined;
  readonly source: Source;
  readonly #outlet: Outlet;
  readonly #kind: JobKind;
  readonly #filter: EscposStream | undefined;
  readonly #sink: StreamSink;
  #patience: Patience | undefined;
  /** The output of the filter, in order: plain bytes, whole macro definitions, commands that run a macro, and boundaries. */
  #filtered = new Parts();
  #writing = false;
  /** The boundary up to which the printer has read all, while the job is writing. */
  #mark: Boundary | undefined;
  /** What it is writing prints. */
  #prints = false;
  /** Somebody waits for this one. */
  #waited = false;
  #hasTurn = false;
  #turnAt: number | undefined;
  #written = 0;
  #cuts = 0;
  /** When a kick or a status request met a character that may not be whole, in ms of `performance.now()`. */
  #metAt: number | undefined;
  /** Whether the job ends inside a payload, which is not completed yet. */
  #endsInside = false;
  #lookAgain: NodeJS.Timeout | undefined;

  /** `filtered`: options of the filter, for a job of port 9100; jobs of the API are not filtered. */
  constructor(outlet: Outlet, kind: JobKind, from: string, filtered?: { options: StreamOptions; client: Client }) {
    this.source = { by: filtered === undefined ? 'api' : 'port9100', from };
    this.#outlet = outlet;
    this.#kind = kind;
    const filter = filtered && new EscposStream({ ...filtered.options, stretch: LEAST }, outlet.mode);
    this.#filter = filter;
    this.#sink = {
      status: (n) => filtered?.client.status(n),
      dropped: (what) => filtered?.client.dropped(what),
      cut: () => {
        this.#cuts += 1;
      },
      forward: (bytes, boundaries) => this.#filtered.keep(bytes, 'bytes', boundaries),
      defineMacro: (bytes) => this.#filtered.keep(bytes, 'macro'),
      runMacro: (bytes) => this.#filtered.keep(bytes, 'run'),
      boundary: () => filter && this.#mayStandHere(filter),
    };
    if (filter === undefined) return;
    const { client } = filtered!;
    const limitMs = () => patienceAt({ stage: filter.progress.stage, mayYield: this.mayYield }, client.idleMs);
    this.#patience = new Patience(limitMs, () => client.giveWay());
  }

  /** A print whose bytes come while it has the printer: `told` once others have waited for 15 s in which none of them was written. */
  comesSlowly(told: () => void): void {
    this.#patience = new Patience(() => INSIDE_COMMAND_MS, told);
  }

  get hasTurn(): boolean {
    return this.#hasTurn;
  }

  /** When it got its last turn, in ms of `performance.now()`. */
  get turnAt(): number | undefined {
    return this.#turnAt;
  }

  /** Bytes of this job that the printer took so far. */
  get written(): number {
    return this.#written + (this.#hasTurn ? this.#outlet.underWay : 0);
  }

  /** The fewest bytes that the last command from port 9100 still lacks; 0 between two commands. */
  get lacking(): number {
    return this.#filter?.lacking ?? 0;
  }

  /** Commands that cut the paper, in raw commands and in what came from port 9100. */
  get cuts(): number {
    return this.#cuts;
  }

  /** False also where the other byte of a character is likely on its way. */
  get atBoundary(): boolean {
    if (this.#mark !== undefined) return this.#mark.before.length === 0;
    return this.#isBetween && !(this.#filter !== undefined && this.#mayCome(this.#filter));
  }

  get #isBetween(): boolean {
    return !this.#writing && !this.#endsInside && (this.#filter?.atBoundary ?? true);
  }

  pause = (): Pause | undefined => {
    if (this.#mark !== undefined) {
      this.#metAt = undefined;
      return { before: this.#mark.before, after: this.#mark.selection, setup: this.#mark.setup };
    }
    if (!this.atBoundary) return undefined;
    const filter = this.#filter;
    // Each part of a print ends between two commands: nothing else can be known of it here.
    if (filter === undefined) return this.#kind === 'print' ? SELECTED : this.#outlet.pieces.pause(this.#outlet.macros);
    filter.pause(this.#sink);
    this.#metAt = undefined;
    this.#tellStart(this.#takeStart());
    const before = this.#filtered.takeAll();
    this.#outlet.leaveSetup();
    return { before, after: filter.selection, setup: false };
  };

  /** True where the other byte of a character is likely on its way, which another segment of the network has. */
  #mayCome({ isSettled }: EscposStream): boolean {
    if (isSettled) this.#metAt = undefined;
    else this.#metAt ??= performance.now();
    const leftMs = (this.#metAt ?? Number.NEGATIVE_INFINITY) + SEGMENT_MS - performance.now();
    if (leftMs <= 0) return false;
    this.#lookAgain ??= setTimeout(() => {
      this.#lookAgain = undefined;
      this.#outlet.letIn();
    }, leftMs);
    return true;
  }

  hears = (type: BackChannelItem['type']): boolean => this.#filter?.progress.hears(type) ?? false;

  waited = (somebody: boolean): void => {
    this.#waited = somebody;
    this.#watch();
  };

  /** True where others have waited long enough for it, at the place where it is now. */
  get isOverdue(): boolean {
    return this.#patience?.isOver ?? false;
  }

  /** True where another job could print now, between what this one sent and what it sends next. */
  get mayYield(): boolean {
    const isBetween = this.#mark === undefined ? this.#isBetween : this.#mark.before.length === 0;
    return isBetween && (this.#filter?.mayPause ?? true);
  }

  /** Waits up to `waitMs` for the printer. Rejects with WriteFailed `busy` after that time. */
  async begin(waitMs?: number): Promise<void> {
    this.#patience?.restart();
    this.#filter?.progress.restart();
    await this.#outlet.take(this, waitMs);
    this.#hasTurn = true;
    this.#turnAt = performance.now();
    this.#watch();
    this.#outlet.mode.ownMacro = false;
    const { pieces } = this.#outlet;
    if (this.#kind !== 'raw' || pieces.endsBefore(this.source.from)) this.#outlet.endPieces();
    if (this.#filter === undefined && !pieces.any) this.#outlet.leaveSetup();
  }

  /** True where a raw command of these bytes has the printer wait for more than `MAX_PAYLOAD`: it is not sent, and ends its series. */
  announcesTooMuch(bytes: Uint8Array): boolean {
    const isTooMuch = this.#kind === 'raw' && this.#outlet.pieces.announceTooMuch(bytes);
    if (isTooMuch) this.#outlet.endPieces();
    return isTooMuch;
  }

  /** Writes bytes, which may be changed in place. Rejects with WriteFailed, and the job has ended then. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#writing = true;
    try {
      await this.#send(bytes);
    } catch (error) {
      this.abandon();
      throw error;
    } finally {
      this.#writing = false;
      this.#watch();
      // Only now is the printer between two commands; the client may stay and send no more.
      this.#outlet.letIn();
    }
  }

  /**
   * Filters bytes of port 9100 that arrive during a `write`, which then writes them too. So a status request in them is
   * answered while the printer accepts no data. May change the bytes in place.
   */
  readAhead(bytes: Uint8Array): void {
    const filter = this.#filter;
    if (filter === undefined) return;
    filter.push(bytes, this.#sink);
    this.#patience?.earn(filter.progress.takePictureBytes());
    this.#outlet.answers.ask(filter.progress.takeAsked());
    if (filter.isSettled) this.#mayStandHere(filter);
  }

  /** A kick or a status request may stand behind what is filtered so far. */
  #mayStandHere({ selection }: EscposStream): void {
    const { setup } = this.#outlet.mode;
    this.#filtered.mark({ part: 'boundary', selection, setup, starts: this.#takeStart(), before: NOTHING });
  }

  /**
   * Lets other jobs in while this one is idle. The job waits for the printer again before it sends more. Rejects with WriteFailed,
   * and is then abandoned.
   */
  async yield(): Promise<void> {
    try {
      this.#filter?.yield(this.#sink);
      await this.#sendFiltered();
      await this.#outlet.select();
      await this.#outlet.answers.settled();
    } catch (error) {
      this.abandon();
      throw error;
    }
    this.leave();
  }

  /**
   * Ends the job and completes a command that it left open. With `inOrder`, text that is left on the line gets an LF.
   * Resolves when every byte is written to the printer; rejects with WriteFailed.
   */
  async end(inOrder = true): Promise<void> {
    if (!this.#hasTurn) return;
    let missing = this.#filter?.end(this.#sink, inOrder) ?? 0;
    this.#endsInside = missing > 0;
    try {
      await this.#sendFiltered();
      if (missing > 0) {
        this.#outlet.breakOff(missing);
        missing = 0;
        await this.#outlet.write(NOTHING, 'guarded');
      }
      if (this.#kind === 'print' || this.#filter !== undefined) await this.#outlet.select();
      if (this.#kind === 'print') settleMode(this.#outlet.mode);
      // What is on its line, and its modes, are no part of the next job.
      if (!inOrder && this.#filter !== undefined) {
        settleMode(this.#outlet.mode);
        this.#outlet.breakOff(0);
      }
      if (inOrder && this.#filter !== undefined) await this.#outlet.answers.settled();
    } catch (error) {
      if (missing > 0) this.#outlet.breakOff(missing);
      this.abandon();
      throw error;
    }
    this.leave();
  }

  /** Ends the job where the printer did not accept all of it. What it then expects is completed before the next job. */
  abandon(): void {
    if (!this.#hasTurn) return;
    const outlet = this.#outlet;
    if (this.#kind === 'raw') outlet.endPieces();
    const missing = this.#filter?.end(this.#sink) ?? 0;
    outlet.breakOff(missing + this.#filtered.length);
    this.#filtered = new Parts();
    settleMode(outlet.mode);
    this.leave();
  }

  /** Gives the printer free for the next job. A second call does nothing. */
  leave(): void {
    if (this.#hasTurn) this.#tellStart(this.#takeStart());
    this.onReply = undefined;
    this.#hasTurn = this.#endsInside = false;
    this.#patience?.stop();
    this.#outlet.leave(this);
  }

  /** The time counts while it has the turn and somebody waits, unless something that prints is being written. */
  #watch(): void {
    const prints = this.#writing && (this.#prints || this.#filter === undefined);
    if (this.#hasTurn && this.#waited && !prints) this.#patience?.run();
    else this.#patience?.stop();
  }

  async #send(bytes: Uint8Array): Promise<void> {
    const { pieces, reach } = this.#outlet;
    switch (this.#kind) {
      case 'port9100':
        this.readAhead(bytes);
        while (!this.#filtered.isEmpty) {
          this.#prints = this.#filter?.progress.takePrinted() ?? false;
          this.#watch();
          await this.#sendFiltered();
        }
        return;
      case 'raw':
      case 'print': {
        const isRaw = this.#kind === 'raw';
        let trust: Trust = isRaw ? (pieces.any ? 'joined' : 'asIs') : 'guarded';
        const before = this.#written - bytes.byteOffset;
        for (const stretch of isRaw
          ? pieces.stretches(bytes, reach, this.source.from)
          : stretchesOf(bytes, LEAST, reach)) {
          if (isRaw) {
            this.#cuts += pieces.takeCuts();
            this.#outlet.answers.ask(pieces.takeAsked());
          }
          await this.#outlet.write(stretch, trust).catch((error: unknown) => {
            throw error instanceof WriteFailed ? error.after(this.#written) : error;
          });
          // A strip of a picture has a header of its own, which is no part of the job.
          this.#written = before + stretch.byteOffset + stretch.length;
          const place = isRaw ? pieces.sent(this.#outlet.macros) : SELECTED;
          if (place !== undefined) this.#letInAt(place);
          if (isRaw) trust = 'joined';
        }
        return;
      }
      default:
        return this.#outlet.write(bytes, 'asIs');
    }
  }

  /** Between two commands of what is being written: a kick or a status request that waits goes out. */
  #letInAt(boundary: Boundary): void {
    this.#tellStart(boundary.starts);
    this.#mark = boundary;
    this.#outlet.letIn();
    this.#mark = undefined;
  }

  /** True where what was read since this was asked last has the printer start again. */
  #takeStart(): boolean {
    const { mode } = this.#outlet;
    const { starts } = mode;
    mode.starts = false;
    return starts;
  }

  #tellStart(starts: boolean): void {
    if (!starts) return;
    this.#outlet.start.begin();
    // Some printers do not know the setup mode, and have obeyed what others ignored in it.
    this.#outlet.breakOff(0);
  }

  async #sendFiltered(): Promise<void> {
    const filtered = this.#filtered;
    this.#filtered = new Parts();
    const { reach } = this.#outlet;
    for (let next = filtered.take(reach.stretch); next !== undefined; next = filtered.take(reach.stretch)) {
      if (next.part === 'boundary') {
        this.#letInAt(next);
        continue;
      }
      const { part, bytes } = next;
      // A kick may have gone out since the filter read it.
      if (part === 'run' && (this.#outlet.macros.pulse || !this.#outlet.mode.ownMacro)) {
        this.#sink.dropped('pulse');
        continue;
      }
      try {
        await this.#outlet.write(bytes, TRUST[part]);
      } catch (error) {
        if (error instanceof WriteFailed) this.#written += error.written;
        filtered.append(this.#filtered);
        this.#filtered = filtered;
        throw error;
      }
      this.#written += bytes.length;
      if (part === 'run') this.#outlet.lose();
    }
  }
}
