/**
 * How a printer is, as far as it tells: by DLE EOT 1 to 4 on its bulk pipes, and where those are held or say nothing, by
 * GET_PORT_STATUS on its control pipe.
 */
import type { EscposOptions } from '../../codecs/escpos.ts';
import { STATUS_POLL } from '../../codecs/escpos.ts';
import { decodeStatus } from '../../codecs/escpos-status.ts';
import { type PortFaults, portFaults, withPortFaults } from '../../codecs/port-status.ts';
import { type UsbDevice, UsbError } from '../../runtime/bindings/bindings.ts';
import type { BackChannel } from './back-channel.ts';
import type { Outlet } from './outlet.ts';

/** Paper, cover and drawer as the printer last told. `known: false` is "cannot tell", never "no faults". */
export interface PrinterState {
  readonly known: boolean;
  readonly online: boolean;
  readonly paperOut: boolean;
  readonly paperLow: boolean;
  readonly coverOpen: boolean;
  /** Undefined where nothing told. */
  readonly drawerPinHigh: boolean | undefined;
}

/** Plugged in, and nothing more is known. */
const UNKNOWN: PrinterState = {
  known: false,
  online: true,
  paperOut: false,
  paperLow: false,
  coverOpen: false,
  drawerPinHigh: undefined,
};

/** Printers answer DLE EOT within milliseconds; half a second of nothing is silence. */
const ANSWER_MS = 500;
const PORT_MS = 500;
/** How long a last reading may stand in for a fresh one while a job prints. */
const STALE_MS = 15_000;

/** Asks on the control pipe; rejects with a UsbError. */
export type AskPort = () => Promise<Uint8Array>;

/** GET_PORT_STATUS of this interface, which is of the printer class (1.1, 4.2.2). */
export const portStatusOf =
  (device: UsbDevice, interfaceNumber: number): AskPort =>
  () =>
    device.controlIn({ requestType: 0xa1, request: 1, value: 0, index: interfaceNumber }, 1, { timeoutMs: PORT_MS });

export interface StatusParts {
  readonly options: EscposOptions;
  readonly outlet: Pick<Outlet, 'free' | 'holder' | 'poll'>;
  /** Absent where the printer has none: it is silent from the first. */
  readonly back: BackChannel | undefined;
  /** Absent where it is not of the printer class. */
  readonly askPort: AskPort | undefined;
  /** Called whenever the state is another than before. */
  readonly onChange: () => void;
}

export class Status {
  readonly #parts: StatusParts;
  #told: PrinterState = UNKNOWN;
  #replies: readonly number[] | undefined;
  #repliesAt = 0;
  /** What it said on its control pipe since the last answers on the other. */
  #faults: PortFaults | undefined;
  /** Undefined once it is not to be believed. */
  #askPort: AskPort | undefined;
  #silentSince: number | undefined;
  #reading: Promise<readonly number[] | undefined> | undefined;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    this.#askPort = parts.askPort;
    if (parts.back === undefined) this.#silentSince = performance.now();
  }

  get state(): PrinterState {
    const told = this.#isFresh ? this.#told : UNKNOWN;
    if (this.#faults === undefined) return told;
    return { ...told, known: true, online: false, paperOut: told.paperOut || this.#faults.paperEmpty };
  }

  /** Since when the printer has not answered DLE EOT, on the clock of `performance.now()`; undefined while it does. */
  get silentSince(): number | undefined {
    return this.#silentSince;
  }

  /** The last answer to DLE EOT `n` (1 to 4); undefined where it is too old or the printer does not tell. */
  reply(n: number): number | undefined {
    const reply = this.#isFresh ? this.#replies?.[n - 1] : undefined;
    return reply === undefined || this.#faults === undefined ? reply : withPortFaults(reply, n, this.#faults);
  }

  /**
   * Reads DLE EOT 1 to 4; where a command is under way, as soon as none is, and what the control pipe says meanwhile is
   * news at once. Whether anything changed.
   */
  async refresh(): Promise<boolean> {
    const { options, outlet } = this.#parts;
    const waits = options.statusBlockedWhilePending && outlet.holder !== undefined;
    const news = (waits || !outlet.free) && (await this.#refreshFaults());
    if (waits) return news;
    const replies = await this.#read();
    const decoded = replies && decodeStatus(replies);
    if (!decoded?.known) {
      this.#silentSince ??= performance.now();
      const lost = this.#change(() => {
        this.#told = UNKNOWN;
        this.#replies = undefined;
      });
      return (await this.#refreshFaults()) || lost || news;
    }
    const contradicts = decoded.online && this.#faults !== undefined;
    const changed = this.#change(() => {
      const { online, paperOut, paperLow, coverOpen, drawerPinHigh } = decoded;
      this.#told = { known: true, online, paperOut, paperLow, coverOpen, drawerPinHigh };
      this.#replies = replies;
      this.#repliesAt = performance.now();
      this.#silentSince = undefined;
      this.#faults = undefined;
    });
    // Whoever still names a fault does so whatever happens.
    if (contradicts && (await this.#readFaults()) !== undefined) this.#askPort = undefined;
    return changed || news;
  }

  get #isFresh(): boolean {
    return performance.now() - this.#repliesAt <= STALE_MS;
  }

  #change(change: () => void): boolean {
    const before = this.state;
    change();
    const changed = !sameState(before, this.state);
    if (changed) this.#parts.onChange();
    return changed;
  }

  async #refreshFaults(): Promise<boolean> {
    const faults = await this.#readFaults();
    return this.#change(() => {
      this.#faults = faults;
    });
  }

  /** No answer is no fault named; who stalls has no such request. */
  async #readFaults(): Promise<PortFaults | undefined> {
    if (this.#askPort === undefined) return undefined;
    try {
      return portFaults(await this.#askPort());
    } catch (error) {
      if (!(error instanceof UsbError)) throw error;
      if (error.fault === 'stall') this.#askPort = undefined;
      return undefined;
    }
  }

  /** Readings asked for at the same time are one. */
  #read(): Promise<readonly number[] | undefined> {
    const { back, outlet } = this.#parts;
    if (back === undefined) return Promise.resolve(undefined);
    this.#reading ??= back
      .status(4, ANSWER_MS, () => outlet.poll(STATUS_POLL))
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
