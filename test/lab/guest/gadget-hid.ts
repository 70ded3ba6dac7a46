/** A USB HID device made by the kernel (Documentation/usb/gadget_hid.rst): /dev/hidgN is its end of the interrupt pipe. */
import { constants, readFileSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { assemble, type GadgetIdentity, until } from './gadget.ts';
import { hostHas } from './kernel.ts';

export interface HidDescription extends GadgetIdentity {
  /** Whether it is of the HID boot interface: a keyboard (HID 1.11, 4.2 and 4.3). */
  readonly bootKeyboard: boolean;
  readonly reportDescriptor: Uint8Array;
  /** Bytes of the longest report. */
  readonly reportBytes: number;
}

export class GadgetHid {
  readonly description: HidDescription;
  readonly #node: string;
  readonly #root: string;
  #file: FileHandle | undefined;

  static async create(description: HidDescription): Promise<GadgetHid> {
    const boot = description.bootKeyboard ? '1' : '0';
    const { root, functionPath } = await assemble(description, 'hid', {
      subclass: boot,
      protocol: boot,
      report_length: String(description.reportBytes),
      report_desc: description.reportDescriptor,
      no_out_endpoint: '1',
    });
    const [, minor = ''] = readFileSync(join(functionPath, 'dev'), 'utf8').trim().split(':');
    return new GadgetHid(description, root, `/dev/hidg${minor}`);
  }

  private constructor(description: HidDescription, root: string, node: string) {
    this.description = description;
    this.#root = root;
    this.#node = node;
  }

  /** Returns once the host has configured it. */
  async plug(): Promise<void> {
    await this.connect();
    await until(async () => hostHas(this.description, 'configured') || undefined, `${this.#node} to be configured`);
  }

  /** The cable alone, whatever the host makes of it. */
  async connect(): Promise<void> {
    await writeFile(join(this.#root, 'UDC'), `dummy_udc.${this.description.port}`);
    this.#file = await open(this.#node, constants.O_RDWR | constants.O_NONBLOCK);
  }

  async disconnect(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
    await writeFile(join(this.#root, 'UDC'), '\n').catch(() => {});
  }

  /** Returns once the host has noticed: the gadget's own idea of its state outlives the cable. */
  async unplug(): Promise<void> {
    await this.disconnect();
    await until(async () => !hostHas(this.description, 'seen') || undefined, `${this.#node} to be gone`);
  }

  /** Sends each report once the host has fetched the one before. */
  async report(...reports: readonly Uint8Array[]): Promise<void> {
    for (const each of reports) {
      await until(async () => ((await this.offer(each)) ? true : undefined), 'the host to fetch a report');
    }
  }

  /** Whether there was room for it: a device without a host, or whose last report nobody fetched, has none. */
  async offer(report: Uint8Array): Promise<boolean> {
    try {
      await this.#file?.write(report);
      return this.#file !== undefined;
    } catch {
      return false;
    }
  }
}

const REPORT_MS = 100;

/** The program of a scale that says ten times a second what lies on it. */
export class GadgetScale {
  readonly gadget: GadgetHid;
  /** The report it repeats. */
  current: Uint8Array;
  #running: Promise<void> | undefined;
  #stop = new AbortController();

  constructor(gadget: GadgetHid, current: Uint8Array) {
    this.gadget = gadget;
    this.current = current;
  }

  async plug(): Promise<void> {
    await this.gadget.plug();
    this.#stop = new AbortController();
    this.#running = this.#run(this.#stop.signal);
  }

  async unplug(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.gadget.unplug();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.gadget.offer(this.current);
      await delay(REPORT_MS, undefined, { signal }).catch(() => {});
    }
  }
}
