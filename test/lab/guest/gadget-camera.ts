/**
 * A USB camera to the eye: a video streaming interface made with FunctionFS (Documentation/usb/functionfs.rst). The
 * kernel's own camera function needs isochronous pipes, which the dummy controller has not; so no capture device comes
 * of this one, and it never sends a picture.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { assemble, type GadgetIdentity, until } from './gadget.ts';
import { hostHas } from './kernel.ts';

const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
const DESCRIPTORS_MAGIC_V2 = 3;
const STRINGS_MAGIC = 2;
const FULL_AND_HIGH_SPEED = 3;
/** Class 0E, subclass 2, with one bulk IN pipe of so many bytes a packet. */
const streaming = (packet: number) =>
  Buffer.from([9, 4, 0, 0, 1, 0x0e, 0x02, 0, 0, 7, 5, 0x81, 2, packet & 0xff, packet >> 8, 0]);

export class GadgetCamera {
  readonly #identity: GadgetIdentity;
  readonly #root: string;
  /** Open for as long as the function is there. */
  readonly #control: FileHandle;

  static async create(identity: GadgetIdentity): Promise<GadgetCamera> {
    let control: FileHandle | undefined;
    const { root } = await assemble(identity, 'ffs', async (functionPath) => {
      const mounted = '/run/lab-camera';
      mkdirSync(mounted);
      execFileSync('mount', ['-t', 'functionfs', basename(functionPath).slice('ffs.'.length), mounted]);
      control = await open(join(mounted, 'ep0'), 'r+');
      const descriptors = Buffer.concat([u32(FULL_AND_HIGH_SPEED, 2, 2), streaming(64), streaming(512)]);
      await control.write(Buffer.concat([u32(DESCRIPTORS_MAGIC_V2, 8 + descriptors.length), descriptors]));
      await control.write(u32(STRINGS_MAGIC, 16, 0, 0));
    });
    return new GadgetCamera(identity, root, control as FileHandle);
  }

  private constructor(identity: GadgetIdentity, root: string, control: FileHandle) {
    this.#identity = identity;
    this.#root = root;
    this.#control = control;
  }

  /** Returns once the host has configured it. */
  async plug(): Promise<void> {
    await writeFile(join(this.#root, 'UDC'), `dummy_udc.${this.#identity.port}`);
    await until(async () => hostHas(this.#identity, 'configured') || undefined, 'the camera to be configured');
  }

  /** Returns once the host has noticed. It cannot be plugged in again. */
  async unplug(): Promise<void> {
    await writeFile(join(this.#root, 'UDC'), '\n').catch(() => {});
    await this.#control.close();
    await until(async () => !hostHas(this.#identity, 'seen') || undefined, 'the camera to be gone');
  }
}
