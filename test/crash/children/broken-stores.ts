/** Stores that lose data, each in one known way: a harness that finds nothing wrong with them proves nothing. */
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { StorageBinding } from '../../../runtime/bindings/storage.ts';

/** A store of sections of any name. */
export interface Store {
  read(section: string): unknown;
  update(mutate: (draft: Record<string, unknown>) => void): Promise<void>;
}

/** One file, no generations, written in place. */
export class InPlaceStore implements Store {
  readonly #path: string;
  #sections: Record<string, unknown> = {};

  constructor(directory: string) {
    this.#path = join(directory, 'settings.json');
  }

  async load(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch(() => '{}');
    this.#sections = JSON.parse(text) as Record<string, unknown>;
  }

  read(section: string): unknown {
    return this.#sections[section];
  }

  async update(mutate: (draft: Record<string, unknown>) => void): Promise<void> {
    const next = structuredClone(this.#sections);
    mutate(next);
    const file = await open(this.#path, 'w');
    await file.writeFile(JSON.stringify(next));
    await file.sync();
    await file.close();
    this.#sections = next;
  }
}

/** Takes the first write for the whole of it, as several packages for "atomic" writes do. */
export class TrustingStorage implements StorageBinding {
  readonly machineRun = undefined;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    return await readFile(join(this.#directory, name)).catch(() => undefined);
  }

  async write(name: string, content: Uint8Array): Promise<void> {
    const path = join(this.#directory, name);
    const file = await open(`${path}.new`, 'w');
    await file.write(content);
    await file.sync().catch(() => {});
    await file.close();
    await rename(`${path}.new`, path);
  }

  async remove(): Promise<void> {}

  async append(): Promise<void> {}

  async note(): Promise<void> {}

  writeNow(): void {}
}
