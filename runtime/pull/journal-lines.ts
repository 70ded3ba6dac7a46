/** What the lines of a journal say: JSON at the end of a file, which a crash may cut off. */
import { fsyncSync } from 'node:fs';
import type { EposOutcome } from '../../codecs/epos-results.ts';
import type { EposCommand } from '../../codecs/epos-xml.ts';
import type { EposPaper } from '../../codecs/epos-xml-fit.ts';
import { writeAllNow } from '../base/durable.ts';
import type { Moment } from './machine.ts';

/** What a job asks for, or why it can not be printed. */
export type JobCommands = readonly EposCommand[] | { readonly fault: string; readonly code: string };

/** A job as it came from a server. */
export interface TakenJob {
  /** The server's name for it, by which it is reported. */
  readonly id?: string | undefined;
  /** The id is made of its content, as the server has none: the same is another job once the server has the outcome of this one. */
  readonly nameless?: boolean;
  /** The id alone names it until the server has the outcome (the `jobToken` of CloudPRNT); else the id and the content do. */
  readonly isToken?: boolean;
  /** `fingerprintOf` what the server asked for, where `commands` depends on more than that. */
  readonly print?: string;
  /** A mark of what the server sent: the same over releases, which make other commands of it. */
  readonly document?: string | undefined;
  /** Whatever else its report needs. */
  readonly about?: Readonly<Record<string, string>>;
  readonly commands: JobCommands;
  /** The answer broke off in it: it is neither printed nor reported until it is known whether it comes again. */
  isHeld?: boolean;
}

/** One of a long answer. */
export interface PlacedJob extends TakenJob {
  /** In the answer, from 1 on. */
  readonly place?: number | undefined;
}

/** What became of a job. `error`: `stale`, too; one in doubt is never printed again. */
export type Outcome = EposOutcome;

/** A job in the journal. */
export interface PulledJob extends TakenJob, Moment {
  /** 128 random bits in hexadecimal: the beginning of its keys of idempotency. */
  readonly key: string;
  /** SHA-256 of its commands: the same id with others is another job. */
  readonly print: string;
  /** How long the machine had run by then, in all its starts that are known, in milliseconds. */
  readonly ran?: number;
  /** Whether it was sent to the node at least once. */
  begun?: boolean;
  /** What the node told before that (`idempotency.mark`): by it the node knows whether it may have forgotten it. */
  mark?: string | undefined;
  /** What it was laid out for then, and how finely it was cut: what is sent again for a key is to be the same. */
  paper?: EposPaper | undefined;
  cuts?: number | undefined;
  outcome?: Outcome | undefined;
  /** The server is told, or was told and may not have heard: asked of it before it is told again, where it has no name for the job. */
  telling?: boolean;
  /** The server has the outcome. */
  reported?: boolean;
}

/** How a job is sent. */
export type Begun = Readonly<Pick<PulledJob, 'mark' | 'paper' | 'cuts'>>;

/** What has come of a job, by its key. */
export type Change =
  | ({ readonly begun: string } & Begun)
  | { readonly done: string; readonly outcome: Outcome }
  | { readonly telling: string }
  | { readonly reported: string }
  | { readonly again: string }
  | { readonly gone: string }
  | { readonly missed: string }
  | { readonly same: string; readonly document: string };

/** A line of the journal. */
export type Line =
  | Change
  | { readonly job: PulledJob; readonly place?: number | undefined }
  | { readonly name: string }
  | { readonly place: number; readonly came?: Moment | undefined }
  | { readonly ran: number; readonly run: string; readonly up: number };

/** A line feed on both sides: what a write that failed left before it spoils no line but its own. */
const LF = Buffer.from('\n');

/** Writes lines of JSON one after the other, so that only one of them is in memory twice, and has the disk take them. Returns how many bytes. */
export function writeLines(descriptor: number, lines: readonly object[]): number {
  let length = 0;
  for (const line of lines) {
    for (const bytes of [LF, Buffer.from(JSON.stringify(line)), LF]) {
      writeAllNow(descriptor, bytes);
      length += bytes.length;
    }
  }
  fsyncSync(descriptor);
  return length;
}

/** The key of the job that a change is about. */
export function keyIn(line: Change): string {
  if ('begun' in line) return line.begun;
  if ('done' in line) return line.done;
  if ('telling' in line) return line.telling;
  if ('gone' in line) return line.gone;
  if ('missed' in line) return line.missed;
  if ('same' in line) return line.same;
  return 'again' in line ? line.again : line.reported;
}

/** What a line says; undefined where it cannot be read. */
export function parsed(line: string): Line | undefined {
  try {
    const read: unknown = JSON.parse(line);
    if (typeof read !== 'object' || read === null) return undefined;
    if ('job' in read && typeof (read.job as PulledJob | null)?.key !== 'string') return undefined;
    return read as Line;
  } catch {
    return undefined;
  }
}
