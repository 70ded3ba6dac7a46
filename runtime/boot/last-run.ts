/**
 * Which process was started last on this state folder: what one launcher leaves to the next. A launcher that was killed
 * tells nobody. Its image ends by itself, in order, and until it has, the settings and the ports are still its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcess } from '../bindings/native/child.ts';
import { BOOT_FACTS } from './messages.ts';

const POLL_MS = 50;

interface Note {
  /** The kernel's id of the time since the machine was switched on; empty where there is none. */
  readonly machine: string;
  readonly pid: number;
}

export class LastRun {
  readonly #path: string;
  readonly #machine = read('/proc/sys/kernel/random/boot_id').trim();
  readonly #before: Partial<Note>;

  constructor(path: string) {
    this.#path = path;
    this.#before = parse(read(path));
  }

  /** An image was started since the machine was switched on. False where that cannot be known. */
  get hasBeen(): boolean {
    return this.#machine !== '' && this.#before.machine === this.#machine;
  }

  /**
   * In the memory of the machine and not on its disk: when the power is cut it means nothing any more. A folder that
   * takes nothing has no note, and what it would have told is not known.
   */
  note(pid: number | undefined): void {
    try {
      writeFileSync(this.#path, JSON.stringify({ machine: this.#machine, pid }));
    } catch {
      // Nothing can be stored in this folder; /status says so.
    }
  }

  /**
   * Resolves when the image of a launcher that is gone has ended. It does so in order and by itself; one that is stuck
   * hears nothing, and is killed after `patienceMs`. `slots` tells it from another process that was given its number.
   */
  async over(slots: string, patienceMs: number): Promise<void> {
    const { pid } = this.#before;
    if (!this.hasBeen || pid === undefined || !Number.isSafeInteger(pid) || !isOrphan(pid, slots)) return;
    const isOver = async () => {
      const deadline = performance.now() + patienceMs;
      while (isOrphan(pid, slots) && performance.now() < deadline) await delay(POLL_MS);
      return !isOrphan(pid, slots);
    };
    if (await isOver()) return;
    killProcess(pid);
    await isOver();
  }
}

/** An image of these slots whose launcher is not its parent any more. */
function isOrphan(pid: number, slots: string): boolean {
  const facts = read(`/proc/${pid}/environ`)
    .split('\0')
    .find((each) => each.startsWith(`${BOOT_FACTS}=`));
  const { incoming, launcher } = parse(facts?.slice(BOOT_FACTS.length + 1) ?? '') as Record<string, unknown>;
  if (typeof incoming !== 'string' || !incoming.startsWith(`${slots}/`)) return false;
  // Behind the name, which may hold anything: state, and the number of the parent (proc_pid_stat(5)).
  const [, parent] = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return parent !== undefined && Number(parent) !== launcher;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function parse(text: string): Partial<Note> {
  try {
    return Object(JSON.parse(text)) as Partial<Note>;
  } catch {
    return {};
  }
}
