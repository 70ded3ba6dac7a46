/** One job at a printer, whoever sends it: takes its turn, writes, completes what it began. */
import { settleMode } from '../../codecs/escpos-mode.ts';
import { EscposStream, type StreamOptions, type StreamSink } from '../../codecs/escpos-stream.ts';
import type { Holder, Outlet, Trust } from './outlet.ts';

/** `recovery` only makes up for what the job before it left open. */
export type JobKind = 'print' | 'raw' | 'drawer_kick' | 'port9100' | 'recovery';

/** What a client of port 9100 is told while its job is filtered. */
export type FilterReports = Pick<StreamSink, 'status' | 'dropped'>;

const NOTHING = new Uint8Array(0);
const TRUST = { bytes: 'guarded', macro: 'macro', run: 'asIs' } as const;

export class Job implements Holder {
  onReply: ((bytes: Uint8Array) => void) | undefined;
  readonly #outlet: Outlet;
  readonly #kind: JobKind;
  readonly #filter: EscposStream | undefined;
  readonly #sink: StreamSink;
  /** What the filter let through: runs of bytes, and between them macros and what runs them. */
  #filtered: Array<{ readonly bytes: Uint8Array; readonly part: 'bytes' | 'macro' | 'run' }> = [];
  #writing = false;
  #hasTurn = false;

  /** A job of port 9100 is filtered with these options. */
  constructor(outlet: Outlet, kind: JobKind, filtered?: { options: StreamOptions; reports: FilterReports }) {
    this.#outlet = outlet;
    this.#kind = kind;
    this.#filter = filtered && new EscposStream(filtered.options, outlet.mode);
    this.#sink = {
      status: (n) => filtered?.reports.status(n),
      dropped: (what) => filtered?.reports.dropped(what),
      forward: (bytes) => void this.#filtered.push({ bytes, part: 'bytes' }),
      defineMacro: (bytes) => void this.#filtered.push({ bytes, part: 'macro' }),
      runMacro: (bytes) => void this.#filtered.push({ bytes, part: 'run' }),
    };
  }

  get hasTurn(): boolean {
    return this.#hasTurn;
  }

  get atBoundary(): boolean {
    return !this.#writing && (this.#filter?.atBoundary ?? true);
  }

  /** Whether another job could go between what it sent and what it sends next, and come out whole. */
  get mayYield(): boolean {
    return this.atBoundary && (this.#filter?.mayPause ?? true);
  }

  /** Takes a turn, and puts an end to what came before. Rejects with WriteFailed. */
  async begin(waitMs?: number): Promise<void> {
    const { mode, pieces } = this.#outlet;
    await this.#outlet.take(this, waitMs);
    this.#hasTurn = true;
    mode.ownMacro = false;
    if (this.#kind === 'raw' || (this.#kind === 'drawer_kick' && !pieces.underWay)) return;
    this.#outlet.endPieces();
  }

  /** Whether raw commands begin a payload larger than any printer takes. */
  announcesTooMuch(bytes: Uint8Array): boolean {
    return this.#kind === 'raw' && this.#outlet.pieces.announceTooMuch(bytes);
  }

  /** May alter the bytes. Rejects with WriteFailed: the job is over then, and its turn ended. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#writing = true;
    try {
      await this.#send(bytes);
    } catch (error) {
      this.abandon();
      throw error;
    } finally {
      this.#writing = false;
    }
  }

  /**
   * Bytes of port 9100 behind those that are being written: filtered at once, so that a question in them is answered while
   * the printer takes nothing, and written by the same `write`. May alter the bytes.
   */
  readAhead(bytes: Uint8Array): void {
    this.#filter?.push(bytes, this.#sink);
  }

  /** An idle holder lets others in. It takes another turn for what it sends next. */
  async yield(): Promise<void> {
    this.#filter?.pause(this.#sink);
    await this.#sendFiltered();
    await this.#outlet.select();
    this.leave();
  }

  /**
   * Nothing more comes: what it left open is completed. Text on the line gets its LF where the job ended `inOrder`.
   * Resolves once every byte has left for the printer; rejects with WriteFailed.
   */
  async end(inOrder = true): Promise<void> {
    if (!this.#hasTurn) return;
    try {
      const missing = this.#filter?.end(this.#sink, inOrder) ?? 0;
      await this.#sendFiltered();
      if (missing > 0) {
        this.#outlet.breakOff(missing);
        await this.#outlet.write(NOTHING, 'guarded');
      }
      if (this.#kind === 'print' || this.#filter !== undefined) await this.#outlet.select();
      if (this.#kind === 'print') settleMode(this.#outlet.mode);
    } catch (error) {
      this.abandon();
      throw error;
    }
    this.leave();
  }

  /** The printer does not take it all: what it may wait for then is made up for before the next job. */
  abandon(): void {
    if (!this.#hasTurn) return;
    const outlet = this.#outlet;
    if (this.#kind === 'raw') outlet.endPieces();
    const missing = this.#filter?.end(this.#sink) ?? 0;
    outlet.breakOff(this.#filtered.reduce((sum, { bytes }) => sum + bytes.length, missing));
    this.#filtered = [];
    settleMode(outlet.mode);
    this.leave();
  }

  /** Ends its turn; twice is harmless. */
  leave(): void {
    this.onReply = undefined;
    this.#hasTurn = false;
    this.#outlet.leave(this);
  }

  async #send(bytes: Uint8Array): Promise<void> {
    const { pieces } = this.#outlet;
    switch (this.#kind) {
      case 'port9100':
        this.#filter?.push(bytes, this.#sink);
        while (this.#filtered.length > 0) await this.#sendFiltered();
        return;
      case 'raw': {
        const trust: Trust = pieces.any ? 'joined' : 'asIs';
        pieces.follow(bytes);
        return this.#outlet.write(bytes, trust);
      }
      case 'print':
        return this.#outlet.write(bytes, 'guarded');
      default:
        return this.#outlet.write(bytes, 'asIs');
    }
  }

  async #sendFiltered(): Promise<void> {
    const filtered = this.#filtered;
    this.#filtered = [];
    let run: Uint8Array[] = [];
    for (const [index, next] of filtered.entries()) {
      const { part } = next;
      if (part === 'run' && this.#outlet.pulseInMacro) {
        this.#sink.dropped('pulse');
        continue;
      }
      run.push(next.bytes);
      if (part === 'bytes' && filtered[index + 1]?.part === 'bytes') continue;
      const bytes = run.length === 1 ? next.bytes : Buffer.concat(run);
      run = [];
      await this.#outlet.write(bytes, TRUST[part]).catch((error: unknown) => {
        this.#filtered = [...filtered.slice(index + 1), ...this.#filtered];
        throw error;
      });
      if (part === 'run') this.#outlet.lose();
    }
  }
}
