import type { StorageBinding } from '../storage.ts';

const NAME = /^[a-z0-9.-]{1,64}$/;
const CAPACITY = 16 * 1024 * 1024;

/** Storage in memory, 16 MiB: pass it to a second node to simulate a restart with the same disk. */
export class VirtualStorage implements StorageBinding {
  /** Another one is as if the power had been cut, but nothing is lost. */
  machineRun: string | undefined = 'virtual';
  readonly #blobs = new Map<string, Uint8Array>();
  /** What blobs that grow have place in. */
  readonly #rooms = new Map<string, Uint8Array>();
  /** Returns the error with which an operation is to fail; undefined lets it succeed. */
  failure: ((operation: 'read' | 'write' | 'remove', name: string) => Error | undefined) | undefined;

  async read(name: string): Promise<Uint8Array | undefined> {
    this.#check('read', name);
    return this.#blobs.get(name)?.slice();
  }

  async write(name: string, content: Uint8Array): Promise<void> {
    this.writeNow(name, content);
  }

  async append(name: string, content: Uint8Array): Promise<void> {
    this.#check('write', name);
    const held = this.#blobs.get(name) ?? new Uint8Array(0);
    this.#takeRoom(name, held.length + content.length);
    const known = this.#rooms.get(name);
    const length = held.length + content.length;
    // A blob that grows is not copied for each line of it.
    const room = known?.buffer === held.buffer && known.length >= length ? known : new Uint8Array(2 * length);
    if (room !== known) room.set(held);
    room.set(content, held.length);
    this.#rooms.set(name, room);
    this.#blobs.set(name, room.subarray(0, length));
  }

  note(name: string, content: Uint8Array): Promise<void> {
    return this.append(name, content);
  }

  writeNow(name: string, content: Uint8Array): void {
    this.#check('write', name);
    this.#takeRoom(name, content.length);
    this.#blobs.set(name, content.slice());
  }

  /** Throws where the disk has not so much for this name. */
  #takeRoom(name: string, bytes: number): void {
    let used = bytes;
    for (const [other, blob] of this.#blobs) used += other === name ? 0 : blob.length;
    if (used > CAPACITY) throw Object.assign(new Error('no space left on the virtual disk'), { code: 'ENOSPC' });
  }

  async remove(name: string): Promise<void> {
    this.#check('remove', name);
    this.#blobs.delete(name);
  }

  #check(operation: 'read' | 'write' | 'remove', name: string): void {
    if (!NAME.test(name)) throw new TypeError(`not a storage name: ${JSON.stringify(name)}`);
    const error = this.failure?.(operation, name);
    if (error) throw error;
  }
}
