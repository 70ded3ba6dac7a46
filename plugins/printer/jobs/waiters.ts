/** The queue of a printer: the jobs that wait for it, and which is next. */
import type { BackChannelItem } from '../../../codecs/escpos-status.ts';
import type { Pause } from './between.ts';
import type { WriteFailed } from './write-failed.ts';

/** Where a job comes from: a client of the API, by a command, or of port 9100, by a connection. */
export interface Source {
  readonly by: 'api' | 'port9100';
  /** Address of the client; `NODE` for what the node prints by itself. */
  readonly from: string;
}

/** A job, as the outlet sees it. The holder is the job that has the turn. */
export interface Holder {
  readonly source: Source;
  /** False while it is, or may be, in the middle of a command. */
  readonly atBoundary: boolean;
  /** Ends what may still expect bytes, so that a drawer pulse may come next; undefined where it may not. */
  readonly pause?: (() => Pause | undefined) | undefined;
  /** Told when somebody begins to wait for its turn or for its next boundary, and when nobody does any more. */
  readonly waited?: ((somebody: boolean) => void) | undefined;
  /** The printer took nothing for a whole deadline: true where the job goes on waiting for it, all the same. */
  readonly persists?: (() => boolean) | undefined;
  /** Whether it asked for what is of this type. */
  readonly hears?: ((type: BackChannelItem['type']) => boolean) | undefined;
  /** Gets the bytes from the printer that are not answers to requests of the node. */
  readonly onReply?: ((bytes: Uint8Array) => void) | undefined;
}

/** One that waits for its turn. */
export interface Waiter {
  readonly source: Source;
  readonly holder: Holder;
  readonly give: () => void;
  readonly refuse: (error: WriteFailed) => void;
  /** After which it waits no longer. */
  readonly timer: NodeJS.Timeout | undefined;
}

/** The address of what the node sends by itself. */
export const NODE = 'node';

/**
 * A queue in which nobody can stand before others by standing there often: the API and port 9100 take turns, and so do the
 * addresses within each. Jobs of one address keep their order. How many may wait is decided where they come in: by the kernel
 * for commands, by raw/port9100.ts for connections.
 */
export class Waiters<W extends Pick<Waiter, 'source'>> {
  /** By address; the address that is served next stands first. */
  readonly #lanes: Readonly<Record<Source['by'], Map<string, W[]>>> = { api: new Map(), port9100: new Map() };
  readonly #counts: Record<Source['by'], number> = { api: 0, port9100: 0 };
  /** The way of the job that had the last turn, and the address of the last one of each way. */
  #last: Source['by'] = 'port9100';
  readonly #lastOf: Partial<Record<Source['by'], string>> = {};

  get size(): number {
    return this.#counts.api + this.#counts.port9100;
  }

  add(waiter: W): void {
    const { by, from } = waiter.source;
    const own = this.#lanes[by].get(from);
    if (own === undefined) this.#lanes[by].set(from, [waiter]);
    else own.push(waiter);
    this.#counts[by] += 1;
  }

  /** Takes out one that waits no longer. */
  remove(waiter: W): void {
    const { by, from } = waiter.source;
    const own = this.#lanes[by].get(from);
    const at = own?.indexOf(waiter) ?? -1;
    if (own === undefined || at < 0) return;
    own.splice(at, 1);
    if (own.length === 0) this.#lanes[by].delete(from);
    this.#counts[by] -= 1;
  }

  /** To call when a job gets its turn, also one that did not have to wait. */
  served({ by, from }: Source): void {
    this.#last = by;
    this.#lastOf[by] = from;
  }

  /** Takes out the next one; undefined where nobody waits. */
  next(): W | undefined {
    const other = this.#last === 'api' ? 'port9100' : 'api';
    const by = this.#counts[other] > 0 ? other : this.#last;
    const lane = this.#lanes[by];
    const [first, second] = lane;
    const [from, own] = (first?.[0] === this.#lastOf[by] ? second : undefined) ?? first ?? [];
    if (from === undefined || own === undefined) return undefined;
    const waiter = own.shift();
    lane.delete(from);
    if (own.length > 0) lane.set(from, own);
    this.#counts[by] -= 1;
    return waiter;
  }

  /** Takes out all. */
  clear(): W[] {
    const all: W[] = [];
    for (let waiter = this.next(); waiter !== undefined; waiter = this.next()) all.push(waiter);
    return all;
  }
}
