/**
 * The status of a printer: from DLE EOT 1 to 4 on its bulk pipes and, where a job holds these or the printer does not
 * answer there, from GET_PORT_STATUS on its control pipe.
 */
import type { EscposOptions } from '../../../codecs/escpos.ts';
import { STATUS_POLL } from '../../../codecs/escpos.ts';
import { decodeStatus } from '../../../codecs/escpos-status.ts';
import { offline, type PortFaults, portFaults, withPortFaults } from '../../../codecs/port-status.ts';
import { type UsbDevice, UsbError } from '../../../runtime/bindings/usb.ts';
import type { BackChannel } from './back-channel.ts';
import type { Outlet } from './outlet.ts';

/**
 * The last known status. With `known: false` the status is unknown, which never means "no faults"; a fault that is proven all the same
 * (GET_PORT_STATUS) is told by `online: false` and `paperOut`.
 */
export interface PrinterState {
  readonly known: boolean;
  readonly online: boolean;
  readonly paperOut: boolean;
  readonly paperLow: boolean;
  readonly coverOpen: boolean;
  /** Undefined where it is unknown. */
  readonly drawerPinHigh: boolean | undefined;
}

/** The printer is connected, and its status is unknown. */
const UNKNOWN: PrinterState = {
  known: false,
  online: true,
  paperOut: false,
  paperLow: false,
  coverOpen: false,
  drawerPinHigh: undefined,
};

/** Milliseconds to wait for the answers to DLE EOT; printers answer within a few. */
const ANSWER_MS = 500;
const PORT_MS = 500;
/** How long the last reading remains valid while a job prints and no new one can be made. */
const STALE_MS = 15_000;

/** Reads the answer to GET_PORT_STATUS, one byte. Rejects with a UsbError. */
export type AskPort = () => Promise<Uint8Array>;

/** GET_PORT_STATUS of this interface (USB printer class 1.1, 4.2.2). */
export const portStatusOf =
  (device: UsbDevice, interfaceNumber: number): AskPort =>
  () =>
    device.controlIn({ requestType: 0xa1, request: 1, value: 0, index: interfaceNumber }, 1, { timeoutMs: PORT_MS });

export interface StatusParts {
  readonly options: EscposOptions;
  readonly outlet: Pick<Outlet, 'free' | 'holder' | 'poll'>;
  /** Undefined where the printer has no bulk IN pipe: its status is unknown then. */
  readonly back: Pick<BackChannel, 'status' | 'isGarbled'> | undefined;
  /** Undefined where the interface is not of the printer class. */
  readonly askPort: AskPort | undefined;
  /** Called when the state has changed. */
  readonly onChange: () => void;
}

/** Reads and keeps the status of one bound printer. */
export class KeptStatus {
  readonly #parts: StatusParts;
  #told: PrinterState = UNKNOWN;
  #replies: readonly number[] | undefined;
  #repliesAt = 0;
  /** Faults from the control pipe since the last answers to DLE EOT. */
  #faults: PortFaults | undefined;
  /** Undefined once its answers have proved wrong. */
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
    return { ...told, online: false, paperOut: told.paperOut || this.#faults.paperEmpty };
  }

  /** When the printer stopped answering DLE EOT, in ms of `performance.now()`; undefined while it answers. */
  get silentSince(): number | undefined {
    return this.#silentSince;
  }

  /** Why the answers to DLE EOT are not believed where it is silent: noise came with them. Undefined where none came. */
  get silentReason(): string | undefined {
    return this.#silentSince !== undefined && this.#parts.back?.isGarbled === true ? 'garbled' : undefined;
  }

  /**
   * The last answer to DLE EOT `n` (1 to 4), one byte; undefined where the printer gave none. One that is too old to be relied on,
   * because another client has kept the printer inside a command, says off-line, as of a printer that can do nothing for this one.
   */
  reply(n: number): number | undefined {
    const reply = this.#replies?.[n - 1];
    if (reply === undefined) return undefined;
    const told = this.#isFresh || n !== 1 ? reply : offline(reply);
    return this.#faults === undefined ? told : withPortFaults(told, n, this.#faults);
  }

  /**
   * Reads DLE EOT 1 to 4, at the end of the current command where one is being written; faults from the control pipe are
   * reported before that. Resolves to true where the state has changed.
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
    // A printer that still reports the fault here always reports it: its control pipe is not used any more.
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

  /** Undefined where no fault is named or no answer came. A printer that stalls the request is not asked again. */
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

  /** Callers at the same time share one reading. */
  #read(): Promise<readonly number[] | undefined> {
    const { back, outlet } = this.#parts;
    if (back === undefined) return Promise.resolve(undefined);
    this.#reading ??= back
      .status(4, ANSWER_MS, (sending) => outlet.poll(STATUS_POLL, sending))
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
