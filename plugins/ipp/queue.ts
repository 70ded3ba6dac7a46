/** The jobs of one IPP printer, and how they come to the printer of its endpoint, one after the other. */
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RasterError } from '../../codecs/page-raster.ts';
import { letIn } from '../../runtime/base/loop.ts';
import { messageOf, stackOf } from '../../runtime/base/thrown.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import type { BoundKinds } from '../../runtime/kernel/registry.ts';
import { contentOf, heldBytes } from './content.ts';
import { contentBytes, type IppContent, IppJob, JOB, type JobWishes } from './job.ts';
import type { DocumentMemory } from './memory.ts';
import { Printing } from './printing.ts';
import { IppRefusal, noPrinter, STATUS } from './refusal.ts';
import { Spool } from './spool.ts';

/** Jobs that wait or print: one address may have as many as it leaves to the others. Jobs that have ended, of which clients may still ask. */
const OPEN_JOBS = 16;
const ENDED_JOBS = 32;
/** Milliseconds between two readings of the printer while its state is asked for. */
const READ_MS = 1000;
/** Milliseconds that a job waits for a printer that has no paper, or is gone: before it begins, and in its middle. */
const WAIT_MS = 3_600_000;
const HOLD_MS = 600_000;
/** Milliseconds that a job of the printer room waits for its turn; then it is asked again whether the printer can print. */
const TURN_MS = 30_000;
/** Create-Job without a document: `multiple-operation-time-out`, in seconds. */
export const DOCUMENT_SECONDS = 60;

/** printer-state (RFC 8011, 5.4.11). */
export const PRINTER = { idle: 3, processing: 4, stopped: 5 } as const;

/** What a client asks for. */
export interface NewJob {
  readonly name: string;
  readonly user: string;
  readonly from: string;
  readonly wishes: JobWishes;
}

type Printer = BoundKinds['printer'];

/** The jobs of one endpoint. */
export class Queue {
  readonly endpoint: string;
  readonly #node: Node;
  readonly #memory: DocumentMemory;
  /** Oldest first. */
  #jobs: IppJob[] = [];
  /** Begins at random: after a restart of the node, no client takes a new job for one of before. */
  #lastId = randomInt(1, 2 ** 30);
  #working = false;
  #printing: IppJob | undefined;
  /** Until when a job is tried again that the printer does not take, in ms of `performance.now()`. */
  #holdUntil = 0;
  #wake: (() => void) | undefined;
  #readAt = 0;
  #standing: { readonly words: string; readonly since: Date } = { words: '', since: new Date() };
  #stopped = false;

  /** `memory`: what all queues have for documents, in bytes. */
  constructor(node: Node, endpoint: string, memory: DocumentMemory) {
    this.#node = node;
    this.#memory = memory;
    this.endpoint = endpoint;
  }

  get jobs(): readonly IppJob[] {
    return this.#jobs;
  }

  get openJobs(): readonly IppJob[] {
    return this.#jobs.filter(({ ended }) => !ended);
  }

  get accepting(): boolean {
    return this.#printer !== undefined && !this.#node.restarting && !this.#stopped;
  }

  get #printer(): Printer | undefined {
    return this.#node.bound('printer', this.endpoint);
  }

  /** printer-state-reasons, of what is known; `other` where the printer says nothing. */
  get reasons(): readonly string[] {
    const state = this.#printer?.state;
    if (state === undefined) return ['connecting-to-device'];
    const named = [
      ...(state.paperOut ? ['media-empty'] : []),
      ...(state.coverOpen ? ['cover-open'] : []),
      ...(state.paperLow && !state.paperOut ? ['media-low'] : []),
    ];
    if (!state.known || (!state.online && !isBlocked(state))) named.push('other');
    return named.length === 0 ? ['none'] : named;
  }

  /** Whether it would print nothing now: no printer, no paper, an open cover, or off-line. */
  get stopped(): boolean {
    const state = this.#printer?.state;
    return state === undefined || isBlocked(state) || !state.online;
  }

  get state(): number {
    if (this.stopped) return PRINTER.stopped;
    return this.#printing === undefined ? PRINTER.idle : PRINTER.processing;
  }

  /** When `state` or `reasons` changed last, as far as anybody looked. */
  get stateSince(): Date {
    const words = [this.state, this.accepting, ...this.reasons].join(' ');
    if (words !== this.#standing.words) this.#standing = { words, since: new Date() };
    return this.#standing.since;
  }

  /** job-state as it is now: one that prints is stopped while its printer is. */
  stateOf(job: IppJob): number {
    if (!this.stopped || job.ended || job.state === JOB.held) return job.state;
    return this.#first === job ? JOB.stopped : job.state;
  }

  /** The job that prints, or would. */
  get #first(): IppJob | undefined {
    return this.#printing ?? this.#jobs.find(({ state }) => state === JOB.pending);
  }

  /** Reads the printer, if that was not just done; waits only a little. Never rejects. */
  async look(): Promise<void> {
    if (performance.now() - this.#readAt >= READ_MS) await this.#read(READ_MS / 4);
  }

  /** Reads the printer now; waits at most so long for its answer, and for none of one that gives none. */
  async #read(ms: number): Promise<void> {
    this.#readAt = performance.now();
    const printer = this.#printer;
    const reading = printer?.refresh().catch(() => false);
    const waited = delay(printer?.silentSince() === undefined ? ms : 0, undefined, { ref: false });
    // Where the loop had other work for so long, the answer is there and not read yet.
    await Promise.race([reading, waited.then(() => letIn())]);
  }

  /** A new job. Throws an IppRefusal where there are too many, or no printer takes one. */
  create({ name, user, from, wishes }: NewJob): IppJob {
    if (!this.accepting) throw noPrinter();
    this.#makeRoom(from);
    this.#lastId += 1;
    const progress: IppJob['parts']['progress'] = { written: 0, hasTurn: false };
    const listed = this.#node.offered('jobs')?.begin({ kind: 'ipp', endpoint: this.endpoint, from, progress });
    const job = new IppJob({ id: this.#lastId, name, user, from, wishes, progress, listed });
    const ended = this.#jobs.filter((each) => each.ended);
    const dropped = new Set(ended.slice(0, -ENDED_JOBS));
    this.#jobs = [...this.#jobs.filter((each) => !dropped.has(each)), job];
    setTimeout(() => this.close(job), DOCUMENT_SECONDS * 1000).unref();
    return job;
  }

  /** Makes room for one more job of an address. Throws an IppRefusal where that is not to be had. */
  #makeRoom(from: string): void {
    const open = this.openJobs;
    const jobsOf = (address: string) => open.filter(({ parts }) => parts.from === address).length;
    const own = jobsOf(from);
    if (own < OPEN_JOBS - open.length) return;
    const [out] = open
      .filter((job) => job.isIncoming && jobsOf(job.parts.from) > own)
      .sort((a, b) => jobsOf(b.parts.from) - jobsOf(a.parts.from));
    if (out === undefined) throw new IppRefusal(STATUS.busy, 'too many jobs wait');
    out.giveWay();
  }

  /** The document of a job begins to come. Throws an IppRefusal where it has one, has ended, or memory is short. */
  open(job: IppJob, format: string): Spool {
    expectOpen(job);
    if (job.spool !== undefined) throw new IppRefusal(STATUS.manyDocuments, 'a job has one document');
    const bytes = heldBytes(format);
    const release = this.#memory.take(job.parts.from, bytes, job);
    if (release === undefined || this.#node.bindings.host.memoryLeft() < bytes) {
      release?.();
      job.end(JOB.aborted, 'memory is short', 'render_alloc_failed');
      throw new IppRefusal(STATUS.busy, 'memory is short');
    }
    job.release = release;
    job.spool = new Spool(bytes);
    return job.spool;
  }

  find(id: number): IppJob | undefined {
    return this.#jobs.find((job) => job.id === id);
  }

  /**
   * The document of a job is here, or as much of it as is held: finds out what it is, and has the job wait for the printer. Rejects
   * with an IppRefusal where it cannot be printed; then the job is aborted, and nothing of it was printed.
   */
  async submit(job: IppJob, format: string): Promise<void> {
    try {
      this.#keep(job, await contentOf(this.#node, this.endpoint, job, format));
    } catch (error) {
      const refusal = refusalOf(error);
      job.end(JOB.aborted, refusal.message, ERRORS.get(refusal.status) ?? 'invalid_body');
      throw refusal;
    }
    job.wait();
    void this.#work();
  }

  /** No document comes any more: a job that has none is at its end (PWG 5100.11). */
  close(job: IppJob): void {
    if (job.spool === undefined) job.end(JOB.aborted, 'no document came', 'invalid_body');
  }

  /** Throws an IppRefusal where the job has ended. One that prints ends at the next boundary. */
  cancel(job: IppJob): void {
    expectOpen(job);
    job.end(JOB.canceled, '', 'invalid_body');
    this.wake();
  }

  /** The state of the printer may have changed, or a job. */
  wake(): void {
    this.#wake?.();
  }

  /** The node stops: nothing more is begun. */
  stop(): void {
    this.#stopped = true;
    for (const job of this.openJobs) if (job !== this.#printing) job.end(JOB.aborted, 'the node stops', 'restarting');
    this.wake();
  }

  /** Reserves memory for what is printed of a whole document. Throws an IppRefusal where there is not enough. */
  #keep(job: IppJob, content: IppContent): void {
    if (job.ended) throw new IppRefusal(STATUS.canceled, job.message);
    job.has(content);
    if (job.spool?.isWhole !== true) return;
    job.release();
    if (content.as !== 'pages') job.spool.drop();
    const release = this.#memory.take(job.parts.from, contentBytes(content) ?? job.spool.held);
    job.release = release ?? (() => {});
    if (release === undefined) throw new IppRefusal(STATUS.busy, 'memory is short');
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      for (let job = this.#first; job !== undefined; job = this.#first) {
        const printer = await this.#ready(job);
        if (printer === undefined) continue;
        if (!job.isFor(printer.options)) {
          job.end(JOB.aborted, 'another printer was connected: send it again', 'no_printer');
          continue;
        }
        await this.#print(job, printer);
        // One that could not begin is tried again in a while.
        if (!job.ended) await this.#woken();
      }
    } finally {
      this.#working = false;
    }
  }

  /** The printer, as soon as it can print; undefined where the job has ended meanwhile. */
  async #ready(job: IppJob): Promise<Printer | undefined> {
    const until = performance.now() + WAIT_MS;
    for (;;) {
      await this.#read(READ_MS);
      const printer = this.#printer;
      if (job.ended) return undefined;
      if (this.#stopped) job.end(JOB.aborted, 'the node stops', 'restarting');
      else if (printer !== undefined && !this.stopped) return printer;
      else if (performance.now() > until) job.end(JOB.aborted, 'the printer was not ready', 'no_printer');
      else await this.#woken();
    }
  }

  /** Resolves at `wake`, or when the printer is to be read again. */
  async #woken(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, READ_MS);
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }

  async #print(job: IppJob, printer: Printer): Promise<void> {
    const turn = printer.job('print', job.parts.from);
    turn.persists = () => !job.ended && !this.#stopped && performance.now() < this.#holdUntil;
    turn.comesSlowly(() => job.end(JOB.aborted, 'others waited, and the document did not come', 'invalid_body'));
    const write = async (bytes: Uint8Array) => {
      this.#holdUntil = performance.now() + HOLD_MS;
      await turn.write(bytes);
      job.parts.progress.written = turn.written;
    };
    const printing = new Printing(this.#node, job, printer.options, { write });
    this.#holdUntil = performance.now() + HOLD_MS;
    const reading = setInterval(() => void this.look(), READ_MS).unref();
    try {
      await turn.begin(TURN_MS);
      this.#printing = job;
      Object.assign(job.parts.progress, { hasTurn: true, turnAt: performance.now() });
      job.process();
      const fault = await printing.run().catch(withoutWriteFailed);
      // What came out of a job that was broken off is not a part of the next receipt.
      if (fault !== undefined || job.ended) await printing.cut();
      await turn.end();
      const isOut = await this.#printed(job, printer);
      if (fault === undefined && !isOut)
        job.end(JOB.aborted, 'the printer took all, and did not print it', 'write_failed');
      else if (fault === undefined) job.end(JOB.completed, job.message);
      else job.end(JOB.aborted, `${fault.message}${printedOf(printing, turn.written)}`, 'invalid_body');
    } catch (error) {
      this.#failed(job, printing, error);
    } finally {
      turn.leave();
      clearInterval(reading);
      this.#printing = undefined;
      job.parts.progress.hasTurn = false;
      if (turn.written > printing.silentBytes) this.#count(printing.cuts);
    }
  }

  /**
   * The printer has taken all: what is in its buffer comes out once it has paper and is closed. Resolves then; to false where nobody
   * knows whether it did, as of a printer that is unplugged before.
   */
  async #printed(job: IppJob, printer: Printer): Promise<boolean> {
    for (await this.#read(READ_MS); this.stopped; await this.look()) {
      const isOver = job.ended || this.#stopped || performance.now() > this.#holdUntil;
      if (isOver || this.#printer !== printer) return false;
      await this.#woken();
    }
    return this.#printer === printer;
  }

  /** The printer did not take all of it. Where it took nothing that prints, the job waits for it again. */
  #failed(job: IppJob, printing: Printing, error: unknown): void {
    const failure = writeFailureOf(error);
    if (failure === undefined) {
      this.#node.log.error({ error: stackOf(error) }, 'an IPP job failed in the node itself');
      job.end(JOB.aborted, 'the node failed', 'internal');
      return;
    }
    const canAgain = failure.written <= printing.silentBytes && job.spool?.isComplete === true;
    if (failure.fault === 'busy' || (canAgain && performance.now() < this.#holdUntil)) {
      job.wait();
      return;
    }
    job.parts.progress.written = failure.written;
    job.end(JOB.aborted, `the printer failed: ${failure.fault}${printedOf(printing, failure.written)}`, 'write_failed');
  }

  #count(cuts: number): void {
    const jobs = this.#node.offered('jobs');
    jobs?.count(this.endpoint, 'receipts');
    jobs?.count(this.endpoint, 'cuts', cuts);
  }
}

/** Throws an IppRefusal for a job that has ended. */
function expectOpen({ ended }: IppJob): void {
  if (ended) throw new IppRefusal(STATUS.notPossible, 'the job has ended');
}

const isBlocked = ({ paperOut, coverOpen }: Printer['state']): boolean => paperOut || coverOpen;

/** A write of the printer room that failed (plugins/printer/jobs/write-failed.ts). */
interface WriteFailure {
  readonly fault: string;
  readonly written: number;
}

const writeFailureOf = (error: unknown): WriteFailure | undefined =>
  error instanceof Error && error.name === 'WriteFailed' ? (error as Error & WriteFailure) : undefined;

/** The fault of a document that cannot be read on; a failed write is thrown again. */
function withoutWriteFailed(error: unknown): Error {
  if (writeFailureOf(error) !== undefined || !(error instanceof Error)) throw error;
  return error;
}

/** What came out of a job of which the printer took so many bytes. */
function printedOf({ sent: { rows }, silentBytes }: Printing, written: number): string {
  if (written <= silentBytes) return '; nothing was printed';
  return rows === 0 ? '; a part of it was printed' : `; ${rows} rows were printed`;
}

/** What the list of recent jobs has of a refusal: codes of the error table. */
const ERRORS: ReadonlyMap<number, string> = new Map([
  [STATUS.tooLarge, 'render_too_large'],
  [STATUS.busy, 'render_alloc_failed'],
]);

/** The refusal of a document, from whatever was thrown while it was read. */
function refusalOf(error: unknown): IppRefusal {
  if (error instanceof IppRefusal) return error;
  if (error instanceof RasterError) return new IppRefusal(STATUS.formatError, error.message);
  if (error instanceof ApiError) return new IppRefusal(STATUS.temporary, error.detail ?? error.code);
  return new IppRefusal(STATUS.canceled, messageOf(error));
}
