/**
 * An answer of a server that is too long to hold, on disk: a server that forgets jobs as it hands them out has hundreds after a
 * day on which the printer was off. Its jobs go into the journal some at a time, as the ones before them are over.
 */
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type SdpJob, SdpReader, sdpJob } from '../../codecs/epos-sdp.ts';
import { EPOS_DEVICE } from '../../codecs/epos-xml-values.ts';
import { type XmlDecoder, xmlDecoder } from '../../codecs/xml-encoding.ts';
import { syncNow } from '../base/durable.ts';
import { messageOf } from '../base/thrown.ts';
import type { Journal, PlacedJob, Taking } from './journal.ts';

/** Bytes of an answer: 1,000 receipts as images. */
export const LONG_ANSWER_BYTES: number = 96 * 1024 * 1024;
/** Characters of the jobs that are taken from it at once, about. */
const AT_ONCE = 1024 * 1024;
const FILE = 'answer.xml';

/** Some jobs, and what the journal is to know of where they come from. */
export interface Portion {
  readonly version: string;
  readonly jobs: readonly (SdpJob & Pick<PlacedJob, 'place' | 'print'>)[];
  readonly fault?: string | undefined;
  readonly from: Taking;
}

/** The long answer of one server, if there is one. */
export class LongAnswer {
  readonly #folder: string;
  readonly #file: string;
  readonly #journal: Journal;
  readonly #tidy: () => void;
  /** The last one given. */
  #given: Portion | undefined;
  #portions: AsyncGenerator<Portion> | undefined;

  /** `folder`: that of the journal. `tidy`: memory may be given back. */
  constructor(folder: string, journal: Journal, tidy: () => void = () => {}) {
    this.#folder = folder;
    this.#file = join(folder, FILE);
    this.#journal = journal;
    this.#tidy = tidy;
  }

  /** Runs `receive` with what takes the bytes of an answer; those that it was given are on disk, and its jobs are next, when this resolves. */
  async received<T>(receive: (overflow: (bytes: Uint8Array) => void) => Promise<T>): Promise<T> {
    const fresh = `${this.#file}.new`;
    let descriptor = -1;
    let length = 0;
    try {
      const result = await receive((bytes) => {
        if (descriptor < 0) descriptor = openSync(fresh, 'w', 0o600);
        length += bytes.length;
        if (length > LONG_ANSWER_BYTES) throw new Error(`the answer is over ${LONG_ANSWER_BYTES} bytes`);
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
        this.#tidy();
      });
      if (descriptor < 0) return result;
      fsyncSync(descriptor);
      this.#journal.place = 0;
      renameSync(fresh, this.#file);
      syncNow(this.#folder);
      return result;
    } finally {
      if (descriptor >= 0) closeSync(descriptor);
      rmSync(fresh, { force: true });
    }
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
    const at = statSync(this.#file).mtimeMs;
    const { place: passed } = this.#journal;
    const reader = new SdpReader();
    let jobs: Portion['jobs'][number][] = [];
    let characters = 0;
    let place = 0;
    const add = (job: () => SdpJob) => {
      place += 1;
      if (place > passed) jobs.push({ ...job(), place });
    };
    const portion = (): Portion => ({ version: reader.version, jobs, from: { at, place } });
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
    for (const fault of reader.faults) add(() => fault);
    if (jobs.length > 0) yield { ...portion(), fault: reader.fault };
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
    yield decoder?.end() ?? '';
  }
}
