/**
 * The rooms of a running node: which of them runs, and what they threw. A room that throws is named, and what it was doing is
 * skipped; one that cannot start is off, unless others require it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { inTime } from '../base/in-time.ts';
import { messageOf, stackOf } from '../base/thrown.ts';
import type { Bound } from './device.ts';
import { OptionError } from './errors.ts';
import type { Logger } from './log.ts';

/** Faults that are kept; of more, the one that was seen longest ago goes. */
const FAULTS = 16;
const WORDS = 200;
/** Longest time that a room may take to let a device go, for which all others wait. */
const LET_GO_MS = 5000;

/** Something that a room threw, and did not mean as a refusal. */
export interface RoomFault {
  readonly room: string;
  /** What it was doing: `room`, `start`, a hook, `METHOD /path`; `by itself`: in a timer, or where nobody waited for it. */
  readonly where: string;
  /** Message of the error, 200 characters at most. */
  readonly error: string;
  /** How often. */
  readonly times: number;
  /** When it was seen last (monotonic ms). */
  readonly at: number;
}

/** What is looked at of a plugin's declaration. */
interface Declared {
  readonly name: string;
  readonly requires?: readonly string[];
  readonly endpoints?: readonly { readonly kind: string }[];
}

/** The room whose work runs, of rooms that are followed. One for all nodes of a process: each makes every promise and timer dearer. */
const running = new AsyncLocalStorage<{ readonly rooms: Rooms; readonly room: string }>();

/** The rooms of one node. */
export class Rooms {
  readonly #log: Logger;
  readonly #required: ReadonlySet<string>;
  readonly #drivers: ReadonlySet<string>;
  /** By kind of device. */
  readonly #drives: ReadonlyMap<string, string>;
  readonly #off = new Set<string>();
  /** The one that was seen last is the last. */
  readonly #faults = new Map<string, RoomFault>();
  readonly #told = new WeakSet<object>();
  readonly #follows: boolean;
  /** The room whose work runs now, of rooms that are not followed. */
  #now: string | undefined;

  /**
   * `follows`: a room is known also in what it does later, in timers and behind promises. In Node 20 that costs a print an eighth
   * of its time.
   */
  constructor(plugins: readonly Declared[], log: Logger, follows = true) {
    this.#log = log;
    this.#follows = follows;
    this.#required = new Set(plugins.flatMap(({ requires = [] }) => requires));
    this.#drives = new Map(plugins.flatMap(({ name, endpoints = [] }) => endpoints.map(({ kind }) => [kind, name])));
    this.#drivers = new Set(plugins.flatMap(({ name, endpoints = [] }) => (endpoints.length > 0 ? [name] : [])));
  }

  /** Runs work of a room: what comes of it is known as the room's. Gives or throws what `work` does. */
  run<T>(room: string, work: () => T): T {
    if (this.running === room) return work();
    if (this.#follows) return running.run({ rooms: this, room }, work);
    const before = this.#now;
    this.#now = room;
    try {
      return work();
    } finally {
      this.#now = before;
    }
  }

  /** The room whose work runs; undefined for the node's own. */
  get running(): string | undefined {
    if (!this.#follows) return this.#now;
    const store = running.getStore();
    return store?.rooms === this ? store.room : undefined;
  }

  /** What rooms threw, newest first. */
  get faults(): readonly RoomFault[] {
    return [...this.#faults.values()].reverse();
  }

  /** Rooms that could not start, and do nothing. */
  get off(): readonly string[] {
    return [...this.#off];
  }

  /** Whether this room could not start. */
  isOff(room: string): boolean {
    return this.#off.has(room);
  }

  /** A room threw: that is counted, shown and, the 1st, 2nd, 4th, 8th … time, logged. Gives whether this was such a time. */
  threw(room: string, where: string, thrown: unknown): boolean {
    if (typeof thrown === 'object' && thrown !== null) this.#told.add(thrown);
    const error = messageOf(thrown).slice(0, WORDS);
    const key = `${room}\n${where}\n${error}`;
    const times = 1 + (this.#faults.get(key)?.times ?? 0);
    this.#faults.delete(key);
    this.#faults.set(key, { room, where, error, times, at: performance.now() });
    const [oldest] = this.#faults.keys();
    if (this.#faults.size > FAULTS && oldest !== undefined) this.#faults.delete(oldest);
    const isSeldom = (times & (times - 1)) === 0;
    if (isSeldom)
      this.#log.error({ plugin: room, where, times, error: stackOf(thrown) }, 'plugin failed and was skipped');
    return isSeldom;
  }

  /** Has the room of this kind let a device go; resolves at the latest after 5 s, also where that fails, which is its fault. */
  async letGo(kind: string, by: Pick<Bound, 'release'>): Promise<void> {
    const room = this.#drives.get(kind) ?? kind;
    try {
      await this.run(room, () => inTime(by.release(), LET_GO_MS));
    } catch (thrown) {
      this.threw(room, `release ${kind}`, thrown);
    }
  }

  /** Whether this error is known as the fault of a room, so that nobody needs to log it once more. */
  knows(thrown: unknown): boolean {
    return typeof thrown === 'object' && thrown !== null && this.#told.has(thrown);
  }

  /**
   * A room threw before it could work: it is off. Throws where the node cannot do without: others require it, or nobody could
   * start it with these options.
   */
  cannotStart(room: string, where: string, thrown: unknown): void {
    if (thrown instanceof OptionError) throw thrown;
    this.threw(room, where, thrown);
    if (this.#required.has(room))
      throw new Error(`plugin ${room}, which others require, cannot start: ${messageOf(thrown)}`, { cause: thrown });
    this.#off.add(room);
  }

  /** Whether the node can do without this room while it runs: it drives devices, and no other room requires it. */
  isSpared(room: string): boolean {
    return this.#drivers.has(room) && !this.#required.has(room);
  }
}
