/**
 * A USB printer made by the kernel itself: configfs builds the device (Documentation/usb/gadget_configfs.rst), the
 * dummy controller is both ends of its cable, and /dev/g_printerN is the printer's end of its pipes
 * (Documentation/usb/gadget_printer.rst).
 */
import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const GADGETS = '/sys/kernel/config/usb_gadget';
const POLL_MS = 20;
const PATIENCE_MS = 15_000;
/** What the printer's program takes ahead of being asked. */
const FIFO_BYTES = 65_536;
/**
 * Buffers of 8 KiB that the kernel's end fills by itself, whether or not the program takes them. An odd number, so
 * that a printer that is full has half of a 16 KiB transfer.
 */
const KERNEL_BUFFERS = 3;
/** GADGET_SET_PRINTER_STATUS (linux/usb/g_printer.h): _IOWR('g', 0x22, unsigned char), the value in place of a pointer. */
const SET_PRINTER_STATUS = 0xc0016722;

export interface GadgetIdentity {
  /** Number of the virtual port it is plugged into. */
  readonly port: number;
  readonly vendorId: string;
  readonly productId: string;
  readonly make: string;
  readonly model: string;
  readonly serial: string;
}

export interface GadgetDescription extends GadgetIdentity {
  /** IEEE 1284 device id. */
  readonly deviceId: string;
  /** How often its program looks for bytes, in ms; a printer whose paper must not lag behind looks more often than most. */
  readonly lookMs?: number;
}

/** A device put together of one function, and not plugged in. */
export interface Assembly {
  /** Folder of the gadget; its `UDC` is the plug. */
  readonly root: string;
  readonly functionPath: string;
}

let assembled = 0;

export async function assemble(
  identity: GadgetIdentity,
  kind: 'printer' | 'hid' | 'acm' | 'ffs',
  /** Attributes of the function; or what makes it ready to be put into the device. */
  attributes: Readonly<Record<string, string | Uint8Array>> | ((functionPath: string) => Promise<void>),
): Promise<Assembly> {
  const root = join(GADGETS, `lab${assembled}`);
  const functionPath = join(root, 'functions', `${kind}.lab${assembled}`);
  assembled += 1;
  await mkdir(root);
  await mkdir(join(root, 'strings/0x409'));
  await mkdir(functionPath);
  await mkdir(join(root, 'configs/c.1'));
  const set = (name: string, value: string) => writeFile(join(root, name), value);
  await set('idVendor', `0x${identity.vendorId}`);
  await set('idProduct', `0x${identity.productId}`);
  await set('bcdUSB', '0x0200');
  await set('strings/0x409/manufacturer', identity.make);
  await set('strings/0x409/product', identity.model);
  await set('strings/0x409/serialnumber', identity.serial);
  if (typeof attributes === 'function') await attributes(functionPath);
  else for (const [name, value] of Object.entries(attributes)) await writeFile(join(functionPath, name), value);
  await symlink(functionPath, join(root, 'configs/c.1', kind));
  return { root, functionPath };
}

export class GadgetPrinter {
  readonly description: GadgetDescription;
  /** The printer's own program, where it has one: given what arrives, which is not to be taken then. */
  onBytes: ((bytes: Buffer) => void) | undefined;
  /** Called when it is powered up: what it was told before is forgotten. */
  onPower: (() => void) | undefined;
  /** Whether it takes bytes; one that does not is a printer without paper. */
  taking = true;
  static #made = 0;
  /** Path of the printer's end; the kernel numbers them in the order they are made. */
  readonly #node: string;
  readonly #root: string;
  #file: FileHandle | undefined;
  #pump: Promise<void> | undefined;
  #answers: Promise<void> = Promise.resolve();
  #fifo: Buffer[] = [];
  #idle = false;
  /** How often in a row its program found nothing. */
  #empties = 0;

  static async create(description: GadgetDescription): Promise<GadgetPrinter> {
    const { root } = await assemble(description, 'printer', {
      q_len: String(KERNEL_BUFFERS),
      // The kernel forgets the two length bytes when it counts what to send: two characters are lost at the end.
      pnp_string: `${description.deviceId}\n\n`,
    });
    const node = `/dev/g_printer${GadgetPrinter.#made}`;
    GadgetPrinter.#made += 1;
    return new GadgetPrinter(description, root, node);
  }

  private constructor(description: GadgetDescription, root: string, node: string) {
    this.description = description;
    this.#root = root;
    this.#node = node;
  }

  /** Returns once the host has configured it and it takes bytes. */
  async plug(): Promise<void> {
    await this.connect();
    await until(async () => this.#idle || undefined, 'the host to configure the printer');
  }

  /** The cable alone, whatever the host makes of it. */
  async connect(): Promise<void> {
    await writeFile(join(this.#root, 'UDC'), `dummy_udc.${this.description.port}`);
    const flags = constants.O_RDWR | constants.O_NONBLOCK;
    this.#file = await until(() => open(this.#node, flags).catch(() => undefined), this.#node);
    this.#fifo = [];
    this.#idle = false;
    this.taking = true;
    this.onPower?.();
    this.#pump = this.#run(this.#file);
  }

  async unplug(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await this.#pump;
    await file?.close();
    await writeFile(join(this.#root, 'UDC'), '\n').catch(() => {});
  }

  /**
   * What it answers to GET_PORT_STATUS. Node.js has no ioctl(2), and the printer's end is opened by one at a time. As one
   * of the three standard files it would be made to block, here too, and its reads would keep answers from leaving.
   */
  setPortStatus(status: number): void {
    const program = 'open(PRINTER, "+<&=3") && defined ioctl(PRINTER, $ARGV[0] + 0, $ARGV[1] + 0) or die $!';
    const stdio = ['ignore', 'ignore', 'pipe', this.#file?.fd ?? 'ignore'] as const;
    const args = ['-e', program, String(SET_PRINTER_STATUS), String(status)];
    const { stderr } = spawnSync('perl', args, { stdio: [...stdio], encoding: 'utf8' });
    if (stderr !== '') throw new Error(stderr);
  }

  /** Sets the serial number that it has from its next plug on; '' is none. Only while it is unplugged. */
  async setSerial(serial: string): Promise<void> {
    // Nothing would be written of an empty text; configfs takes the newline off.
    await writeFile(join(this.#root, 'strings/0x409/serialnumber'), `${serial}\n`);
  }

  get plugged(): boolean {
    return this.#file !== undefined;
  }

  async take(count: number): Promise<Uint8Array> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      const next = await until(async () => this.#fifo.shift(), `${missing} more bytes of ${count}`);
      const part = next.subarray(0, missing);
      if (part.length < next.length) this.#fifo.unshift(next.subarray(part.length));
      missing -= part.length;
      parts.push(part);
    }
    return Uint8Array.from(Buffer.concat(parts));
  }

  /** Everything that has arrived: the kernel's end is empty, too. */
  async takeAll(): Promise<Uint8Array> {
    const parts: Buffer[] = [];
    this.#empties = 0;
    await until(async () => {
      parts.push(...this.#fifo.splice(0));
      // The first may have been found by a look of before.
      return this.#empties > 1 || undefined;
    }, 'the last bytes');
    return Uint8Array.from(Buffer.concat([...parts, ...this.#fifo.splice(0)]));
  }

  /** Resolves once the kernel's end has it; messages leave in order, and those of an unplugged printer do not. */
  answer(message: Uint8Array): Promise<void> {
    const file = this.#file;
    this.#answers = this.#answers.then(async () => {
      await until(
        async () => (file && this.#file === file ? file.write(message).catch(onlyIfBusy) : true),
        `an answer of ${message.length} bytes to leave`,
      );
    });
    return this.#answers;
  }

  /** The printer's program: takes what comes, as long as it has room. */
  async #run(file: FileHandle): Promise<void> {
    const buffer = Buffer.alloc(16_384);
    while (this.#file === file) {
      const room = FIFO_BYTES - this.#fifo.reduce((sum, part) => sum + part.length, 0);
      if (room < buffer.length || !this.taking) {
        await delay(POLL_MS);
        continue;
      }
      try {
        const { bytesRead } = await file.read(buffer, 0, buffer.length);
        const bytes = Buffer.from(buffer.subarray(0, bytesRead));
        this.#idle = false;
        this.#empties = 0;
        if (this.onBytes) this.onBytes(bytes);
        else this.#fifo.push(bytes);
      } catch (error) {
        // EAGAIN: configured, and nothing there. Anything else: the host has not configured it yet.
        this.#idle = (error as NodeJS.ErrnoException).code === 'EAGAIN';
        this.#empties = this.#idle ? this.#empties + 1 : 0;
        await delay(this.description.lookMs ?? POLL_MS);
      }
    }
  }
}

/** EAGAIN is a wait; a printer that was unplugged meanwhile has nobody to tell. */
const onlyIfBusy = (error: NodeJS.ErrnoException): true | undefined => (error.code === 'EAGAIN' ? undefined : true);

/** Waits for a value that nothing announces. */
export async function until<T>(
  look: () => Promise<T | undefined>,
  what: string,
  patienceMs = PATIENCE_MS,
  pollMs = POLL_MS,
): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    if (performance.now() > giveUpAt) throw new Error(`waited in vain for ${what}`);
    await delay(pollMs);
  }
}
