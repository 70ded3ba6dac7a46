/**
 * The one writer to a printer. Whoever has bytes for it takes a turn; turns are served in order and never
 * interleave, transfers leave paced and bounded, and a failure says exactly how many bytes went out.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { LONGEST_HEADER } from '../../codecs/escpos-commands.ts';
import { type UsbDevice, UsbError, type UsbFault, type UsbPipe } from '../../runtime/bindings/bindings.ts';

/** Configuration key `usb`. */
export interface Pace {
  readonly chunkBytes: number;
  readonly chunkDelayMs: number;
  readonly writeTimeoutMs: number;
}

/** `written` counts the bytes of the failed write that the printer took: 0 means that none did. */
export class WriteFailed extends Error {
  readonly fault: UsbFault | 'busy';
  readonly written: number;
  constructor(fault: UsbFault | 'busy', written: number) {
    super(`${fault} after ${written} bytes`);
    this.name = 'WriteFailed';
    this.fault = fault;
    this.written = written;
  }
}

/** Turns that may wait; one more is refused. */
const MAX_WAITING = 128;
/** A job cut short leaves a command open. NULs complete it, and mean nothing where none was open. */
const NULS = new Uint8Array(64 * 1024);
const HEADER_NULS = NULS.subarray(0, LONGEST_HEADER);
/** A status request stands behind them: a printer that takes no NUL is to be asked all the same. */
const HEADER_MS = 100;

/** What makes up for a job that was cut short. */
export interface Recovery {
  /** After the NULs: brings the printer to where a job may begin. */
  readonly bytes: Uint8Array;
  /** In place of more NULs than a block of them. Absent where the printer has none. */
  readonly reset: (() => Promise<void>) | undefined;
}

interface Waiter {
  readonly give: (turn: Turn) => void;
  readonly refuse: (error: WriteFailed) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

export class Writer {
  readonly #device: UsbDevice;
  readonly #pipe: UsbPipe;
  readonly #pace: () => Pace;
  readonly #waiting: Waiter[] = [];
  #turn: Turn | undefined;
  #transferring = false;
  #aside: { readonly send: () => void; readonly refuse: (error: WriteFailed) => void } | undefined;
  readonly #recovery: Recovery;
  /** Before the first job, too: nobody knows what the printer was told before the node came. */
  #cutShort = true;
  /** Bytes that the printer may still wait for. */
  #owed = 0;
  /** It may wait for the rest of a header. */
  #inHeader = true;
  #closed = false;
  /** False while a command is under way that goes on in a later turn. */
  atBoundary = true;
  readonly #idle = new Set<() => void>();

  constructor(device: UsbDevice, pipe: UsbPipe, pace: () => Pace, recovery: Recovery) {
    this.#device = device;
    this.#pipe = pipe;
    this.#pace = pace;
    this.#recovery = recovery;
  }

  /** A job ended before its end: what is written next comes after its `owed` bytes, in NULs, and a recovery. */
  cutShort(owed: number): void {
    this.#cutShort = true;
    this.#inHeader = true;
    this.#owed += owed;
  }

  get owed(): number {
    return this.#owed;
  }

  /** Resolves when it is the caller's turn. Rejects with WriteFailed `busy` when too many wait or for too long. */
  take(waitMs?: number): Promise<Turn> {
    if (this.#closed) return Promise.reject(new WriteFailed('disconnected', 0));
    if (this.#turn === undefined) return Promise.resolve(this.#begin());
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new WriteFailed('busy', 0));
    return new Promise((give, refuse) => {
      const waiter: Waiter = {
        give,
        refuse,
        timer:
          waitMs === undefined
            ? undefined
            : setTimeout(() => {
                this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
                refuse(new WriteFailed('busy', 0));
              }, waitMs),
      };
      this.#waiting.push(waiter);
    });
  }

  /** Whether somebody has a turn. */
  get taken(): boolean {
    return this.#turn !== undefined;
  }

  /** Whether bytes could be put in now without landing inside a command. */
  get free(): boolean {
    return !this.#closed && !this.#transferring && this.atBoundary && (this.#turn?.atBoundary ?? true);
  }

  /**
   * Sends a few bytes beside the turns: now if no command is under way, else as soon as none is. One at a time.
   * Transfers on a pipe leave in order, so what follows need not wait for them.
   */
  aside(bytes: Uint8Array): Promise<void> {
    if (this.free) return this.#sendAside(bytes);
    if (this.#closed || this.#aside !== undefined) return Promise.reject(new WriteFailed('busy', 0));
    return new Promise((sent, refuse) => {
      this.#aside = { send: () => void this.#sendAside(bytes).then(sent, refuse), refuse };
    });
  }

  /** Resolves once no turn is taken, at most after the given time. */
  async drained(timeoutMs: number): Promise<void> {
    if (this.#turn === undefined) return;
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
    this.#aside?.refuse(new WriteFailed('disconnected', 0));
    this.#aside = undefined;
    for (const { refuse, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      refuse(new WriteFailed('disconnected', 0));
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#transferring = true;
    try {
      await this.#settle();
      if (bytes.length > 0) await this.#sendJob(bytes);
    } finally {
      this.#transferring = false;
      this.#runAside();
    }
  }

  end(turn: Turn): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    const next = this.#waiting.shift();
    if (next === undefined) {
      for (const done of this.#idle) done();
      this.#runAside();
    } else {
      clearTimeout(next.timer);
      next.give(this.#begin());
    }
  }

  #begin(): Turn {
    this.#turn = new Turn(this);
    return this.#turn;
  }

  #runAside(): void {
    if (this.#aside === undefined || !this.free) return;
    const aside = this.#aside;
    this.#aside = undefined;
    aside.send();
  }

  /** Rejects with WriteFailed and 0 bytes: of what was to follow, nothing was written. */
  async #settle(): Promise<void> {
    try {
      const { bytes, reset } = this.#recovery;
      if (this.#owed > NULS.length && reset !== undefined && (await didWork(reset))) this.#owed = 0;
      while (this.#owed > 0) {
        const nuls = NULS.subarray(0, this.#owed);
        this.#owed -= nuls.length;
        await this.#sendJob(nuls);
      }
      if (this.#cutShort) await this.#sendJob(bytes);
      this.#cutShort = this.#inHeader = false;
    } catch (error) {
      throw error instanceof WriteFailed ? new WriteFailed(error.fault, 0) : error;
    }
  }

  /** What does not go out is owed. */
  #sendJob(bytes: Uint8Array): Promise<void> {
    return this.#send(bytes).catch((error: unknown) => {
      if (error instanceof WriteFailed) this.#owed += bytes.length - error.written;
      throw error;
    });
  }

  /**
   * A job that was cut short may have left the printer inside a header, where these bytes would become a size: NULs end
   * that. A printer whose buffer is full takes no NUL, and stores none of the real-time commands that it obeys.
   */
  async #sendAside(bytes: Uint8Array): Promise<void> {
    // Not waited for: a job that begins meanwhile comes after both.
    if (this.#inHeader) void this.#endHeader();
    await this.#send(bytes);
  }

  async #endHeader(): Promise<void> {
    this.#inHeader = false;
    try {
      await this.#device.transferOut(this.#pipe, HEADER_NULS, { timeoutMs: HEADER_MS });
    } catch (error) {
      this.#inHeader = true;
      if (!(error instanceof UsbError)) throw error;
    }
  }

  /** The transfers of one write, each with a deadline of its own: a slow printer is not a dead one. */
  async #send(bytes: Uint8Array): Promise<void> {
    const { chunkBytes, chunkDelayMs, writeTimeoutMs } = this.#pace();
    const options = { timeoutMs: writeTimeoutMs };
    let sent = 0;
    try {
      if (bytes.length <= chunkBytes) {
        await this.#device.transferOut(this.#pipe, bytes, options);
        return;
      }
      while (sent < bytes.length) {
        const chunk = bytes.subarray(sent, sent + chunkBytes);
        await this.#device.transferOut(this.#pipe, chunk, options);
        sent += chunk.length;
        if (chunkDelayMs > 0 && sent < bytes.length) await delay(chunkDelayMs);
      }
    } catch (error) {
      if (!(error instanceof UsbError)) throw error;
      throw new WriteFailed(error.fault, sent + error.bytesTransferred);
    }
  }
}

const didWork = (reset: () => Promise<void>): Promise<boolean> =>
  reset().then(
    () => true,
    () => false,
  );

/** The right to write, held until `end`. */
export class Turn {
  /** Set by a holder that streams: false while a command of its own is under way. */
  atBoundary = true;
  /** Bytes the printer sends that are not answers to the node itself. */
  onReply: ((bytes: Uint8Array) => void) | undefined;
  readonly #writer: Writer;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** Rejects with WriteFailed; what was not written is not tried again. Of no bytes: makes up for what is owed. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#writer.write(bytes);
  }

  /** Ends the turn; twice is harmless. */
  end(): void {
    this.onReply = undefined;
    this.#writer.end(this);
  }
}
