/**
 * A bound printer: its outlet, its back-channel and its status. Everything that prints is a `Job`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EscposOptions } from '../../../codecs/escpos.ts';
import { endOfPrintRequest } from '../../../codecs/escpos.ts';
import type { BackChannelItem } from '../../../codecs/escpos-status.ts';
import type { UsbDevice, UsbPipe } from '../../../runtime/bindings/usb.ts';
import type { Begin } from '../../../runtime/kernel/command.ts';
import type { Bound } from '../../../runtime/kernel/device.ts';
import type { Resolution } from '../../../runtime/recipes/table.ts';
import { BackChannel, type Echo } from './back-channel.ts';
import { type Client, Job, type JobKind } from './job.ts';
import type { PrinterMemory } from './memory.ts';
import { Outlet } from './outlet.ts';
import type { Pace } from './reach.ts';
import { recoveryOf } from './recovery.ts';
import { type AskPort, KeptStatus, type PrinterState } from './status.ts';
import { NODE } from './waiters.ts';
import { WriteFailed } from './write-failed.ts';

const RESET_MS = 2000;
/** Milliseconds before the device is closed, for printers that lose data on close (`delay-close` in the CUPS quirks). */
const CLOSE_DELAY_MS = 750;
/** Milliseconds until a write to a closed device has failed. */
const TOLD_MS = 200;

export interface PrinterParts {
  readonly device: UsbDevice;
  readonly interface: number;
  readonly out: UsbPipe;
  readonly in: UsbPipe | undefined;
  readonly recipe: Resolution;
  readonly options: EscposOptions;
  readonly pace: () => Pace;
  readonly languages: readonly string[];
  readonly memory: PrinterMemory;
  /** The endpoint it is bound to, where the variant has several printers. */
  readonly endpoint?: string | undefined;
  /** GET_PORT_STATUS; undefined where the interface is not of the printer class. */
  readonly askPort: AskPort | undefined;
  /** Called when the state has changed. */
  readonly onChange: () => void;
  /** Called when the printer is released: it was unplugged or the node stops. */
  readonly onRelease: () => void;
}

/** One bound printer; the kernel keeps it for its endpoint. */
export class Printer implements Bound {
  readonly recipe: Resolution;
  readonly options: EscposOptions;
  readonly languages: readonly string[];
  readonly #device: UsbDevice;
  readonly #interface: number;
  readonly #outlet: Outlet;
  readonly #back: BackChannel | undefined;
  readonly #memory: PrinterMemory;
  readonly #endpoint: string | undefined;
  readonly #status: KeptStatus;
  readonly #onRelease: () => void;
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
    memory,
    endpoint,
    askPort,
    onChange,
    onRelease,
  }: PrinterParts) {
    this.recipe = recipe;
    this.options = options;
    this.languages = languages;
    this.#device = device;
    this.#interface = number;
    const recovery = recoveryOf(options, () => this.reset());
    this.#outlet = new Outlet(device, out, pace, recovery, memory.macros);
    this.#memory = memory;
    this.#endpoint = endpoint;
    this.#outlet.breakOff(memory.expectedBytes(device.identity, endpoint));
    this.#outlet.mode.setup = memory.mayBeInSetup(device.identity, endpoint);
    this.#onRelease = onRelease;
    if (back !== undefined) this.#back = new BackChannel(device, back, (reply) => this.#pass(reply));
    if (back === undefined || options.backgroundStatusNoise) this.#outlet.answers.mute();
    this.#status = new KeptStatus({ options, outlet: this.#outlet, back: this.#back, askPort, onChange });
    this.#back?.start();
  }

  get state(): PrinterState {
    return this.#status.state;
  }

  silentSince(): number | undefined {
    return this.#status.silentSince;
  }

  silentReason(): string | undefined {
    return this.#status.silentReason;
  }

  /** The holder of the printer, and for how long; undefined while nobody prints. */
  get heldBy(): Outlet['heldBy'] {
    return this.#outlet.heldBy;
  }

  /** `from`: address of the client. */
  job(kind: JobKind, from: string): Job {
    return new Job(this.#outlet, kind, from);
  }

  /** Sends a drawer pulse between two commands of whoever prints. Rejects with WriteFailed: `busy` after `waitMs`. */
  kick(pulse: Uint8Array, waitMs: number, begin?: Begin): Promise<void> {
    return this.#outlet.kick(pulse, waitMs, begin);
  }

  /** The job of one connection to port 9100. `protectSettings`: commands that change the printer for good are dropped. */
  filteredJob(client: Client, from: string, protectSettings: boolean): Job {
    const { realtimePulseDisable, pulseOnBel } = this.options;
    return new Job(this.#outlet, 'port9100', from, {
      options: { realtimePulseDisable, pulseOnBel, protectSettings },
      client,
    });
  }

  /** Sends the recovery bytes, if the printer accepts them now; else they go out before the first job. */
  async settle(): Promise<void> {
    try {
      const job = this.job('recovery', NODE);
      await job.begin();
      await job.write(new Uint8Array());
      await job.end();
      await this.#memory.setExpectedBytes(this.#device.identity, 0, this.#endpoint);
    } catch (error) {
      if (!(error instanceof WriteFailed)) throw error;
    }
  }

  /** Reads DLE EOT 1 to 4, now or at the end of the current command. Resolves to true where the state has changed. */
  async refresh(): Promise<boolean> {
    const { holder, pieces } = this.#outlet;
    if (pieces.abandoned && holder === undefined) await this.settle();
    return this.#status.refresh();
  }

  /** Makes a fresh reading for an answer to a client, unless a command is being written: then the last one is used. */
  async readForClient(): Promise<void> {
    if (this.#outlet.free) await this.refresh();
  }

  /** The answer to DLE EOT `n` (1 to 4) in the last reading; undefined where the printer gave none. */
  statusReply(n: number): number | undefined {
    return this.#status.reply(n);
  }

  /** A request for an end-of-print echo and what waits for it; undefined where this printer has none. */
  endOfPrint(): { readonly request: Uint8Array; readonly echo: Echo } | undefined {
    const back = this.#back;
    if (!this.options.endOfPrint || back === undefined) return undefined;
    this.#processes = (this.#processes + 1) % 10_000;
    const id = String(this.#processes).padStart(4, '0');
    return { request: endOfPrintRequest(id), echo: back.listen(id) };
  }

  /** SOFT_RESET (USB printer class 1.1, 4.2.3), where the recipe says that this printer supports it. */
  async reset(): Promise<void> {
    if (!this.options.softReset) return;
    const setup = { requestType: 0x21, request: 2, value: 0, index: this.#interface };
    await this.#device.controlOut(setup, new Uint8Array(0), { timeoutMs: RESET_MS });
  }

  /** Resolves when the current job has finished, or after `timeoutMs`. */
  async drained(timeoutMs: number): Promise<void> {
    await this.#outlet.drained(timeoutMs);
    if (this.options.delayClose) await delay(CLOSE_DELAY_MS);
  }

  async release(): Promise<void> {
    this.#onRelease();
    this.#outlet.close();
    await this.#back?.stop();
    await this.#device.close();
    // The current write has failed by now, so the bytes that the printer still expects are known.
    await this.#outlet.drained(TOLD_MS);
    this.#outlet.endPieces();
    const { missing, mode, start } = this.#outlet;
    const inSetup = mode.setup || start.leavesSetup || !start.isOver;
    await this.#memory.setExpectedBytes(this.#device.identity, missing, this.#endpoint, inSetup);
  }

  /** Passes what the printer says to the job that has the turn, if that asked: others may have closed their socket. */
  #pass({ type, bytes }: BackChannelItem): void {
    if (this.options.backgroundStatusNoise) return;
    const { answers, holder } = this.#outlet;
    const isForHolder = type === 'asb' || type === 'status' || answers.take(type);
    if (isForHolder && holder?.hears?.(type) === true) holder.onReply?.(bytes);
  }
}
