/**
 * The only way to a printer. Nothing else holds its pipe: jobs of the API and of port 9100, kicks, raw commands, status
 * requests and what makes up for a job that broke off all pass here. Jobs take turns, served in order; transfers leave
 * paced and bounded, and a failure says exactly how many bytes went out. Because it alone knows what the printer saw last
 * (codecs/escpos-trail.ts), nothing that opens a drawer can come together here out of pieces of different origin.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { SELECT_PRINTER } from '../../codecs/escpos.ts';
import { LONGEST_HEADER } from '../../codecs/escpos-commands.ts';
import type { MacroMemory } from '../../codecs/escpos-macro.ts';
import { freshMode, type PrinterMode } from '../../codecs/escpos-mode.ts';
import { Trail } from '../../codecs/escpos-trail.ts';
import { type UsbDevice, UsbError, type UsbFault, type UsbPipe } from '../../runtime/bindings/bindings.ts';
import { RawPieces } from './raw/pieces.ts';

/** Configuration key `usb`. */
export interface Pace {
  readonly chunkBytes: number;
  readonly chunkDelayMs: number;
  readonly writeTimeoutMs: number;
}

/**
 * `written` counts the bytes of the failed write that the printer took: 0 means that none did. With a `cause`, a fault of
 * the node itself, it took at least these.
 */
export class WriteFailed extends Error {
  readonly fault: UsbFault | 'busy';
  readonly written: number;
  constructor(fault: UsbFault | 'busy', written: number, cause?: unknown) {
    super(`${fault} after ${written} bytes`, { cause });
    this.name = 'WriteFailed';
    this.fault = fault;
    this.written = written;
  }
}

/**
 * `guarded`: what would open a drawer becomes NUL, in place. `asIs`: nobody filters it, and a NUL keeps it apart from what
 * went out before where the two would do harm together. `joined`: it goes on with what went out before. `macro`: guarded,
 * and a whole definition of a macro.
 */
export type Trust = 'guarded' | 'macro' | 'asIs' | 'joined';

/** Whoever has the turn. */
export interface Holder {
  /** False while a command of its own is under way, or may be. */
  readonly atBoundary: boolean;
  /** Bytes the printer sends that are not answers to the node itself. */
  readonly onReply?: ((bytes: Uint8Array) => void) | undefined;
}

/** What makes up for a job that broke off. */
export interface Recovery {
  /** After the NULs: brings the printer to where a job may begin. */
  readonly bytes: Uint8Array;
  /** In place of more NULs than a block of them. Absent where the printer has none. */
  readonly reset: (() => Promise<void>) | undefined;
}

/** Turns that may wait; one more is refused. */
const MAX_WAITING = 128;
/** A job that broke off leaves a command open. NULs complete it, and mean nothing where none was open. */
const NULS = new Uint8Array(64 * 1024);
const ONE_NUL = NULS.subarray(0, 1);
const HEADER_NULS = NULS.subarray(0, LONGEST_HEADER);
/** A status request stands behind them: a printer that takes no NUL is to be asked all the same. */
const HEADER_MS = 100;

interface Waiter {
  readonly holder: Holder;
  readonly give: () => void;
  readonly refuse: (error: WriteFailed) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

interface Poll {
  readonly send: () => void;
  readonly refuse: (error: WriteFailed) => void;
}

export class Outlet {
  /** What the printer has on its line and in its modes, as far as jobs from port 9100 may change it. */
  readonly mode: PrinterMode = freshMode();
  readonly pieces = new RawPieces(this.mode);
  readonly #device: UsbDevice;
  readonly #pipe: UsbPipe;
  readonly #pace: () => Pace;
  readonly #recovery: Recovery;
  readonly #trail: Trail;
  readonly #waiting: Waiter[] = [];
  readonly #idle = new Set<() => void>();
  #holder: Holder | undefined;
  #writing = false;
  /** The status request that is on its way, and the one that waits until no command is. */
  #polling: Promise<void> = Promise.resolve();
  #heldPoll: Poll | undefined;
  /** A job broke off. Before the first one, too: nobody knows what the printer was told before the node came. */
  #brokenOff = true;
  #missing = 0;
  #closed = false;

  constructor(device: UsbDevice, pipe: UsbPipe, pace: () => Pace, recovery: Recovery, macros: MacroMemory) {
    this.#device = device;
    this.#pipe = pipe;
    this.#pace = pace;
    this.#recovery = { ...recovery, bytes: Buffer.concat([HEADER_NULS, recovery.bytes]) };
    this.#trail = new Trail(macros);
    this.#trail.lose();
  }

  /** Bytes of payloads that never came, for which NULs have yet to make up. */
  get missing(): number {
    return this.#missing;
  }

  /** Whether the macro of the printer may hold a pulse of the node's own. */
  get pulseInMacro(): boolean {
    return this.#trail.macros.pulse;
  }

  get holder(): Holder | undefined {
    return this.#holder;
  }

  /** Whether a status request could be put in now without landing inside a command. */
  get free(): boolean {
    return !this.#closed && !this.#writing && !this.pieces.underWay && (this.#holder?.atBoundary ?? true);
  }

  /** Resolves when it is the caller's turn. Rejects with WriteFailed `busy` when too many wait or for too long. */
  take(holder: Holder, waitMs?: number): Promise<void> {
    if (this.#closed) return Promise.reject(new WriteFailed('disconnected', 0));
    if (this.#holder === undefined) {
      this.#holder = holder;
      return Promise.resolve();
    }
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new WriteFailed('busy', 0));
    return new Promise((give, refuse) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        refuse(new WriteFailed('busy', 0));
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      const waiter: Waiter = { holder, give, refuse, timer };
      this.#waiting.push(waiter);
    });
  }

  /** Ends the turn; twice is harmless. */
  leave(holder: Holder): void {
    if (this.#holder !== holder) return;
    const next = this.#waiting.shift();
    this.#holder = next?.holder;
    if (next === undefined) {
      for (const done of this.#idle) done();
      this.#runHeldPoll();
    } else {
      clearTimeout(next.timer);
      next.give();
    }
  }

  /** Bytes of whoever has the turn, after what a job before it left open. Rejects with WriteFailed; nothing is tried again. */
  async write(bytes: Uint8Array, trust: Trust): Promise<void> {
    this.#writing = true;
    try {
      await this.#polling;
      await this.#settle();
      if (bytes.length > 0) await this.#sendJob(bytes, trust);
    } finally {
      this.#writing = false;
      this.#runHeldPoll();
    }
  }

  /** Brings a printer back that a byte of the job in hand may have taken off the line, by whichever reading of it. */
  async select(): Promise<void> {
    if (!this.#trail.mayBeDeselected) return;
    await this.write(SELECT_PRINTER, 'joined');
    this.#trail.mayBeDeselected = false;
  }

  /** The printer may now be in any place of its own: it ran a macro. */
  lose(): void {
    this.#trail.lose();
  }

  /** A job ended before its end: what is written next comes after its `missing` bytes, in NULs, and a recovery. */
  breakOff(missing: number): void {
    this.#brokenOff = true;
    this.#missing += missing;
  }

  /** Of raw commands that may have been pieces of one job, no more will come. */
  endPieces(): void {
    const missing = this.pieces.end();
    if (missing !== undefined) this.breakOff(missing);
  }

  /** Sends a status request: now if no command is under way, else as soon as none is. One at a time. */
  poll(bytes: Uint8Array): Promise<void> {
    if (this.free) return this.#sendPoll(bytes);
    if (this.#closed || this.#heldPoll !== undefined) return Promise.reject(new WriteFailed('busy', 0));
    return new Promise((sent, refuse) => {
      this.#heldPoll = { send: () => void this.#sendPoll(bytes).then(sent, refuse), refuse };
    });
  }

  /** Resolves once nobody has a turn, at most after the given time. */
  async drained(timeoutMs: number): Promise<void> {
    if (this.#holder === undefined) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#idle.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#idle.add(done);
    });
  }

  /** The printer is gone: whoever waits is told. */
  close(): void {
    this.#closed = true;
    this.#heldPoll?.refuse(new WriteFailed('disconnected', 0));
    this.#heldPoll = undefined;
    for (const { refuse, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      refuse(new WriteFailed('disconnected', 0));
    }
  }

  #runHeldPoll(): void {
    if (this.#heldPoll === undefined || !this.free) return;
    const { send } = this.#heldPoll;
    this.#heldPoll = undefined;
    send();
  }

  /**
   * A job that broke off may have left the printer inside a header, where these bytes would become a size: NULs end that.
   * A printer whose buffer is full takes no NUL, and stores none of the real-time commands that it obeys.
   */
  #sendPoll(bytes: Uint8Array): Promise<void> {
    const { writeTimeoutMs } = this.#pace();
    const header = this.#brokenOff ? this.#send(HEADER_NULS, 'guarded', HEADER_MS).catch(onlyWriteFailed) : undefined;
    const sent = Promise.resolve(header).then(() => this.#send(bytes, 'asIs', writeTimeoutMs));
    this.#polling = sent.catch(() => {});
    return sent;
  }

  /** Rejects with WriteFailed and 0 bytes: of what was to follow, nothing was written. */
  async #settle(): Promise<void> {
    try {
      const { bytes, reset } = this.#recovery;
      if (this.#missing > NULS.length && reset !== undefined && (await didWork(reset))) this.#missing = 0;
      while (this.#missing > 0) {
        const nuls = NULS.subarray(0, this.#missing);
        this.#missing -= nuls.length;
        await this.#sendJob(nuls, 'guarded');
      }
      if (this.#brokenOff) {
        await this.#sendJob(bytes, 'joined');
        this.#trail.mayBeDeselected = false;
      }
      this.#brokenOff = false;
    } catch (error) {
      throw error instanceof WriteFailed ? new WriteFailed(error.fault, 0, error.cause) : error;
    }
  }

  /** What does not go out is missing. */
  #sendJob(bytes: Uint8Array, trust: Trust): Promise<void> {
    return this.#send(bytes, trust, this.#pace().writeTimeoutMs).catch((error: unknown) => {
      if (error instanceof WriteFailed) this.#missing += bytes.length - error.written;
      throw error;
    });
  }

  /** The transfers of one write, each with a deadline of its own: a slow printer is not a dead one. */
  async #send(bytes: Uint8Array, trust: Trust, timeoutMs: number): Promise<void> {
    const trail = this.#trail;
    while (trust === 'asIs' && !trail.goesWith(bytes)) await this.#transfer(ONE_NUL, trust, timeoutMs, 0);
    const { recording } = trail.macros;
    const { chunkBytes, chunkDelayMs } = this.#pace();
    for (let sent = 0; sent < bytes.length; ) {
      const chunk = bytes.length <= chunkBytes ? bytes : bytes.subarray(sent, sent + chunkBytes);
      await this.#transfer(chunk, trust, timeoutMs, sent);
      sent += chunk.length;
      if (chunkDelayMs > 0 && sent < bytes.length) await delay(chunkDelayMs);
    }
    if (trust === 'macro') trail.macros.recording = recording;
  }

  /** What went out moves the trail, and not what was meant to. */
  async #transfer(bytes: Uint8Array, trust: Trust, timeoutMs: number, sent: number): Promise<void> {
    const trail = this.#trail;
    const before = trail.copy();
    if (trust === 'guarded' || trust === 'macro') trail.guard(bytes);
    else trail.follow(bytes);
    try {
      await this.#device.transferOut(this.#pipe, bytes, { timeoutMs });
    } catch (error) {
      if (!(error instanceof UsbError)) {
        trail.lose();
        throw new WriteFailed('io', sent, error);
      }
      trail.become(before);
      trail.follow(bytes.subarray(0, error.bytesTransferred));
      throw new WriteFailed(error.fault, sent + error.bytesTransferred);
    }
  }
}

const onlyWriteFailed = (error: unknown): void => {
  if (!(error instanceof WriteFailed)) throw error;
};

const didWork = (reset: () => Promise<void>): Promise<boolean> =>
  reset().then(
    () => true,
    () => false,
  );
