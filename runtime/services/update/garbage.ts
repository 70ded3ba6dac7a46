/** Frees the memory of chunks, which is outside the heap, so that V8 collects it late. */
import { type Collect, collector } from '../../base/garbage.ts';

/** Number of bytes after which garbage is collected. */
const PASSED_BYTES = 4 * 1024 * 1024;

let collect: Collect | undefined;

/** Keeps the memory of a long stream constant: call `add` with the size of each chunk that is no longer used. */
export class Garbage {
  #bytes = 0;

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < PASSED_BYTES) return;
    this.#bytes = 0;
    collect ??= collector();
    collect({ type: 'minor' });
  }
}
