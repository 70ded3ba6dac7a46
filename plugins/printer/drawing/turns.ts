/** The order in which the drawing thread draws pieces of the jobs of several clients. */
import type { DrawingStage } from './job.ts';

/**
 * Jobs begun at once, by what they are at. Of lines a job keeps in the thread what was laid out of it, at most 256 KiB and what
 * was drawn of its text; a paper of symbols takes some 10 MiB, and a document as large; a picture 16 million shades, of a JPEG
 * three times as much. The thread has 96 MiB, in which shades and documents do not count.
 */
const OPEN: Readonly<Record<DrawingStage, number>> = { lines: 8, paper: 2, picture: 1 };

/**
 * Jobs of addresses that take turns: the next piece is one of another address, and each address has one job begun, its oldest.
 * So an address keeps its order, and the time of the thread is parted among those that want some.
 */
export class DrawingTurns<J extends { readonly from: string; readonly stage: DrawingStage; readonly isOpen: boolean }> {
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
    const open = firsts.filter(({ isOpen }) => isOpen);
    const next = firsts.find((each) => each.isOpen || hasRoom(each, open));
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

const hasRoom = (
  { stage }: { readonly stage: DrawingStage },
  open: readonly { readonly stage: DrawingStage }[],
): boolean => open.filter((each) => each.stage === stage).length < OPEN[stage];
