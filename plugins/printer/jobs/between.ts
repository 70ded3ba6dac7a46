/**
 * What stands between two commands of a job: drawer kicks, and the status request of the node. They wait here for the end of a
 * command; outlet.ts says when that is.
 */
import type { Begin } from '../../../runtime/kernel/command.ts';
import { goneBefore, WriteFailed } from './write-failed.ts';

/** A place between two commands where a drawer pulse may stand. */
export interface Pause {
  /** What goes out before it. */
  readonly before: Uint8Array;
  /** What goes out behind it: what deselects the printer again. */
  readonly after: Uint8Array;
  /** A client has the printer in its setup mode here. */
  readonly setup: boolean;
}

const NOTHING = new Uint8Array(0);
/** The place where nobody has the turn. */
export const FREE_PLACE: Pause = { before: NOTHING, after: NOTHING, setup: false };

/** Sends it now, as a part of the queue of what is being sent. */
type Send = () => Promise<void>;

interface Waiting {
  readonly refuse: (error: WriteFailed) => void;
}

interface WaitingKick extends Waiting {
  /** Sends it, `placed` with what stands around it: now, or when its key is stored. */
  readonly start: (placed: Placed) => void;
}

interface WaitingPoll extends Waiting {
  readonly start: () => void;
}

/** Inserts what stands around a kick, which the function inserts that it is given. */
type Placed = (kick: () => void) => void;

/** A kick that is asked for. */
export interface AskedKick {
  readonly send: Send;
  /** Called when it has its place; it is sent once what that returns has resolved. */
  readonly begin?: Begin | undefined;
}

/** The kicks and the status request of one printer. */
export class Between {
  readonly #told: () => void;
  readonly #kicks: WaitingKick[] = [];
  /** Kicks that have their place, and wait for their keys to be stored. */
  readonly #storing = new Set<Promise<void>>();
  #poll: WaitingPoll | undefined;
  #sent: Promise<void> = Promise.resolve();
  #sending = 0;

  /** `told`: called when something that was sent here has left, or has failed. */
  constructor(told: () => void) {
    this.#told = told;
  }

  /** Resolves when all that has its place here has left: the next write of a job comes after it. */
  async sent(): Promise<void> {
    while (this.isUnderWay) await Promise.all([...this.#storing, this.#sent]);
  }

  get isSending(): boolean {
    return this.#sending > 0;
  }

  /** Something is being sent, or has its place and waits for its key. */
  get isUnderWay(): boolean {
    return this.#sending > 0 || this.#storing.size > 0;
  }

  get kicksWait(): boolean {
    return this.#kicks.length > 0;
  }

  get pollWaits(): boolean {
    return this.#poll !== undefined;
  }

  /** Sends behind what is being sent here, and before the next write of a job. Settles as `send` does. */
  insert(send: Send): Promise<void> {
    this.#sending += 1;
    const sent = this.#sent.then(send);
    this.#sent = sent
      .catch(() => {})
      .finally(() => {
        this.#sending -= 1;
        this.#told();
      });
    return sent;
  }

  /** A kick waits. Settles as its `send` does, once `startKick` has started it, or as its `begin`; rejects with `busy` after `waitMs`. */
  waitToKick({ send, begin }: AskedKick, waitMs: number): Promise<void> {
    return new Promise((sent, refuse) => {
      const timer = setTimeout(() => {
        this.#kicks.splice(this.#kicks.indexOf(kick), 1);
        kick.refuse(new WriteFailed('busy', 0));
        this.#told();
      }, waitMs);
      const kick: WaitingKick = {
        start: (placed) => {
          clearTimeout(timer);
          const insert = () => placed(() => void this.insert(send).then(sent, refuse));
          try {
            const stored = begin?.();
            if (stored === undefined) insert();
            else this.#store(stored.then(insert, refuse));
          } catch (error) {
            refuse(error);
          }
        },
        refuse: (error) => {
          clearTimeout(timer);
          refuse(error);
        },
      };
      this.#kicks.push(kick);
    });
  }

  /** Another kick does not wait for this one's key, which may take the disk a tenth of a second. */
  #store(stored: Promise<void>): void {
    this.#storing.add(stored);
    void stored.then(() => {
      this.#storing.delete(stored);
      this.#told();
    });
  }

  /** Starts the kick that has waited longest. */
  startKick(placed: Placed): void {
    this.#kicks.shift()?.start(placed);
  }

  /** A status request waits; only one can. Settles as `send` does, once `startPoll` has started it. */
  waitToPoll(send: Send): Promise<void> {
    if (this.#poll !== undefined) return Promise.reject(new WriteFailed('busy', 0));
    return new Promise((sent, refuse) => {
      this.#poll = { start: () => void this.insert(send).then(sent, refuse), refuse };
    });
  }

  startPoll(): void {
    const poll = this.#poll;
    this.#poll = undefined;
    poll?.start();
  }

  /** The printer is gone: rejects what waits with `disconnected`. */
  close(): void {
    for (const { refuse } of this.#kicks.splice(0)) refuse(goneBefore());
    this.#poll?.refuse(goneBefore());
    this.#poll = undefined;
  }
}
