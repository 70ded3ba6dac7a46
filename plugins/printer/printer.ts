/**
 * A printer that is bound: one writer, one back-channel, one idea of how the printer is. Everything that prints
 * goes through `take`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EscposOptions } from '../../codecs/escpos.ts';
import { endOfPrintRequest, REALTIME_PULSE_DISABLE, RECOVERY, STATUS_POLL } from '../../codecs/escpos.ts';
import { decodeStatus } from '../../codecs/escpos-status.ts';
import type { UsbDevice, UsbPipe } from '../../runtime/bindings/bindings.ts';
import type { Bound } from '../../runtime/kernel/hotplug.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';
import { BackChannel, type Echo } from './back-channel.ts';
import type { Debts } from './debts.ts';
import { type FilterReports, Job, type JobKind } from './job.ts';
import { Outlet, type Pace, WriteFailed } from './outlet.ts';

/** Paper, cover and drawer as the printer last told. `known: false` is "cannot tell", never "no faults". */
export interface PrinterState {
  readonly known: boolean;
  readonly online: boolean;
  readonly paperOut: boolean;
  readonly paperLow: boolean;
  readonly coverOpen: boolean;
  readonly drawerPinHigh: boolean;
}

/** Plugged in, and nothing more is known. */
const UNKNOWN: PrinterState = {
  known: false,
  online: true,
  paperOut: false,
  paperLow: false,
  coverOpen: false,
  drawerPinHigh: false,
};

/** Printers answer DLE EOT within milliseconds; half a second of nothing is silence. */
const STATUS_TIMEOUT_MS = 500;
const RESET_MS = 2000;
/** What a printer that loses data on close is given after its last job (CUPS knows them as delay-close). */
const CLOSE_DELAY_MS = 750;
/** A write to a device that is closed fails in milliseconds. */
const TOLD_MS = 200;
/** How long a last read may stand in for a fresh one while a job prints. */
const STATUS_STALE_MS = 15_000;

export interface PrinterParts {
  readonly device: UsbDevice;
  readonly interface: number;
  readonly out: UsbPipe;
  readonly in: UsbPipe | undefined;
  readonly recipe: Resolution;
  readonly options: EscposOptions;
  readonly pace: () => Pace;
  readonly languages: readonly string[];
  readonly debts: Debts;
  /** Called after every reading that differs from the one before. */
  readonly onChange: () => void;
  /** Called when the printer is let go of, whether it was unplugged or the node ends. */
  readonly onRelease: (printer: Printer) => void;
}

export class Printer implements Bound {
  readonly recipe: Resolution;
  readonly options: EscposOptions;
  readonly languages: readonly string[];
  readonly #device: UsbDevice;
  readonly #interface: number;
  readonly #outlet: Outlet;
  readonly #back: BackChannel | undefined;
  readonly #debts: Debts;
  readonly #onChange: () => void;
  readonly #onRelease: (printer: Printer) => void;
  #state: PrinterState = UNKNOWN;
  #replies: readonly number[] | undefined;
  #repliesAt = 0;
  #silentSince: number | undefined;
  #reading: Promise<readonly number[] | undefined> | undefined;
  #processes = 0;

  constructor({
    device,
    interface: number,
    out,
    in: back,
    recipe,
    options,
    pace,
    languages,
    debts,
    onChange,
    onRelease,
  }: PrinterParts) {
    this.recipe = recipe;
    this.options = options;
    this.languages = languages;
    this.#device = device;
    this.#interface = number;
    const { realtimePulseDisable, softReset } = options;
    this.#outlet = new Outlet(device, out, pace, {
      bytes: realtimePulseDisable ? Buffer.concat([RECOVERY, REALTIME_PULSE_DISABLE]) : RECOVERY,
      reset: softReset ? () => this.reset() : undefined,
    });
    this.#debts = debts;
    this.#outlet.breakOff(debts.of(device.identity));
    this.#onChange = onChange;
    this.#onRelease = onRelease;
    if (back === undefined) this.#silentSince = performance.now();
    else this.#back = new BackChannel(device, back, (bytes) => this.#pass(bytes));
    this.#back?.start();
  }

  get state(): PrinterState {
    return this.#isFresh ? this.#state : UNKNOWN;
  }

  silentSince(): number | undefined {
    return this.#silentSince;
  }

  job(kind: JobKind): Job {
    return new Job(this.#outlet, kind);
  }

  /** The job of one connection to port 9100. */
  filteredJob(reports: FilterReports): Job {
    const { realtimePulseDisable, pulseOnBel } = this.options;
    return new Job(this.#outlet, 'port9100', { options: { realtimePulseDisable, pulseOnBel }, reports });
  }

  /** Brings the printer to where a job may begin, if it takes that now; else the first job does. */
  async settle(): Promise<void> {
    try {
      const job = this.job('recovery');
      await job.begin();
      await job.write(new Uint8Array());
      await job.end();
      await this.#debts.set(this.#device.identity, 0);
    } catch (error) {
      if (!(error instanceof WriteFailed)) throw error;
    }
  }

  /** Reads DLE EOT 1 to 4, unless a command is under way: then as soon as none is. Whether anything changed. */
  async refresh(): Promise<boolean> {
    const { holder, pieces } = this.#outlet;
    if (this.options.statusBlockedWhilePending && holder !== undefined) return false;
    if (pieces.abandoned && holder === undefined) await this.settle();
    const replies = await this.#read();
    const now = performance.now();
    const decoded = replies && decodeStatus(replies);
    const before = this.#state;
    if (decoded?.known) {
      const { online, paperOut, paperLow, coverOpen, drawerPinHigh } = decoded;
      this.#state = { known: true, online, paperOut, paperLow, coverOpen, drawerPinHigh };
      this.#replies = replies;
      this.#repliesAt = now;
      this.#silentSince = undefined;
    } else {
      this.#state = UNKNOWN;
      this.#replies = undefined;
      this.#silentSince ??= now;
    }
    const changed = !sameState(before, this.#state);
    if (changed) this.#onChange();
    return changed;
  }

  /**
   * The answer to DLE EOT `n` (1 to 4) for a client, at once: fresh where no command is under way, else the last
   * reading; undefined where the printer does not tell.
   */
  async statusReply(n: number): Promise<number | undefined> {
    if (this.#outlet.free) await this.refresh();
    return this.#isFresh ? this.#replies?.[n - 1] : undefined;
  }

  /** Bytes that ask for an end-of-print echo, and the ear for it; undefined where this printer has none. */
  endOfPrint(): { readonly request: Uint8Array; readonly echo: Echo } | undefined {
    const back = this.#back;
    if (!this.options.endOfPrint || back === undefined) return undefined;
    this.#processes = (this.#processes + 1) % 10_000;
    const id = String(this.#processes).padStart(4, '0');
    return { request: endOfPrintRequest(id), echo: back.listen(id) };
  }

  /** SOFT_RESET, where the recipe says that this printer takes it (USB printer class 1.1, 4.2.3). */
  async reset(): Promise<void> {
    if (!this.options.softReset) return;
    const setup = { requestType: 0x21, request: 2, value: 0, index: this.#interface };
    await this.#device.controlOut(setup, new Uint8Array(0), { timeoutMs: RESET_MS });
  }

  /** Lets the job in hand finish. */
  async drained(timeoutMs: number): Promise<void> {
    await this.#outlet.drained(timeoutMs);
    if (this.options.delayClose) await delay(CLOSE_DELAY_MS);
  }

  async release(): Promise<void> {
    this.#onRelease(this);
    this.#outlet.close();
    await this.#back?.stop();
    await this.#device.close();
    // Whoever wrote is told by now, and what the job in hand leaves open is known.
    await this.#outlet.drained(TOLD_MS);
    this.#outlet.endPieces();
    await this.#debts.set(this.#device.identity, this.#outlet.missing);
  }

  get #isFresh(): boolean {
    return performance.now() - this.#repliesAt <= STATUS_STALE_MS;
  }

  /** What the printer says to whoever holds it, unless it talks to itself all day. */
  #pass(bytes: Uint8Array): void {
    if (!this.options.backgroundStatusNoise) this.#outlet.holder?.onReply?.(bytes);
  }

  /** Readings asked for at the same time are one. */
  #read(): Promise<readonly number[] | undefined> {
    const back = this.#back;
    if (back === undefined) return Promise.resolve(undefined);
    this.#reading ??= back
      .status(4, STATUS_TIMEOUT_MS, () => this.#outlet.poll(STATUS_POLL))
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}

const sameState = (a: PrinterState, b: PrinterState) =>
  a.known === b.known &&
  a.online === b.online &&
  a.paperOut === b.paperOut &&
  a.paperLow === b.paperLow &&
  a.coverOpen === b.coverOpen &&
  a.drawerPinHigh === b.drawerPinHigh;
