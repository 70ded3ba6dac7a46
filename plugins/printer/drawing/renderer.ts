/**
 * The node's side of the drawing thread: starts it at the first job that needs it, says which job it draws a piece of, and ends
 * it when it has had none for a while. Nothing of fonts or shaping is loaded before that, nor kept after it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import type { Node } from '../../../runtime/kernel/node.ts';
import { Shares } from '../../../runtime/kernel/shares.ts';
import { asBuilt } from '../../../runtime/kernel/v8-flags.ts';
import { RENDER_LIMIT } from '../layout/layout.ts';
import type {
  DrawingAnswer as Answer,
  DrawingFault,
  DrawingJob,
  DrawingRefusal,
  DrawingSettings,
  DrawingStage,
  DrawnBytes,
  DrawnNothing,
  DrawnPaper,
  DrawnPicture,
  DrawnSymbols,
  PictureJob,
  PieceDrawn,
  PieceOfJob,
  SymbolsJob,
} from './job.ts';
import { DrawingTurns } from './turns.ts';

/** The program of the thread, beside the bundle. */
const PROGRAM = 'draw.js';
/**
 * Most receipts that wait for the job that is drawn. Each holds the lines of its request, whose body has at most 256 KiB: 16 MiB
 * of bodies; and none is taken where memory is short.
 */
const WAITING = 64;
/** Previews under way, and those of one address. They wait in places of their own: a receipt finds its own ones free. */
const PREVIEWS = 16;
const PREVIEWS_OF_ONE_ADDRESS = 8;
/** Time limit of one job, of the time in which it was drawn itself: 20 m of paper take a fraction of it. */
const JOB_MS = 30_000;
/** A piece that began within that limit is given so long, as the thread ends with what others have in it. */
const PIECE_MS = 1000;
/** A thread that had no job for so long is ended. */
const IDLE_MS = 600_000;
/** Memory that the thread takes when it starts, with the faces of a few scripts. */
const THREAD_BYTES = 48 * 1024 * 1024;
/** After this time the system has the memory of a thread that ended, and `memoryLeft`, which samples, has seen it. */
const FREED_MS = 150;
/** In MiB; a job that needs more ends its thread, and is refused. */
const HEAP = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 } as const;

type Job = DrawingJob | SymbolsJob | PictureJob;

interface Waiting {
  /** Names it to the thread. */
  readonly id: number;
  readonly job: Job;
  /** Address of the client. */
  readonly from: string;
  /** False once nobody waits for the answer any more. */
  readonly wanted: () => boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
  /** For how long the thread has drawn it. */
  drawnMs: number;
  /** What its next piece is of. */
  stage: DrawingStage;
  /** The thread has drawn a piece of that. */
  isOpen: boolean;
  /** The thread has it. */
  isSent: boolean;
}

/** Lays out jobs in a thread of its own. */
export class Renderer {
  readonly #node: Pick<Node, 'beside' | 'bindings' | 'image' | 'log'>;
  readonly #previews = new Shares(PREVIEWS, PREVIEWS_OF_ONE_ADDRESS);
  #thread: Worker | undefined;
  /** Jobs until they are answered: what prints, and what is only looked at. */
  readonly #receipts = new DrawingTurns<Waiting>();
  readonly #looks = new DrawingTurns<Waiting>();
  /** The job of which a piece is drawn, and since when. */
  #current: Waiting | undefined;
  #since = 0;
  #ids = 0;
  /** The time limit of the current job, or of a thread without one. */
  #timer: NodeJS.Timeout | undefined;
  /** The thread that is ended to have its memory back. */
  #freeing: Promise<void> | undefined;
  /** Whether a fault of the faces was logged. */
  #told = false;
  #stopped = false;

  constructor(node: Pick<Node, 'beside' | 'bindings' | 'image' | 'log'>) {
    this.#node = node;
  }

  /**
   * Lays out lines for a printer; gives its bytes, or why the lines cannot be printed. Rejects with an ApiError: memory is
   * short or too many jobs wait (`render_alloc_failed`), it takes too long (`render_too_large`), the node stops
   * (`restarting`); with another error where the thread failed. `from`: address of the client; the jobs of all addresses are
   * drawn by turns, a piece of each.
   */
  bytes(job: Omit<DrawingJob, 'as'>, from: string): Promise<DrawnBytes | DrawingRefusal> {
    return this.#draw({ ...job, as: 'bytes' }, from, () => true) as Promise<DrawnBytes | DrawingRefusal>;
  }

  /**
   * Draws the paper of these lines for a client; as `bytes`, and rejects with the ApiError `busy` where too many others are
   * under way. A job for a printer goes before it, also before its next piece. `wanted`: whether anybody still waits.
   */
  paper(job: Omit<DrawingJob, 'as'>, from: string, wanted: () => boolean): Promise<DrawnPaper | DrawingRefusal> {
    return this.#look({ ...job, as: 'paper' }, from, wanted) as Promise<DrawnPaper | DrawingRefusal>;
  }

  /** Lays out lines for a client that only asks whether they can be printed; as `paper`. */
  check(job: Omit<DrawingJob, 'as'>, from: string, wanted: () => boolean): Promise<DrawnNothing | DrawingRefusal> {
    return this.#look({ ...job, as: 'check' }, from, wanted) as Promise<DrawnNothing | DrawingRefusal>;
  }

  /** Draws symbols that the paper of a virtual printer has; as `paper`, and rejects where memory is short. */
  async symbols(symbols: SymbolsJob['symbols'], from: string): Promise<DrawnSymbols['symbols']> {
    if (!(await this.hasMemory('symbols'))) throw new ApiError('render_alloc_failed');
    return ((await this.#look({ as: 'symbols', symbols }, from, () => true)) as DrawnSymbols).symbols;
  }

  /** Decodes a picture, for a client at this address; as `symbols`. */
  async picture(picture: Omit<PictureJob, 'as'>, from: string): Promise<DrawnPicture> {
    if (!(await this.hasMemory('picture'))) throw new ApiError('render_alloc_failed');
    return (await this.#look({ ...picture, as: 'picture' }, from, () => true)) as DrawnPicture;
  }

  async #look(job: Job, from: string, wanted: () => boolean): Promise<Answer> {
    const leave = this.#previews.take(from);
    if (leave === undefined)
      throw new ApiError('busy', `${PREVIEWS} previews are drawn, or ${PREVIEWS_OF_ONE_ADDRESS} of this address`);
    try {
      return await this.#draw(job, from, wanted);
    } finally {
      leave();
    }
  }

  /**
   * True where memory is left for one more job: one that is printed, or one that is looked at, beside which a thread and a
   * job that is printed have to find room. Where there is none, a thread that draws nothing for a printer is ended first.
   */
  async hasMemory(as: Job['as']): Promise<boolean> {
    const has = () => this.#node.bindings.host.memoryLeft() >= this.#needs(as);
    if (has()) return true;
    if (this.#freeing === undefined && this.#thread !== undefined && !this.#prints(as)) this.#freeing = this.#free();
    await this.#freeing;
    return has();
  }

  #needs(as: Job['as']): number {
    if (as === 'bytes') return RENDER_LIMIT;
    return 2 * RENDER_LIMIT + (this.#thread === undefined ? THREAD_BYTES : 0);
  }

  /** Whether the thread draws what this job may not end. */
  #prints(as: Job['as']): boolean {
    return as !== 'bytes' ? this.#current !== undefined : this.#receipts.size > 0;
  }

  async #free(): Promise<void> {
    this.#fail(new ApiError('render_alloc_failed', 'a job that is printed needs the memory'));
    await this.#end();
    await delay(FREED_MS, undefined, { ref: false });
    this.#freeing = undefined;
    this.#next();
  }

  /** Refuses the jobs that wait, and ends the thread. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const turns of [this.#receipts, this.#looks])
      for (const { reject } of turns.clear()) reject(new ApiError('restarting'));
    this.#current = undefined;
    await this.#end();
  }

  #draw(job: Job, from: string, wanted: () => boolean): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#stopped) throw new ApiError('restarting');
      if (job.as === 'bytes' && this.#receipts.size > WAITING)
        throw new ApiError('render_alloc_failed', `${WAITING} jobs wait to be drawn`);
      this.#ids += 1;
      const waiting = { id: this.#ids, job, from, wanted, resolve, reject, drawnMs: 0, ...atFirst(job) };
      this.#turnsOf(waiting).add(waiting);
      this.#next();
    });
  }

  #turnsOf({ job }: Waiting): DrawingTurns<Waiting> {
    return job.as === 'bytes' ? this.#receipts : this.#looks;
  }

  /** Has the next piece drawn, if none is. */
  #next(): void {
    if (this.#current !== undefined || this.#freeing !== undefined) return;
    const next = this.#receipts.next() ?? this.#looks.next();
    if (next === undefined) this.#rest();
    else if (next.wanted()) this.#goOn(next);
    else this.#drop(next, new ApiError('restarting', 'nobody waits for it'));
  }

  /** Has a piece of a job drawn, its first one or the next. */
  #goOn(next: Waiting): void {
    const { id, job, isSent } = next;
    try {
      this.#thread ??= this.#start();
      this.#current = next;
      this.#since = performance.now();
      this.#limit(Math.max(JOB_MS - next.drawnMs, PIECE_MS), () => {
        this.#fail(new ApiError('render_too_large', TOO_LONG));
        void this.#end();
        this.#next();
      });
      this.#thread.postMessage((isSent ? { id } : { id, job }) satisfies PieceOfJob);
      next.isOpen = true;
      next.isSent = true;
    } catch (error) {
      this.#current = undefined;
      this.#turnsOf(next).remove(next);
      next.reject(error);
      this.#next();
    }
  }

  /** A piece was drawn: all of the job, or there is more of it. */
  #drawn(answer: PieceDrawn): void {
    const current = this.#current!;
    current.drawnMs += performance.now() - this.#since;
    if ('more' in answer && current.drawnMs >= JOB_MS) {
      this.#drop(current, new ApiError('render_too_large', TOO_LONG));
      return;
    }
    if ('more' in answer) this.#toBeContinued(answer.stage);
    else this.#take().resolve(answer);
    this.#next();
  }

  #toBeContinued(stage: DrawingStage | undefined): void {
    if (stage !== undefined) Object.assign(this.#current!, { stage, isOpen: false });
    this.#current = undefined;
  }

  /** Refuses a job of which no piece is being drawn, and has the next one drawn. */
  #drop(job: Waiting, reason: ApiError): void {
    this.#current = undefined;
    this.#turnsOf(job).remove(job);
    if (job.isSent) this.#thread?.postMessage({ id: job.id, isDropped: true } satisfies PieceOfJob);
    job.reject(reason);
    this.#next();
  }

  #start(): Worker {
    if (this.#node.bindings.host.memoryLeft() < THREAD_BYTES) throw new ApiError('render_alloc_failed');
    const leanAgain = asBuilt();
    const thread = new Worker(this.#node.beside(PROGRAM), {
      name: 'draw',
      env: {},
      execArgv: [],
      resourceLimits: HEAP,
      workerData: { hasFaces: this.#node.image.scripts.length > 0 } satisfies DrawingSettings,
    });
    // The process ends when the node does, whatever is drawn.
    thread.unref();
    thread.once('message', leanAgain).once('exit', leanAgain);
    thread.on('message', (answer: PieceDrawn | DrawingFault) => {
      if ('fault' in answer) this.#tell(answer.fault);
      else if (this.#thread === thread && this.#current !== undefined) this.#drawn(answer);
    });
    let fault: unknown;
    thread.on('error', (error) => {
      fault = error;
    });
    thread.on('exit', (code) => {
      if (this.#thread !== thread) return;
      const asked = this.#current;
      this.#forgetThread();
      this.#fail(refusalOf(fault) ?? fault ?? new Error(`the drawing thread ended with ${code}`));
      if (asked === undefined) this.#node.log.error({ error: String(fault ?? code) }, 'the drawing thread ended');
      this.#next();
    });
    return thread;
  }

  #tell(fault: string): void {
    if (this.#told) return;
    this.#told = true;
    this.#node.log.error({ error: fault }, 'the faces cannot be used: what no font of the printer has is printed as ?');
  }

  /** Nothing is left to do: a thread that stays so is ended. */
  #rest(): void {
    if (this.#thread !== undefined && !this.#stopped) this.#limit(IDLE_MS, () => void this.#end());
  }

  #limit(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms).unref();
  }

  #take(): Waiting {
    const current = this.#current!;
    this.#current = undefined;
    this.#turnsOf(current).remove(current);
    clearTimeout(this.#timer);
    return current;
  }

  #fail(reason: unknown): void {
    if (this.#current !== undefined) this.#take().reject(reason);
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#forgetThread();
    clearTimeout(this.#timer);
    await thread?.terminate();
  }

  /** What was drawn in part is drawn anew by the next thread. */
  #forgetThread(): void {
    this.#thread = undefined;
    for (const waiting of [...this.#receipts.all(), ...this.#looks.all()]) Object.assign(waiting, atFirst(waiting.job));
  }
}

/** How a job stands of which a thread has nothing. */
const atFirst = ({ as }: Job): Pick<Waiting, 'stage' | 'isOpen' | 'isSent'> => ({
  stage: as === 'picture' ? 'picture' : 'lines',
  isOpen: false,
  isSent: false,
});

const TOO_LONG = `the job takes over ${JOB_MS / 1000} s to draw`;

/** The refusal where the thread came to the end of its memory. */
const refusalOf = (fault: unknown): ApiError | undefined =>
  (fault as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new ApiError('render_alloc_failed', 'the job needs too much memory to draw')
    : undefined;
