/**
 * One life of a machine whose disk is recorded, and that disk as a power cut at any moment of it would have left it. What
 * stood before the last flush is there. Of every write since then it is chance whether all of it is there, its first
 * sectors, or nothing, whatever their order: so a medium may do that has a cache of its own. A sector is written or not.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { loggedDisk, loggedIn, loggedSoFar, type Write } from '../lab/write-log.ts';
import type { Medium } from './machine.ts';

const SECTOR = 512;

/** What a cut did to the writes that no flush had followed. */
export interface Cut {
  readonly flushed: number;
  readonly kept: number;
  readonly torn: number;
  readonly lost: number;
}

export class Recording {
  readonly #log: string;

  constructor(log: string) {
    this.#log = log;
  }

  /** QEMU's options of the disk of a machine that is recorded from here on. */
  start(medium: Pick<Medium, 'path'>): string[] {
    return loggedDisk(medium.path, this.#log);
  }

  /** Writes and flushes until now: the moment that it is, of this recording. */
  get now(): number {
    return loggedSoFar(this.#log);
  }

  /** The moments of the flushes. */
  flushes(): number[] {
    return this.#read((log) => [...loggedIn(log)].flatMap((entry, at) => (entry === 'flush' ? [at] : [])));
  }

  /** Makes a medium, as it was when the recording began, what a cut at the moment left. `random`: 0 to 1. */
  cut(medium: Pick<Medium, 'path'>, moment: number, random: () => number): Cut {
    return this.#read((log) => {
      const target = openSync(medium.path, 'r+');
      const put = ({ at, from }: Write, length: number) => {
        const bytes = Buffer.alloc(length);
        readSync(log, bytes, 0, length, from);
        writeSync(target, bytes, 0, length, at);
      };
      let flushed = 0;
      let pending: Write[] = [];
      let at = 0;
      for (const entry of loggedIn(log)) {
        if (at === moment) break;
        at += 1;
        if (entry === 'flush') {
          for (const write of pending) put(write, write.length);
          flushed += pending.length;
          pending = [];
        } else if (entry !== 'discard') {
          pending.push(entry);
        }
      }
      // A cache that had been emptied almost, or hardly.
      const chance = random();
      const counts = { kept: 0, torn: 0, lost: 0 };
      for (const write of pending) {
        const sectors = write.length / SECTOR;
        const luck = random();
        const written = luck < chance ? sectors : luck < (1 + chance) / 2 ? Math.floor(random() * sectors) : 0;
        if (written > 0) put(write, written * SECTOR);
        counts[written === sectors ? 'kept' : written > 0 ? 'torn' : 'lost'] += 1;
      }
      closeSync(target);
      return { flushed, ...counts };
    });
  }

  #read<T>(work: (log: number) => T): T {
    const log = openSync(this.#log, 'r');
    try {
      return work(log);
    } finally {
      closeSync(log);
    }
  }
}
