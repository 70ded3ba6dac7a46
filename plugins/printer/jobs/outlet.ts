/**
 * The outlet: the only code that writes to the bulk OUT pipe of a printer. Jobs of the API and of port 9100, drawer kicks, raw
 * commands, status requests and recovery bytes all pass here. Jobs wait for their turn (waiters.ts); drawer kicks and status
 * requests go out between two commands of the one that has it. Transfers are limited in size and rate, and a failure says
 * exactly how many bytes the printer took. The outlet knows what the printer read last (codecs/escpos-trail.ts), so bytes of two
 * jobs never join to a command that opens a drawer.
 */
import { SELECT_PRINTER } from '../../../codecs/escpos.ts';
import { LONGEST_HEADER } from '../../../codecs/escpos-command-lengths.ts';
import type { MacroMemory } from '../../../codecs/escpos-macro.ts';
import { freshMode, type PrinterMode } from '../../../codecs/escpos-mode.ts';
import { Trail } from '../../../codecs/escpos-trail.ts';
import { type UsbDevice, UsbError, type UsbPipe } from '../../../runtime/bindings/usb.ts';
import type { Begin } from '../../../runtime/kernel/command.ts';
import { Answers } from './answers.ts';
import { Between, FREE_PLACE } from './between.ts';
import { RawPieces } from './pieces.ts';
import { type Pace, Reach } from './reach.ts';
import { behind, didWork, type Recovery, Start } from './recovery.ts';
import { type Holder, type Source, type Waiter, Waiters } from './waiters.ts';
import { goneBefore, onlyWriteFailed, WriteFailed } from './write-failed.ts';

/**
 * How bytes are checked. `guarded`: a byte that would complete a drawer pulse becomes NUL, in place. `asIs`: sent unchanged,
 * after a NUL where they would do harm together with the bytes before. `joined`: sent unchanged, as the continuation of the
 * write before. `macro`: guarded, and a whole macro definition.
 */
export type Trust = 'guarded' | 'macro' | 'asIs' | 'joined';

/** NULs complete a command that an interrupted job left open. A printer that expects nothing ignores them. */
const NULS = new Uint8Array(64 * 1024);
const ONE_NUL = NULS.subarray(0, 1);
const HEADER_NULS = NULS.subarray(0, LONGEST_HEADER);
/** Deadline of the NULs before a status request, short because a printer that accepts no NUL is still asked. */
const HEADER_MS = 100;

/** The outlet of one bound printer. Methods that write reject with WriteFailed; nothing is sent twice. */
export class Outlet {
  /** The modes of the printer, as far as jobs from port 9100 may change them. */
  readonly mode: PrinterMode = freshMode();
  readonly pieces = new RawPieces(this.mode);
  readonly answers = new Answers();
  readonly #device: UsbDevice;
  readonly #pipe: UsbPipe;
  readonly #pace: () => Pace;
  readonly #recovery: Recovery;
  readonly #trail: Trail;
  /** What it was before the transfer that is under way. */
  readonly #before: Trail;
  readonly #waiters = new Waiters<Waiter>();
  readonly #between = new Between(() => this.#sentBetween());
  readonly #idle = new Set<() => void>();
  #holder: Holder | undefined;
  /** When it got its turn, in ms of `performance.now()`. */
  #heldAt = 0;
  #writing = false;
  /** Bytes that the printer took of the current write; undefined while there is none, or other bytes go out before it. */
  #sent: number | undefined;
  /** A job was interrupted. True before the first one, too: what was sent before the node bound the printer is unknown. */
  #brokenOff = true;
  #missing = 0;
  /** Set off by a client that left the setup mode, or by the node. */
  readonly start = new Start();
  /** For jobs: what somebody who waits has to wait for. */
  readonly reach: Reach;
  #closed = false;

  constructor(device: UsbDevice, pipe: UsbPipe, pace: () => Pace, recovery: Recovery, macros: MacroMemory) {
    this.#device = device;
    this.#pipe = pipe;
    this.#pace = pace;
    this.reach = new Reach(pace, () => this.isAwaited);
    this.#recovery = behind(HEADER_NULS, recovery);
    this.#trail = new Trail(macros);
    this.#trail.lose();
    this.#before = this.#trail.copy();
  }

  /** Bytes that the printer still expects of interrupted payloads; as many NULs go out before the next job. */
  get missing(): number {
    return this.#missing;
  }

  get macros(): Readonly<MacroMemory> {
    return this.#trail.macros;
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

  /** A kick or a status request waits for the next place between two commands. */
  get isAwaited(): boolean {
    return this.#between.kicksWait || this.#between.pollWaits;
  }

  /** The holder of the turn, and for how long. */
  get heldBy(): (Source & { readonly ms: number }) | undefined {
    return this.#holder && { ...this.#holder.source, ms: performance.now() - this.#heldAt };
  }

  /** Resolves when `holder` has the turn. Rejects with WriteFailed `busy` after `waitMs`. */
  take(holder: Holder, waitMs?: number): Promise<void> {
    if (this.#closed) return Promise.reject(goneBefore());
    if (this.#holder === undefined) {
      this.#hold(holder);
      return Promise.resolve();
    }
    return new Promise((give, refuse) => {
      const giveUp = () => {
        this.#waiters.remove(waiter);
        this.#tellHolder();
        refuse(new WriteFailed('busy', 0));
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      const waiter: Waiter = { source: holder.source, holder, give, refuse, timer };
      this.#waiters.add(waiter);
      this.#tellHolder();
    });
  }

  /** Ends the turn of `holder`. A second call does nothing. */
  leave(holder: Holder): void {
    if (this.#holder !== holder) return;
    this.#holder = undefined;
    this.answers.leave();
    // A drawer does not wait for the next receipt.
    this.letIn();
    const next = this.#waiters.next();
    if (next === undefined) this.#tellIdle();
    else {
      clearTimeout(next.timer);
      this.#hold(next.holder);
      next.give();
    }
  }

  /** Completes what an earlier job left open, then writes bytes of the holder. Rejects with WriteFailed; never retries. */
  async write(bytes: Uint8Array, trust: Trust): Promise<void> {
    this.#writing = true;
    try {
      if (this.#between.isUnderWay) await this.#between.sent();
      if (!this.#isSettled) await this.#settle();
      this.#sent = 0;
      const from = this.reach.start();
      await this.#sendJob(bytes, trust);
      if (bytes.length > 0) this.reach.learn(bytes, from);
    } finally {
      this.#sent = undefined;
      this.#writing = false;
      this.answers.left();
      this.letIn();
    }
  }

  /** Selects the printer again (ESC = 1) where a byte of the current job may have deselected it. */
  async select(): Promise<void> {
    if (!this.#trail.mayBeDeselected) return;
    await this.write(SELECT_PRINTER, 'asIs');
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

  /** If a client left the printer in its setup mode, it is brought out of it before the next write. */
  leaveSetup(): void {
    this.start.leavesSetup ||= this.mode.setup;
    // From here on it is what the bytes of the next job say.
    this.mode.setup = false;
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
    const send = () => this.#sendPoll(bytes, sending);
    if (this.free) return this.#between.insert(send);
    return this.#closed ? Promise.reject(new WriteFailed('busy', 0)) : this.#between.waitToPoll(send);
  }

  /**
   * Sends a drawer pulse, between two commands of whoever has the turn. Rejects with WriteFailed: `busy` where it could not be
   * sent within `waitMs`. `begin` is called when it has its place, and awaited, while other kicks go out; where that fails, it does not.
   */
  kick(bytes: Uint8Array, waitMs: number, begin?: Begin): Promise<void> {
    if (this.#closed) return Promise.reject(goneBefore());
    const sent = this.#between.waitToKick({ send: () => this.#sendKick(bytes), begin }, waitMs);
    this.letIn();
    this.#tellHolder();
    return sent;
  }

  /** Sends the drawer pulses and the status request that wait, if they can be sent now. */
  letIn(): void {
    // One pulse at a time: the deadline of the next one goes on while the printer takes nothing.
    while (!this.#closed && !this.#writing && !this.#between.isSending && this.#between.kicksWait) {
      if (this.#holder === undefined) this.leaveSetup();
      const pause = this.#holder === undefined ? FREE_PLACE : this.#holder.pause?.();
      if (pause === undefined) break;
      this.start.leavesSetup ||= pause.setup;
      this.mode.ownMacro = false;
      this.#between.startKick((insertKick) => {
        this.#insert(pause.before, 'guarded');
        insertKick();
        this.#insert(pause.after, 'asIs');
      });
      this.#tellHolder();
    }
    if (this.#between.pollWaits && this.free) this.#between.startPoll();
  }

  /** Resolves when no job has the turn and no kick is being sent, or after the given time. */
  async drained(timeoutMs: number): Promise<void> {
    if (this.#isIdle) return;
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
    this.answers.mute();
    this.#between.close();
    for (const { refuse, timer } of this.#waiters.clear()) {
      clearTimeout(timer);
      refuse(goneBefore());
    }
  }

  #hold(holder: Holder): void {
    this.#holder = holder;
    this.#heldAt = performance.now();
    this.#waiters.served(holder.source);
    this.#tellHolder();
  }

  #tellHolder(): void {
    this.#holder?.waited?.(this.#waiters.size > 0 || this.#between.kicksWait);
  }

  #insert(bytes: Uint8Array, trust: Trust): void {
    if (bytes.length > 0) void this.#between.insert(() => this.#sendJob(bytes, trust)).catch(() => {});
  }

  #sentBetween(): void {
    this.letIn();
    this.#tellIdle();
    this.#tellHolder();
  }

  get #isIdle(): boolean {
    return this.#holder === undefined && !this.#between.isUnderWay;
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const done of this.#idle) done();
  }

  /** A pulse after raw commands ends their series; a printer that is deselected would ignore it. */
  async #sendKick(bytes: Uint8Array): Promise<void> {
    if (this.pieces.underWay) this.endPieces();
    if (!this.#isSettled) await this.#settle();
    if (this.#trail.mayBeDeselected) await this.#sendJob(SELECT_PRINTER, 'asIs');
    this.#trail.mayBeDeselected = false;
    await this.#sendJob(bytes, 'asIs');
  }

  /**
   * After an interrupted job or kick the printer may be inside a header and would take the request for a size: NULs end the header.
   * A printer whose buffer is full accepts no NUL; it still obeys real-time commands, which it does not store.
   */
  async #sendPoll(bytes: Uint8Array, sending: () => void): Promise<void> {
    if (this.#brokenOff || this.#missing > 0)
      await this.#send(HEADER_NULS, 'guarded', HEADER_MS).catch(onlyWriteFailed);
    sending();
    await this.#send(bytes, 'asIs', this.#pace().writeTimeoutMs);
  }

  /** Nothing has to go out before the next write. */
  get #isSettled(): boolean {
    return !this.#brokenOff && this.#missing === 0 && !this.start.leavesSetup && this.start.isOver;
  }

  /** Recovers from an interrupted job. Rejects with WriteFailed, `written` 0: nothing of the next write went out. */
  async #settle(): Promise<void> {
    try {
      const { bytes, reset, leaveSetup } = this.#recovery;
      await this.start.over();
      if (this.#missing > NULS.length && reset !== undefined && (await didWork(reset))) this.#missing = 0;
      while (this.#missing > 0) {
        const nuls = NULS.subarray(0, this.#missing);
        this.#missing -= nuls.length;
        await this.#sendJob(nuls, 'guarded');
      }
      if (this.start.leavesSetup && leaveSetup !== undefined) {
        await this.#sendJob(leaveSetup, 'asIs');
        this.start.begin();
        await this.start.over();
        this.#brokenOff = true;
      }
      this.start.leavesSetup = false;
      if (this.#brokenOff) await this.#sendJob(bytes, 'asIs');
      if (this.#brokenOff) this.#trail.mayBeDeselected = false;
      this.#brokenOff = false;
    } catch (error) {
      throw error instanceof WriteFailed ? new WriteFailed(error.fault, 0, error.cause) : error;
    }
  }

  /** Sends bytes of a recovery or job; those that did not go out are added to `missing`. */
  async #sendJob(bytes: Uint8Array, trust: Trust): Promise<void> {
    try {
      await this.#send(bytes, trust, this.#pace().writeTimeoutMs);
    } catch (error) {
      if (error instanceof WriteFailed) this.#missing += bytes.length - error.written;
      throw error;
    }
  }

  /** The transfers of one write. Each has its own deadline, so that a slow printer is not taken for a dead one. */
  async #send(bytes: Uint8Array, trust: Trust, timeoutMs: number): Promise<void> {
    const trail = this.#trail;
    while (trust === 'asIs' && !trail.goesWith(bytes)) await this.#transfer(ONE_NUL, trust, timeoutMs, 0);
    const { recording } = trail.macros;
    const { chunkBytes } = this.#pace();
    for (let sent = 0; sent < bytes.length; ) {
      const chunk = bytes.length <= chunkBytes && sent === 0 ? bytes : bytes.subarray(sent, sent + chunkBytes);
      sent = await this.#transfer(chunk, trust, timeoutMs, sent);
      if (this.#sent !== undefined) this.#sent = sent;
    }
    if (trust === 'macro') trail.macros.recording = recording;
  }

  /**
   * One transfer, in pace but for the few bytes of a kick and of a status request. Gives how much is sent then, `sent` included: less
   * than all where a deadline passed that the holder does not mind. The trail follows only the bytes that the printer took.
   */
  async #transfer(bytes: Uint8Array, trust: Trust, timeoutMs: number, sent: number): Promise<number> {
    const inPace = !this.#between.isSending;
    const leftMs = inPace ? this.reach.leftMs : 0;
    if (leftMs > 0) await this.reach.rest(leftMs);
    // The next outlet of this printer would not know of it.
    if (this.#closed) throw new WriteFailed('disconnected', sent);
    const trail = this.#trail;
    this.#before.become(trail);
    if (trust === 'guarded' || trust === 'macro') trail.guard(bytes);
    else trail.follow(bytes);
    try {
      await this.#device.transferOut(this.#pipe, bytes, { timeoutMs });
      return sent + bytes.length;
    } catch (error) {
      if (!(error instanceof UsbError)) {
        trail.lose();
        throw new WriteFailed('io', sent, error);
      }
      trail.become(this.#before);
      trail.follow(bytes.subarray(0, error.bytesTransferred));
      const written = sent + error.bytesTransferred;
      const waits = error.fault === 'timeout' && !this.#closed && this.#sent !== undefined;
      if (!waits || this.#holder?.persists?.() !== true) throw new WriteFailed(error.fault, written);
      return written;
    } finally {
      if (inPace) this.reach.transferred();
    }
  }
}
