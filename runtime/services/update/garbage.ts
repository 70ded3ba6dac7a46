/** Chunks that were written are garbage outside the heap, of which the collector sees little until much has gathered. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collected when so much has passed. */
const PASSED_BYTES = 4 * 1024 * 1024;

type Collect = (options: { readonly type: 'minor' }) => void;
let collect: Collect | undefined;

/** Keeps the memory of a long stream constant: call it with the size of each chunk that is done with. */
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

/** V8 hands its collector to contexts that are made while the flag is set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}
