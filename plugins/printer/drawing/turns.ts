/** The order in which the drawing thread draws pieces of the jobs of several clients. */

/**
 * Jobs begun at once. Each keeps in the thread what was laid out of it, at most 256 KiB and what was drawn of its text; the
 * thread has 96 MiB.
 */
const OPEN = 8;

/**
 * Jobs of addresses that take turns: the next piece is one of another address, and each address has one job begun, its oldest.
 * So an address keeps its order, and the time of the thread is parted among those that want some.
 */
export class DrawingTurns<J extends { readonly from: string; readonly isOpen: boolean }> {
  /** By address; the address whose turn it is stands first, or second behind the one that had the last. */
  readonly #lanes = new Map<string, J[]>();
  #last = '';
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(job: J): void {
    const lane = this.#lanes.get(job.from);
    if (lane === undefined) this.#lanes.set(job.from, [job]);
    else lane.push(job);
    this.#size += 1;
  }

  /** The job whose turn it is; it stays until it is removed. Undefined where there is none. */
  next(): J | undefined {
    const last = this.#lanes.get(this.#last);
    if (last !== undefined) {
      this.#lanes.delete(this.#last);
      this.#lanes.set(this.#last, last);
    }
    const firsts = [...this.#lanes.values()].map((lane) => lane[0]!);
    const isFull = firsts.filter(({ isOpen }) => isOpen).length >= OPEN;
    const next = firsts.find(({ isOpen }) => isOpen || !isFull);
    this.#last = next?.from ?? '';
    return next;
  }

  remove(job: J): void {
    const lane = this.#lanes.get(job.from);
    const at = lane?.indexOf(job) ?? -1;
    if (lane === undefined || at < 0) return;
    lane.splice(at, 1);
    if (lane.length === 0) this.#lanes.delete(job.from);
    this.#size -= 1;
  }

  all(): J[] {
    return [...this.#lanes.values()].flat();
  }

  /** Takes out all. */
  clear(): J[] {
    const all = this.all();
    this.#lanes.clear();
    this.#size = 0;
    return all;
  }
}
