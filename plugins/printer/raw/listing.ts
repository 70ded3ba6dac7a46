/** The job of a connection to port 9100 in the list of recent jobs. */
import type { Node } from '../../../runtime/kernel/node.ts';
import type { JobEnd, ListedJob } from '../../../runtime/services/jobs/contract.ts';
import type { Job } from '../jobs/job.ts';

/**
 * Lists what one connection prints, from its first byte to print to the end of its job; until it is idle, where it stays open.
 * One connection may be listed as several jobs, one after the other.
 */
export class Listing {
  readonly #node: Pick<Node, 'offered'>;
  readonly #endpoint: string;
  readonly #from: string;
  readonly #job: Pick<Job, 'written' | 'cuts' | 'hasTurn' | 'turnAt'>;
  #listed: ListedJob | undefined;
  #listedAt = 0;
  /** What the job had written and cut when it was listed. */
  #before = { written: 0, cuts: 0 };
  /** Commands that could open a drawer, removed since it was listed. */
  #pulsesDropped = 0;

  /** `from`: address of the client. */
  constructor(
    node: Pick<Node, 'offered'>,
    endpoint: string,
    from: string,
    job: Pick<Job, 'written' | 'cuts' | 'hasTurn' | 'turnAt'>,
  ) {
    this.#node = node;
    this.#endpoint = endpoint;
    this.#from = from;
    this.#job = job;
  }

  get hasTurn(): boolean {
    return this.#job.hasTurn;
  }

  /** Beginning of the turn that it got since it was listed, in ms of `performance.now()`. */
  get turnAt(): number | undefined {
    const { turnAt } = this.#job;
    return turnAt !== undefined && turnAt >= this.#listedAt ? turnAt : undefined;
  }

  /** Bytes that the printer took since the job was listed. */
  get written(): number {
    return this.#job.written - this.#before.written;
  }

  /** A command was removed that could open a drawer. */
  pulseDropped(): void {
    this.#pulsesDropped += 1;
  }

  /** Puts the job into the list, if it is not there. */
  begin(): void {
    if (this.#listed !== undefined) return;
    const { written, cuts } = this.#job;
    this.#before = { written, cuts };
    this.#pulsesDropped = 0;
    this.#listedAt = performance.now();
    const job = { kind: 'port9100', endpoint: this.#endpoint, from: this.#from, progress: this } as const;
    this.#listed = this.#node.offered('jobs')?.begin(job);
  }

  /** The job has ended, in order unless there is an error. `missingBytes`: of the command inside of which it ended. */
  end(error?: string, more: Pick<JobEnd, 'missingBytes' | 'language'> = {}): void {
    this.#listed?.end({ error, ...more, pulsesDropped: this.#pulsesDropped });
    if (this.#listed !== undefined && error === undefined && this.written > 0) {
      const cuts = this.#job.cuts - this.#before.cuts;
      const jobs = this.#node.offered('jobs');
      jobs?.count(this.#endpoint, 'receipts', Math.max(cuts, 1));
      jobs?.count(this.#endpoint, 'cuts', cuts);
    }
    this.#listed = undefined;
  }
}
