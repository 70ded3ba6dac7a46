/**
 * What stands between two commands of a job: drawer kicks, and the status request of the node. They wait here for the end of a
 * command; outlet.ts says when that is.
 */
import { WriteFailed } from './write-failed.ts';

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
  readonly start: () => void;
  readonly refuse: (error: WriteFailed) => void;
}

/** The kicks and the status request of one printer. */
export class Between {
  readonly #told: () => void;
  readonly #kicks: Waiting[] = [];
  #poll: Waiting | undefined;
  #sent: Promise<void> = Promise.resolve();
  #sending = 0;

  /** `told`: called when something that was sent here has left, or has failed. */
  constructor(told: () => void) {
    this.#told = told;
  }

  /** Settles when all that is being sent here has left: the next write of a job comes after it. */
  get sent(): Promise<void> {
    return this.#sent;
  }

  get isSending(): boolean {
    return this.#sending > 0;
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

  /** A kick waits. Settles as `send` does, once `startKick` has started it; rejects with `busy` after `waitMs`. */
  waitToKick(send: Send, waitMs: number): Promise<void> {
    return new Promise((sent, refuse) => {
      const timer = setTimeout(() => {
        this.#kicks.splice(this.#kicks.indexOf(kick), 1);
        kick.refuse(new WriteFailed('busy', 0));
        this.#told();
      }, waitMs);
      const kick: Waiting = {
        start: () => {
          clearTimeout(timer);
          this.insert(send).then(sent, refuse);
        },
        refuse: (error) => {
          clearTimeout(timer);
          refuse(error);
        },
      };
      this.#kicks.push(kick);
    });
  }

  /** Starts the kick that has waited longest. */
  startKick(): void {
    this.#kicks.shift()?.start();
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
    for (const { refuse } of this.#kicks.splice(0)) refuse(new WriteFailed('disconnected', 0));
    this.#poll?.refuse(new WriteFailed('disconnected', 0));
    this.#poll = undefined;
  }
}
