/**
 * What was taken from a server and what became of it, on disk: lines of JSON at the end of one file, each there before it is acted on. A
 * line that a crash cut off is skipped; the file is written anew when it has grown.
 */

import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../base/defined.ts';
import { replaceFileNow } from '../base/durable.ts';
import { makeFolder } from '../base/make-folder.ts';
import {
  type Begun,
  type JobCommands,
  keyIn,
  type Line,
  type Outcome,
  type PlacedJob,
  type PulledJob,
  parsed,
  type TakenJob,
  writeLines,
} from './journal-lines.ts';
import { ageMs, type Machine, type Moment, now, thisMachine } from './machine.ts';

export type { JobCommands, Outcome, PlacedJob, PulledJob, TakenJob } from './journal-lines.ts';

/** Where the jobs come from that are taken. */
export interface Taking {
  /** When they came. */
  readonly came?: Moment;
  /** How many jobs of a long answer are here with them. */
  readonly place?: number;
}

const FILE = 'journal.ndjson';
/** Jobs whose outcome is remembered, so that one that comes again is not printed again. */
const MOST_DONE = 1000;
const DONE_MS = 24 * 60 * 60 * 1000;
/**
 * Time behind a job without a name that is in doubt, in which the same one is the server's next try, and no copy that somebody asks
 * for.
 */
const TRY_MS = 10 * 60 * 1000;
/** The file is written anew when it has grown by so much. */
const GROWTH_BYTES = 4 * 1024 * 1024;

/** The journal of one server. */
export class Journal {
  readonly #file: string;
  /** Bytes of it that could not be read: of a line that a crash cut off, or of what the disk has lost. */
  unread = 0;
  /** In the order in which they came. */
  readonly #jobs = new Map<string, PulledJob>();
  readonly #machine: Machine;
  /** How long the machine had run before this start of it, in milliseconds, as far as it is known. */
  #ranBefore = 0;
  #name: string | undefined;
  #place = 0;
  #came: Moment | undefined;
  #descriptor = -1;
  #grown = 0;

  /** Whether a folder has one. */
  static isIn(directory: string): boolean {
    return existsSync(join(directory, FILE));
  }

  /** Reads it, and writes it anew. Throws where the folder cannot be made, read or written. */
  constructor(directory: string, machine = thisMachine()) {
    this.#machine = machine;
    makeFolder(directory, 0o700);
    this.#file = join(directory, FILE);
    if (existsSync(this.#file))
      for (const text of readFileSync(this.#file, 'utf8').split('\n')) {
        const line = text === '' ? undefined : parsed(text);
        if (line !== undefined) this.#apply(line);
        else this.unread += Buffer.byteLength(text);
      }
    // What a release before this one wrote down is remembered from now on.
    for (const [key, job] of this.#jobs) if (job.ran === undefined) this.#jobs.set(key, { ...job, ran: this.#ran() });
    this.#rewrite();
  }

  /** The name that the server gave to this client (`SetID` of CloudPRNT). */
  get name(): string | undefined {
    return this.#name;
  }

  set name(name: string | undefined) {
    this.#append({ name: name ?? '' });
  }

  /** How many jobs of the long answer are here. */
  get place(): number {
    return this.#place;
  }

  /** When the long answer came; undefined where a release before this one took it. */
  get came(): Moment | undefined {
    return this.#came;
  }

  /** A long answer has come now, and none of its jobs is here. */
  beginAnswer(): void {
    this.#append({ place: 0, came: now(this.#machine) });
  }

  /** Jobs of the long answer up to this one are over, though none of them is here. Never throws: they are read again after a start. */
  pass(place: number): void {
    this.#appendOrKeep({ place });
  }

  /** Jobs that nothing has come of yet, oldest first. */
  open(): PulledJob[] {
    return [...this.#jobs.values()].filter(({ outcome, isHeld }) => outcome === undefined && isHeld !== true);
  }

  /** Jobs that may come again whole, oldest first. */
  held(): PulledJob[] {
    return [...this.#jobs.values()].filter(({ isHeld }) => isHeld === true);
  }

  /** Whether there is another job of this id. */
  hasOther({ key, id }: PulledJob): boolean {
    return [...this.#jobs.values()].some((job) => job.id === id && job.key !== key);
  }

  /** Jobs whose outcome the server does not have yet, oldest first. */
  unreported(): PulledJob[] {
    return [...this.#jobs.values()].filter(({ outcome, reported }) => outcome !== undefined && reported !== true);
  }

  /** True of the token of a job that is here, and of whose outcome the server does not know. */
  isOpen(token: string): boolean {
    return [...this.#jobs.values()].some(({ id, isToken, reported }) => isToken && id === token && reported !== true);
  }

  /**
   * Writes down jobs of one answer, on disk when it returns. One that is here already (the same id with the same document or
   * commands, or the same token as long as the server does not have its outcome) is not taken again: what came of it is reported
   * again, unless it was not printed.
   * The same id with another content is another job. Returns how many of those that can be printed are new. Throws where the disk takes
   * nothing; then none is.
   */
  take(taken: readonly PlacedJob[], { came = now(this.#machine), place }: Taking = {}): number {
    const ran = this.#ran();
    const lines: Line[] = [];
    const ids = new Set<string>();
    const named = new Set<string>();
    for (const { place: own, ...job } of taken) {
      const { id, print = fingerprintOf(job.commands) } = job;
      // An answer may have a job twice.
      const name = `${id} ${job.isToken ? '' : print}`;
      if (id !== undefined && ids.has(name)) continue;
      ids.add(name);
      const known = id === undefined ? undefined : this.#known({ ...job, id, print }, named);
      if (known === undefined)
        lines.push({ job: { ...job, ...kept(job), key: newKey(), print, ...came, ran }, place: own });
      else {
        const { key, document, reported } = known;
        if (reported === true) lines.push({ again: key });
        if (document === undefined && job.document !== undefined) {
          lines.push({ same: key, document: job.document });
          named.add(key);
        }
      }
    }
    if (place !== undefined) lines.push({ place });
    this.#append(...lines);
    return lines.filter((line) => 'job' in line && !('fault' in line.job.commands)).length;
  }

  /** A job is about to be sent to the node in this way. Throws where the disk takes nothing: then it must not be. */
  begin({ key, begun }: PulledJob, how: Begun = {}): void {
    if (begun !== true) this.#append({ begun: key, ...how });
  }

  /** How long ago a job came, or an answer, in milliseconds; undefined where nobody knows, as the machine was started since and its clock is not set. */
  ageMs(moment: Moment): number | undefined {
    return ageMs(moment, this.#machine);
  }

  /** This moment, for `ageMs`. */
  get now(): Moment {
    return now(this.#machine);
  }

  /** What became of a job is known. Never throws: what the disk does not take is asked of the node again after a start. */
  end({ key }: PulledJob, outcome: Outcome): void {
    this.#appendOrKeep({ done: key, outcome });
  }

  /** The server is about to be told the outcome of this job. Never throws: without room it is known to this run alone. */
  tell({ key }: PulledJob): void {
    this.#appendOrKeep({ telling: key });
  }

  /** The server has the outcome of this job. Never throws: it is told again after a start. */
  markReported({ key }: PulledJob): void {
    this.#appendOrKeep({ reported: key });
  }

  /** A job that is held came again, and is forgotten; or it did not, and is open. Never throws. */
  settle({ key }: PulledJob, came: boolean): void {
    this.#appendOrKeep(came ? { gone: key } : { missed: key });
  }

  close(): void {
    if (this.#descriptor >= 0) closeSync(this.#descriptor);
    this.#descriptor = -1;
  }

  /** `named`: jobs of a release before this one that are another one of this answer. */
  #known(taken: TakenJob, named: ReadonlySet<string>): PulledJob | undefined {
    const { id, print, document, isToken } = taken;
    const ran = this.#ran();
    const isTried = ({ nameless, outcome, ran: then = 0 }: PulledJob) =>
      nameless !== true || (outcome?.inDoubt === true && ran - then < TRY_MS);
    const isSame = (job: PulledJob) =>
      (job.id === id && job.print === print) ||
      (document !== undefined && job.document === document && (job.id === id || (taken.nameless && job.nameless)));
    const jobs = [...this.#jobs.values()];
    const last =
      jobs.findLast((job) =>
        job.reported === true ? isSame(job) && isTried(job) : isSame(job) || (isToken && job.id === id),
      ) ??
      jobs.find(
        (job) =>
          isOfBefore(job, taken) && !named.has(job.key) && (job.reported !== true || ran - (job.ran ?? 0) < TRY_MS),
      );
    // A server that was told that nothing was printed may ask for it anew.
    const isOver = last?.outcome?.error !== undefined && last.outcome.inDoubt !== true && last.reported === true;
    return isOver ? undefined : last;
  }

  #apply(line: Line): void {
    if ('came' in line && line.came !== undefined) this.#came = line.came;
    if ('place' in line) this.#place = line.place ?? this.#place;
    if ('job' in line) {
      const { ran = 0, run } = line.job;
      // Of this start of the machine the line that says so is exact.
      if (run !== this.#machine.run) this.#passed({ ran });
      this.#jobs.set(line.job.key, { ...line.job });
    } else if ('ran' in line) this.#passed(line);
    else if ('name' in line) this.#name = line.name || undefined;
    else if (!('place' in line)) {
      const job = this.#jobs.get(keyIn(line));
      if (job === undefined) return;
      if ('begun' in line) Object.assign(job, { begun: true, mark: line.mark, paper: line.paper, cuts: line.cuts });
      else if ('done' in line) {
        // What it printed is of no more use.
        this.#jobs.set(job.key, { ...job, commands: [], outcome: line.outcome });
      } else if ('telling' in line) job.telling = true;
      else if ('gone' in line) this.#jobs.delete(job.key);
      else if ('missed' in line) job.isHeld = false;
      else if ('same' in line) this.#jobs.set(job.key, { ...job, document: line.document });
      else job.reported = 'reported' in line;
    }
  }

  #append(...lines: readonly Line[]): void {
    if (lines.length === 0) return;
    if (this.#descriptor < 0) this.#rewrite();
    try {
      this.#write(lines);
    } catch (error) {
      if (this.#grown === 0) throw error;
      // What is over may be all that takes the room.
      this.#rewrite();
      this.#write(lines);
    }
    for (const line of lines) this.#apply(line);
    if (this.#grown > GROWTH_BYTES) this.#rewrite();
  }

  /** All of them or none: whoever asked for it goes on without. */
  #write(lines: readonly Line[]): void {
    const descriptor = this.#descriptor;
    const { size } = fstatSync(descriptor);
    try {
      this.#grown += writeLines(descriptor, lines);
    } catch (error) {
      ftruncateSync(descriptor, size);
      throw error;
    }
  }

  #appendOrKeep(line: Line): void {
    try {
      this.#append(line);
    } catch {
      this.#apply(line);
    }
  }

  /** How long the machine has run, in all its starts that are known: no clock changes it. */
  #ran(): number {
    return this.#ranBefore + this.#machine.upMs();
  }

  /** The machine had run for so long at some time before. */
  #passed({
    ran,
    run,
    up,
  }: {
    readonly ran: number;
    readonly run?: string | undefined;
    readonly up?: number | undefined;
  }): void {
    this.#ranBefore = Math.max(this.#ranBefore, run === this.#machine.run && up !== undefined ? ran - up : ran);
  }

  /** Writes a new file in place of the old one, without what is over. */
  #rewrite(): void {
    const ran = this.#ran();
    const over = [...this.#jobs.values()].filter(({ reported }) => reported === true);
    const surplus = over.length - MOST_DONE;
    for (const [index, { key, ran: then = ran }] of over.entries())
      if (index < surplus || ran - then > DONE_MS) this.#jobs.delete(key);
    let descriptor = -1;
    try {
      replaceFileNow(this.#file, (fresh) => {
        descriptor = openSync(fresh, 'w', 0o600);
        const { run, upMs } = this.#machine;
        const about = [{ name: this.#name ?? '' }, { place: this.#place, came: this.#came }, { ran, run, up: upMs() }];
        writeLines(descriptor, [...about, ...[...this.#jobs.values()].map((job) => ({ job }))]);
      });
    } catch (error) {
      if (descriptor >= 0) closeSync(descriptor);
      throw error;
    }
    this.close();
    this.#descriptor = descriptor;
    this.#grown = 0;
  }
}

/** What is remembered of a job when it is over, in strings of their own: a piece of an answer holds all of it in memory. */
const kept = ({ id, about }: TakenJob): Pick<TakenJob, 'id' | 'about'> =>
  JSON.parse(JSON.stringify({ ...defined({ id, about }) }));

/**
 * Whether a job may be one that a release before this one wrote down, which made other commands of the same document, and noted these
 * alone: by its name. Of one that was not printed it does not matter.
 */
function isOfBefore(job: PulledJob, { id, nameless, document, about }: TakenJob): boolean {
  if (document === undefined || job.document !== undefined || nameless === true || job.id !== id) return false;
  if (job.about?.['device'] !== about?.['device'] || job.isHeld === true || 'fault' in job.commands) return false;
  const { outcome } = job;
  return outcome?.error === undefined || outcome.inDoubt === true;
}

const newKey = (): string => randomBytes(16).toString('hex');

/** SHA-256 of what a job asks for; line by line, as an image is long. */
export function fingerprintOf(commands: JobCommands): string {
  const hash = createHash('sha256');
  const add = (value: unknown) => void hash.update(`${JSON.stringify(value)}\n`);
  if ('fault' in commands) add(commands);
  else
    for (const command of commands) {
      add(command.type);
      if (command.type === 'print') command.lines.forEach(add);
      else add(command);
    }
  return hash.digest('base64');
}
