/**
 * The outlet: the only code that writes to the bulk OUT pipe of a printer. Jobs of the API and of port 9100, drawer kicks,
 * raw commands, status requests and recovery bytes all pass here. Jobs wait in a queue; the one that may write has the
 * turn. Transfers are limited in size and rate, and a failure says exactly how many bytes the printer took. The outlet
 * knows what the printer read last (codecs/escpos-trail.ts), so bytes of two jobs never join to a command that opens a
 * drawer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { SELECT_PRINTER } from '../../codecs/escpos.ts';
import { LONGEST_HEADER } from '../../codecs/escpos-command-lengths.ts';
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
 * A write failed. `written`: bytes of this write that the printer took, exactly; with a `cause` (a fault of the node
 * itself), at least so many. `fault` is that of the USB transfer, or `busy` where the job never got its turn.
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
 * How bytes are checked. `guarded`: a byte that would complete a drawer pulse becomes NUL, in place. `asIs`: sent unchanged,
 * after a NUL where they would do harm together with the bytes before. `joined`: sent unchanged, as the continuation of the
 * write before. `macro`: guarded, and a whole macro definition.
 */
export type Trust = 'guarded' | 'macro' | 'asIs' | 'joined';

/** A job, as the outlet sees it. The holder is the job that has the turn. */
export interface Holder {
  /** False while it is, or may be, in the middle of a command. */
  readonly atBoundary: boolean;
  /** Gets the bytes from the printer that are not answers to requests of the node. */
  readonly onReply?: ((bytes: Uint8Array) => void) | undefined;
}

/** Brings a printer back to a known state after a job that was interrupted. */
export interface Recovery {
  /** Sent after the NULs: selects and resets the printer. */
  readonly bytes: Uint8Array;
  /** SOFT_RESET, used where more than one block of NULs is missing. Undefined where the printer has none. */
  readonly reset: (() => Promise<void>) | undefined;
}

/** Jobs that may wait for their turn; one more is refused with `busy`. */
const MAX_WAITING = 128;
/** NULs complete a command that an interrupted job left open. A printer that expects nothing ignores them. */
const NULS = new Uint8Array(64 * 1024);
const ONE_NUL = NULS.subarray(0, 1);
const HEADER_NULS = NULS.subarray(0, LONGEST_HEADER);
/** Deadline of the NULs before a status request, short because a printer that accepts no NUL is still asked. */
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

/** The outlet of one bound printer. Methods that write reject with WriteFailed; nothing is sent twice. */
export class Outlet {
  /** The modes of the printer, as far as jobs from port 9100 may change them. */
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
  /** Bytes that the printer took of the current write; undefined while there is none, or other bytes go out before it. */
  #sent: number | undefined;
  /** The status request that is being sent, and the one that waits for the end of a command. */
  #polling: Promise<void> = Promise.resolve();
  #heldPoll: Poll | undefined;
  /** A job was interrupted. True before the first one, too: what was sent before the node bound the printer is unknown. */
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

  /** Bytes that the printer still expects of interrupted payloads; as many NULs go out before the next job. */
  get missing(): number {
    return this.#missing;
  }

  /** True where the printer's macro may contain a drawer pulse that the node sent. */
  get pulseInMacro(): boolean {
    return this.#trail.macros.pulse;
  }

  get holder(): Holder | undefined {
    return this.#holder;
  }

  /** Bytes that the printer took of the write that is going on. */
  get underWay(): number {
    return this.#sent ?? 0;
  }

  /** True where a status request can be sent now without landing inside a command. */
  get free(): boolean {
    return !this.#closed && !this.#writing && !this.pieces.underWay && (this.#holder?.atBoundary ?? true);
  }

  /** Resolves when `holder` has the turn. Rejects with WriteFailed `busy` when the queue is full or after `waitMs`. */
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

  /** Ends the turn of `holder`. A second call does nothing. */
  leave(holder: Holder): void {
    if (this.#holder !== holder) return;
    const next = this.#waiting.shift();
    this.#holder = next?.holder;
    if (next === undefined) {
      for (const done of this.#idle) done();
      this.pollIfFree();
    } else {
      clearTimeout(next.timer);
      next.give();
    }
  }

  /** Completes what an earlier job left open, then writes bytes of the holder. Rejects with WriteFailed; never retries. */
  async write(bytes: Uint8Array, trust: Trust): Promise<void> {
    this.#writing = true;
    try {
      await this.#polling;
      await this.#settle();
      this.#sent = 0;
      if (bytes.length > 0) await this.#sendJob(bytes, trust);
    } finally {
      this.#sent = undefined;
      this.#writing = false;
      this.pollIfFree();
    }
  }

  /** Selects the printer again (ESC = 1) where a byte of the current job may have deselected it. */
  async select(): Promise<void> {
    if (!this.#trail.mayBeDeselected) return;
    await this.write(SELECT_PRINTER, 'joined');
    this.#trail.mayBeDeselected = false;
  }

  /** What the printer read last is unknown from now on, because it ran a macro. */
  lose(): void {
    this.#trail.lose();
  }

  /** A job was interrupted: `missing` NULs and the recovery bytes go out before the next write. */
  breakOff(missing: number): void {
    this.#brokenOff = true;
    this.#missing += missing;
  }

  /** Ends a series of raw commands; what they left open is completed before the next write. */
  endPieces(): void {
    const missing = this.pieces.end();
    if (missing !== undefined) this.breakOff(missing);
  }

  /**
   * Sends a status request: now, or at the end of the current command. Only one request can wait. Calls `sending` just before
   * the request goes out.
   */
  poll(bytes: Uint8Array, sending: () => void): Promise<void> {
    if (this.free) return this.#sendPoll(bytes, sending);
    if (this.#closed || this.#heldPoll !== undefined) return Promise.reject(new WriteFailed('busy', 0));
    return new Promise((sent, refuse) => {
      this.#heldPoll = { send: () => void this.#sendPoll(bytes, sending).then(sent, refuse), refuse };
    });
  }

  /** Sends the status request that waits, if one does and it can be sent now. */
  pollIfFree(): void {
    if (this.#heldPoll === undefined || !this.free) return;
    const { send } = this.#heldPoll;
    this.#heldPoll = undefined;
    send();
  }

  /** Resolves when no job has the turn, or after the given time. */
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

  /** The printer is gone: every job that waits is rejected with `disconnected`. */
  close(): void {
    this.#closed = true;
    this.#heldPoll?.refuse(new WriteFailed('disconnected', 0));
    this.#heldPoll = undefined;
    for (const { refuse, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      refuse(new WriteFailed('disconnected', 0));
    }
  }

  /**
   * After an interrupted job the printer may be inside a header and would take the request for a size: NULs end the header.
   * A printer whose buffer is full accepts no NUL; it still obeys real-time commands, which it does not store.
   */
  #sendPoll(bytes: Uint8Array, sending: () => void): Promise<void> {
    const { writeTimeoutMs } = this.#pace();
    const header = this.#brokenOff ? this.#send(HEADER_NULS, 'guarded', HEADER_MS).catch(onlyWriteFailed) : undefined;
    const sent = Promise.resolve(header).then(() => {
      sending();
      return this.#send(bytes, 'asIs', writeTimeoutMs);
    });
    this.#polling = sent.catch(() => {});
    return sent;
  }

  /** Recovers from an interrupted job. Rejects with WriteFailed, `written` 0: nothing of the next write went out. */
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

  /** Sends bytes of a recovery or job; those that did not go out are added to `missing`. */
  #sendJob(bytes: Uint8Array, trust: Trust): Promise<void> {
    return this.#send(bytes, trust, this.#pace().writeTimeoutMs).catch((error: unknown) => {
      if (error instanceof WriteFailed) this.#missing += bytes.length - error.written;
      throw error;
    });
  }

  /** The transfers of one write. Each has its own deadline, so that a slow printer is not taken for a dead one. */
  async #send(bytes: Uint8Array, trust: Trust, timeoutMs: number): Promise<void> {
    const trail = this.#trail;
    while (trust === 'asIs' && !trail.goesWith(bytes)) await this.#transfer(ONE_NUL, trust, timeoutMs, 0);
    const { recording } = trail.macros;
    const { chunkBytes, chunkDelayMs } = this.#pace();
    for (let sent = 0; sent < bytes.length; ) {
      const chunk = bytes.length <= chunkBytes ? bytes : bytes.subarray(sent, sent + chunkBytes);
      await this.#transfer(chunk, trust, timeoutMs, sent);
      sent += chunk.length;
      if (this.#sent !== undefined) this.#sent = sent;
      if (chunkDelayMs > 0 && sent < bytes.length) await delay(chunkDelayMs);
    }
    if (trust === 'macro') trail.macros.recording = recording;
  }

  /** One transfer. The trail follows only the bytes that the printer took. */
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
