/**
 * A file that grows by lines of JSON, each of which is on the disk before it is spoken of. A line that a crash cut off is
 * skipped. What is no longer needed goes when the file is full: then it is written anew.
 */
import { Buffer } from 'node:buffer';
import type { TSchema } from '@sinclair/typebox';
import type { Bindings } from '../bindings/bindings.ts';
import type { Contract } from './validator.ts';

/** What a journal is made of. */
export interface JournalParts<Entry> {
  readonly node: { readonly bindings: Pick<Bindings, 'storage'>; readonly contract: Contract };
  /** Name of the journal in the storage. */
  readonly file: string;
  /** The schema of one line; lines that do not match are skipped. */
  readonly schema: Pick<TSchema, '$id'>;
  /** The file is written anew at this size. It is read back up to 1 MiB (storage). */
  readonly limitBytes: number;
  /** What a new file needs of what was appended before. */
  readonly kept: () => Iterable<Entry>;
}

/** Lines of one shape in a file of the storage. */
export class Journal<Entry> {
  readonly #parts: JournalParts<Entry>;
  #bytes = 0;

  constructor(parts: JournalParts<Entry>) {
    this.#parts = parts;
  }

  /** All lines of earlier runs, oldest first. Rejects where they cannot be read; the next line then begins a new file. */
  async load(): Promise<Entry[]> {
    const { node, file, schema, limitBytes } = this.#parts;
    this.#bytes = limitBytes;
    const bytes = (await node.bindings.storage.read(file)) ?? new Uint8Array(0);
    this.#bytes = bytes.length;
    const found: Entry[] = [];
    for (const line of Buffer.from(bytes).toString().split('\n')) {
      const entry = line === '' ? undefined : parsed(line);
      if (entry !== undefined && node.contract.fault(schema, entry) === undefined) found.push(entry as Entry);
    }
    return found;
  }

  /** Adds lines at once. Rejects where the disk takes none; a file that was being written anew may have them all the same. */
  append(...entries: readonly Entry[]): Promise<void> {
    return this.#add('append', entries);
  }

  /** As `append`, of a line that a power cut may take (`StorageBinding.note`). */
  note(entry: Entry): Promise<void> {
    return this.#add('note', [entry]);
  }

  async #add(how: 'append' | 'note', entries: readonly Entry[]): Promise<void> {
    const { node, file, limitBytes, kept } = this.#parts;
    const { storage } = node.bindings;
    const lines = Buffer.concat(entries.map(lineOf));
    this.#bytes += lines.length;
    if (this.#bytes <= limitBytes) return storage[how](file, lines);
    const whole = Buffer.concat([...[...kept()].map(lineOf), lines]);
    await storage.write(file, whole);
    this.#bytes = whole.length;
  }
}

/** A line feed on both sides: what a failed write left before it spoils no line but its own. */
export const lineOf = (entry: unknown): Buffer => Buffer.from(`\n${JSON.stringify(entry)}\n`);

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
