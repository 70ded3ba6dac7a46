/** One job of an IPP printer, from its creation to its end (RFC 8011, 5.3). */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { EscposOptions } from '../../codecs/escpos.ts';
import type { IntegerRange } from '../../codecs/ipp.ts';
import type { RasterKind } from '../../codecs/page-raster.ts';
import type { Bitmap } from '../../codecs/raster.ts';
import type { JobProgress, ListedJob } from '../../runtime/services/jobs/contract.ts';
import type { IncomingJob } from './memory.ts';
import { IppRefusal, STATUS } from './refusal.ts';
import type { Spool } from './spool.ts';

/** job-state (RFC 8011, 5.3.7). */
export const JOB = { pending: 3, held: 4, processing: 5, stopped: 6, canceled: 7, aborted: 8, completed: 9 } as const;
export type JobState = (typeof JOB)[keyof typeof JOB];

/** What is printed: raster pages, made into dots while they print; a picture, already made into dots; or ESC/POS commands. */
export type IppContent =
  | { readonly as: 'pages'; readonly kind: RasterKind; readonly hasShades: boolean }
  | { readonly as: 'picture'; readonly bitmap: Bitmap; readonly madeFor: EscposOptions }
  | {
      readonly as: 'bytes';
      readonly bytes: Uint8Array;
      readonly madeFor: EscposOptions;
      /** What comes out otherwise than it was sent. */
      readonly told?: string | undefined;
    };

/** Bytes that it holds in memory; undefined for pages, which are read from the document. */
export const contentBytes = (content: IppContent): number | undefined =>
  content.as === 'picture' ? content.bitmap.data.length : content.as === 'bytes' ? content.bytes.length : undefined;

/** What the Job Template attributes ask for (RFC 8011, 5.2). */
export interface JobWishes {
  readonly copies: number;
  readonly pages: readonly IntegerRange[];
  /** finishings: behind all, or behind each page. */
  readonly cut: 'job' | 'page';
  readonly optimize: string;
}

/** What is known of a job when it is created. */
export interface JobParts {
  readonly id: number;
  readonly name: string;
  readonly user: string;
  /** Address of the client, whose job it is. */
  readonly from: string;
  readonly wishes: JobWishes;
  /** How far it came. */
  readonly progress: { -readonly [Key in keyof JobProgress]: JobProgress[Key] };
  readonly listed: ListedJob | undefined;
}

/** A job. Its name and user are told to its own client alone. */
export class IppJob implements IncomingJob {
  readonly uuid: string = randomUUID();
  readonly createdAt: Date = new Date();
  readonly parts: JobParts;
  content: IppContent | undefined;
  /** The document of the job, once that has begun to come. */
  spool: Spool | undefined;
  /** Gives back the memory that is kept for its document. */
  release: () => void = () => {};
  processingAt: Date | undefined;
  completedAt: Date | undefined;
  /** Pages that were printed. */
  impressions = 0;
  /** Why it ended, or what comes out otherwise than it was sent, for a person (job-state-message). */
  message = '';
  #state: JobState = JOB.held;
  #reason = 'job-incoming';

  constructor(parts: JobParts) {
    this.parts = parts;
  }

  /** Takes note of what is printed of it. */
  has(content: IppContent): void {
    this.content = content;
    this.message = (content.as === 'bytes' && content.told) || '';
  }

  get id(): number {
    return this.parts.id;
  }

  get state(): JobState {
    return this.#state;
  }

  /** job-state-reasons. */
  get reason(): string {
    return this.#reason;
  }

  get ended(): boolean {
    return this.#state >= JOB.canceled;
  }

  /** True while the document, or the rest of it, is still to come; nothing of it was printed. */
  get isIncoming(): boolean {
    return this.#state === JOB.held;
  }

  /** Whether it can be printed with these options: bytes and dots were made for one printer, and another has other code pages, or a narrower head. */
  isFor(options: EscposOptions): boolean {
    const { content } = this;
    return content === undefined || content.as === 'pages' || isDeepStrictEqual(content.madeFor, options);
  }

  /** Ends it to make room for the job of another client; its own client is told to try again (server-error-busy). */
  giveWay(): void {
    const words = 'other clients needed its place';
    this.spool?.fail(new IppRefusal(STATUS.busy, words));
    this.end(JOB.aborted, words, 'busy');
  }

  /** The document is there: the job waits for its turn (pending). Called again where it had a turn and could not begin. */
  wait(): void {
    if (!this.ended) [this.#state, this.#reason] = [JOB.pending, 'none'];
  }

  process(): void {
    if (this.ended) return;
    [this.#state, this.#reason] = [JOB.processing, 'job-printing'];
    this.processingAt ??= new Date();
  }

  /** Ends it; only the first call counts. `error`: a code of the error table, for the list of recent jobs. */
  end(state: 7 | 8 | 9, message = '', error?: string): void {
    if (this.ended) return;
    this.#state = state;
    this.#reason = REASONS[state];
    this.message = message;
    this.completedAt = new Date();
    this.content = undefined;
    this.spool?.fail(new Error(message === '' ? 'the job has ended' : message));
    this.release();
    this.release = () => {};
    this.parts.listed?.end(error === undefined ? {} : { error });
  }
}

const REASONS = {
  [JOB.canceled]: 'job-canceled-by-user',
  [JOB.aborted]: 'aborted-by-system',
  [JOB.completed]: 'job-completed-successfully',
} as const;
