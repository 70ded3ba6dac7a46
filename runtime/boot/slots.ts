/** The boot slots as folders; their content is compared with the manifest before it is run. */
import type { Hash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { makeDirectory, replaceFileNow } from '../base/durable.ts';
import { messageOf } from '../base/thrown.ts';
import type { BootSlot } from '../bindings/boot.ts';
import { MANIFEST } from '../bindings/boot-messages.ts';
import { MAIN } from '../image/compiled.ts';
import type { BootState } from './state.ts';

const ES_MODULES = '{"type":"module"}\n';

/** The factory image: the one that came with the package. */
export interface Factory {
  readonly version: string;
  /** SHA-256 of its bundle (main.js), which is the same if it was built from the same sources. */
  readonly digest: string;
}

/** The folders of the slots a, b and factory. */
export class Slots {
  readonly #root: string;
  readonly #factory: string;

  /** `root`: the folder of the slots a and b; `factory`: the folder of the image that came with the package. */
  constructor(root: string, factory: string) {
    this.#root = root;
    this.#factory = factory;
  }

  get root(): string {
    return this.#root;
  }

  directory(slot: BootSlot): string {
    return slot === 'factory' ? this.#factory : join(this.#root, slot);
  }

  /**
   * Creates the folders, with a link to the native packages beside the launcher and a package.json that declares ES
   * modules, whatever a package.json further up says. Rejects with the error of the file system.
   */
  async prepare(): Promise<void> {
    for (const slot of ['a', 'b'] as const) await makeDirectory(this.directory(slot));
    const about = join(this.#root, 'package.json');
    if ((await readFile(about, 'utf8').catch(() => undefined)) !== ES_MODULES) {
      replaceFileNow(about, ES_MODULES);
    }
    const packages = nativePackages();
    const link = join(this.#root, 'node_modules');
    if (packages === undefined || (await readlink(link).catch(() => undefined)) === packages) return;
    // A power cut before the rename may have left one, which need not lead to these packages.
    await rm(`${link}.new`, { recursive: true, force: true });
    await symlink(packages, `${link}.new`);
    await rename(`${link}.new`, link);
  }

  /**
   * The file that is started of an image: `main.cjs`, or `main.js` where the image has no other. In a slot only what the manifest
   * lists is of the image.
   */
  async main(slot: BootSlot): Promise<string> {
    const directory = this.directory(slot);
    const has =
      slot === 'factory'
        ? existsSync(join(directory, MAIN))
        : filesIn(await readFile(join(directory, MANIFEST))).some(({ name }) => name === MAIN);
    return join(directory, has ? MAIN : 'main.js');
  }

  /** Version and digest of the factory image; undefined if they cannot be read. */
  async factory(): Promise<Factory | undefined> {
    try {
      const { version } = JSON.parse(await readFile(join(this.#factory, 'image.json'), 'utf8')) as Partial<Factory>;
      return typeof version === 'string'
        ? { version, digest: await digestOf(join(this.#factory, 'main.js')) }
        : undefined;
    } catch {
      return undefined;
    }
  }

  /** Why the slot cannot be run, as text; undefined if it can. Reads every byte of it. */
  async fault(slot: BootSlot, { slots }: BootState): Promise<string | undefined> {
    if (slot === 'factory') return undefined;
    const image = slots[slot];
    if (image === undefined) return 'nothing is installed';
    try {
      const manifest = await readFile(join(this.directory(slot), MANIFEST));
      if ((await sha256()).update(manifest).digest('hex') !== image.manifest) return 'the manifest was changed';
      for (const { name, sha256 } of filesIn(manifest)) {
        if ((await digestOf(join(this.directory(slot), name))) !== sha256) return `${name} was changed`;
      }
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}

const filesIn = (manifest: Buffer) =>
  (JSON.parse(manifest.toString()) as { files: { name: string; sha256: string }[] }).files;

/** Loaded only for an installed image, as it would make the start of the factory image slower. */
const sha256 = async (): Promise<Hash> => (await import('node:crypto')).createHash('sha256');

async function digestOf(path: string): Promise<string> {
  const hash = await sha256();
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The node_modules folder that this launcher's own packages are in. */
function nativePackages(): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve('usb/package.json')));
  } catch {
    return undefined;
  }
}
