/**
 * An answer of a server that is too long to hold, on disk: a server that forgets jobs as it hands them out has hundreds after a
 * day on which the printer was off. Its jobs go into the journal some at a time, as the ones before them are over.
 */

import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { type SdpJob, type SdpJobs, SdpReader, sdpJob } from '../../codecs/epos-sdp.ts';
import { EPOS_DEVICE } from '../../codecs/epos-xml-values.ts';
import { declaring, type XmlDecoder, xmlDecoder } from '../../codecs/xml-encoding.ts';
import { syncNow, writeAllNow } from '../base/durable.ts';
import { messageOf } from '../base/thrown.ts';
import type { Journal, PlacedJob, Taking } from './journal.ts';

/** Bytes of an answer: 1,000 receipts as images. */
export const LONG_ANSWER_BYTES: number = 96 * 1024 * 1024;
/** Characters of the jobs that are taken from it at once, about. */
const AT_ONCE = 256 * 1024;
/** The most that an answer takes of what is free on the disk: its jobs need room in the journal, and so do other servers. */
const SHARE = 1 / 3;
const CHUNK_BYTES = 64 * 1024;
const FILE = 'answer.xml';

/** Some jobs, and what the journal is to know of where they come from. */
export interface Portion {
  readonly version: string;
  readonly jobs: readonly (SdpJob & Pick<PlacedJob, 'place'>)[];
  readonly fault?: string | undefined;
  readonly from: Taking;
}

/** The long answer of one server, if there is one. */
export class LongAnswer {
  readonly #folder: string;
  readonly #file: string;
  readonly #journal: Journal;
  readonly #tidy: () => void;
  readonly #freeBytes: (folder: string) => number;
  /** What stands on the disk ends where there was no more room: the jobs from there on are told. */
  #isCut = false;
  #lost: SdpJobs | undefined;
  /** The last one given. */
  #given: Portion | undefined;
  #portions: AsyncGenerator<Portion> | undefined;

  /** `folder`: that of the journal. `tidy`: memory may be given back. `freeBytes`: of its disk. */
  constructor(folder: string, journal: Journal, tidy: () => void = () => {}, freeBytes = freeBytesOf) {
    this.#folder = folder;
    this.#freeBytes = freeBytes;
    this.#file = join(folder, FILE);
    this.#journal = journal;
    this.#tidy = tidy;
  }

  /**
   * Runs `receive` with what takes the bytes of an answer; those that it was given are on disk, and its jobs are next, when this
   * resolves. Jobs that find no room there are `lost`.
   */
  async received<T>(receive: (overflow: (bytes: Uint8Array, mediaType: string) => void) => Promise<T>): Promise<T> {
    const fresh = `${this.#file}.new`;
    let descriptor = -1;
    let length = 0;
    let most = 0;
    let unplaced: Unplaced | undefined;
    try {
      const result = await receive((piece, mediaType) => {
        const bytes = descriptor < 0 ? declaring(piece, mediaType) : piece;
        if (descriptor < 0) {
          descriptor = openSync(fresh, 'w+', 0o600);
          most = Math.floor(this.#freeBytes(this.#folder) * SHARE);
        }
        const at = length;
        length += bytes.length;
        if (length > LONG_ANSWER_BYTES) throw new Error(`the answer is over ${LONG_ANSWER_BYTES} bytes`);
        if (unplaced === undefined && !(length <= most && isWritten(descriptor, bytes, at)))
          unplaced = new Unplaced(descriptor, true);
        unplaced?.write(bytes);
        this.#tidy();
      });
      if (descriptor < 0) return result;
      try {
        fsyncSync(descriptor);
        this.#journal.beginAnswer();
        renameSync(fresh, this.#file);
        syncNow(this.#folder);
        this.#isCut = unplaced !== undefined;
      } catch (error) {
        if (!isFull(error)) throw error;
        // Nothing of it can be kept.
        rmSync(this.#file, { force: true });
        const parts: Unplaced | undefined = unplaced;
        unplaced = new Unplaced(descriptor, false, parts);
      }
      this.#lost = unplaced?.end();
      return result;
    } finally {
      if (descriptor >= 0) closeSync(descriptor);
      rmSync(fresh, { force: true });
    }
  }

  /** The jobs of the last answer that found no room on the disk; they are given once. */
  takeLost(): SdpJobs | undefined {
    const lost = this.#lost;
    this.#lost = undefined;
    return lost;
  }

  /** The next of its jobs, those of the last call if the journal has not taken them; undefined where none is left, or no answer. */
  async next(): Promise<Portion | undefined> {
    if ((this.#given?.from.place ?? 0) > this.#journal.place) return this.#given;
    if (!existsSync(this.#file)) return undefined;
    this.#portions ??= this.#read();
    this.#given = (await this.#portions.next()).value;
    if (this.#given === undefined) {
      this.#portions = undefined;
      rmSync(this.#file, { force: true });
    }
    return this.#given;
  }

  async close(): Promise<void> {
    await this.#portions?.return(undefined);
  }

  async *#read(): AsyncGenerator<Portion, undefined> {
    // A release before this one left the time of the file alone.
    const { place: passed, came = { at: statSync(this.#file).mtimeMs } } = this.#journal;
    const reader = new SdpReader();
    let jobs: Portion['jobs'][number][] = [];
    let characters = 0;
    let place = 0;
    const add = (job: () => SdpJob) => {
      place += 1;
      if (place > passed) jobs.push({ ...job(), place });
    };
    const portion = (): Portion => ({ version: reader.version, jobs, from: { came, place } });
    for await (const piece of this.#pieces()) {
      if (typeof piece !== 'string') {
        add(() => ({ device: EPOS_DEVICE, commands: piece }));
        break;
      }
      characters += piece.length;
      for (const part of reader.write(piece)) add(() => sdpJob(part));
      if (jobs.length === 0 || characters < AT_ONCE) continue;
      yield portion();
      jobs = [];
      characters = 0;
    }
    reader.end();
    if (!this.#isCut) for (const fault of reader.faults) add(() => fault);
    if (jobs.length > 0) yield { ...portion(), fault: this.#isCut ? undefined : reader.fault };
    return undefined;
  }

  /** The text of it; or why it has none. */
  async *#pieces(): AsyncGenerator<string | { readonly fault: string }> {
    let decoder: XmlDecoder | undefined;
    for await (const bytes of createReadStream(this.#file) as AsyncIterable<Buffer>) {
      try {
        decoder ??= xmlDecoder(bytes);
      } catch (error) {
        yield { fault: messageOf(error) };
        return;
      }
      yield decoder.decode(bytes);
      this.#tidy();
    }
  }
}

/** The jobs of an answer that found no room: their names, and nothing of what they print. */
class Unplaced {
  readonly #reader = new SdpReader();
  readonly #jobs: SdpJob[] = [];
  #isPlaced: boolean;
  #decoder: XmlDecoder | undefined;

  /** Reads what is in the file: its jobs are placed, or unplaced as all are. `behind`: the jobs that come behind it. */
  constructor(descriptor: number, isPlaced: boolean, behind?: Unplaced) {
    this.#isPlaced = isPlaced;
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0, read = 1; read > 0; at += read) {
      read = readSync(descriptor, chunk, 0, chunk.length, at);
      this.write(chunk.subarray(0, read));
    }
    this.#isPlaced = false;
    if (behind !== undefined) this.#jobs.push(...behind.#jobs);
  }

  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    try {
      this.#decoder ??= xmlDecoder(bytes);
    } catch {
      // An answer that nobody can read has no names.
      return;
    }
    for (const part of this.#reader.write(this.#decoder.decode(bytes))) {
      if (this.#isPlaced) continue;
      const { id, device } = sdpJob(part);
      // A piece of a text holds all of it in memory.
      const names: Pick<SdpJob, 'id' | 'device'> = JSON.parse(JSON.stringify({ id, device }));
      this.#jobs.push({ ...names, commands: NO_ROOM });
    }
  }

  end(): SdpJobs {
    this.#reader.end();
    const { version, faults } = this.#reader;
    const named = faults.filter(({ id }) => id !== undefined);
    return { version, jobs: [...this.#jobs, ...named.map((each) => ({ ...each, commands: NO_ROOM }))] };
  }
}

const NO_ROOM = { fault: 'there is no room for it on the disk of the client; nothing was printed' };

/** False where the disk takes no more; then the file is as it was. */
function isWritten(descriptor: number, bytes: Uint8Array, position: number): boolean {
  try {
    writeAllNow(descriptor, bytes, position);
    return true;
  } catch (error) {
    if (!isFull(error)) throw error;
    ftruncateSync(descriptor, position);
    return false;
  }
}

/** Whether this is the error of a disk, or of a quota, that is full. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && /^(ENOSPC|EDQUOT|EFBIG)$/.test(String((error as NodeJS.ErrnoException).code));

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
