/** A modem made by the kernel (Documentation/usb/gadget_serial.rst): /dev/ttyGSN is its end of the line. */
import { execFileSync } from 'node:child_process';
import { constants, openSync, readFileSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReadStream } from 'node:tty';
import { assemble, type GadgetIdentity, until } from './gadget.ts';
import { hostHas } from './kernel.ts';

/** A scanner whose row says that it is one. */
export const SERIAL_SCANNER: GadgetIdentity = {
  port: 3,
  vendorId: '1eab',
  productId: '1306',
  make: 'Newland Auto-ID',
  model: 'HR3260',
  serial: 'NL000001',
};

export class GadgetAcm {
  /** What the host sends, where this is set before it is plugged. */
  onBytes: ((bytes: Uint8Array) => void) | undefined;
  /** Everything that a host has sent since then. */
  heard = '';
  readonly #identity: GadgetIdentity;
  readonly #node: string;
  readonly #root: string;
  #file: FileHandle | undefined;
  #reading: ReadStream | undefined;

  static async create(identity: GadgetIdentity): Promise<GadgetAcm> {
    const { root, functionPath } = await assemble(identity, 'acm', {});
    return new GadgetAcm(identity, root, `/dev/ttyGS${readFileSync(join(functionPath, 'port_num'), 'utf8').trim()}`);
  }

  private constructor(identity: GadgetIdentity, root: string, node: string) {
    this.#identity = identity;
    this.#root = root;
    this.#node = node;
  }

  /** Returns once the host has configured it. */
  async plug(): Promise<void> {
    await writeFile(join(this.#root, 'UDC'), `dummy_udc.${this.#identity.port}`);
    await until(async () => hostHas(this.#identity, 'configured') || undefined, `${this.#node} to be configured`);
    this.#file = await open(this.#node, constants.O_RDWR | constants.O_NOCTTY);
    execFileSync('stty', ['-F', this.#node, 'raw', '-echo']);
    if (this.onBytes !== undefined) this.#listen();
  }

  async write(data: string | Uint8Array): Promise<void> {
    await this.#file?.write(Buffer.from(data as string));
  }

  #listen(): void {
    const { O_RDONLY, O_NOCTTY, O_NONBLOCK } = constants;
    this.#reading = new ReadStream(openSync(this.#node, O_RDONLY | O_NOCTTY | O_NONBLOCK));
    this.#reading.on('error', () => {});
    this.#reading.on('data', (bytes: Buffer) => {
      this.heard += bytes.toString('latin1');
      this.onBytes?.(bytes);
    });
  }

  /** Returns once the host has noticed. */
  async unplug(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#reading?.destroy();
    await file?.close();
    await writeFile(join(this.#root, 'UDC'), '\n').catch(() => {});
    await until(async () => !hostHas(this.#identity, 'seen') || undefined, `${this.#node} to be gone`);
  }
}
