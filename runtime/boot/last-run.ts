/**
 * A note in the state folder about the image that was started last, for the next launcher. After a launcher was killed,
 * its image ends by itself; until then it still uses the settings and the ports.
 */
import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { BOOT_FACTS } from '../bindings/boot-messages.ts';
import { killProcess } from '../bindings/native/child.ts';
import { oomKills } from './oom-kills.ts';

const POLL_MS = 50;
/** Opening a FIFO that has no other end would wait for ever (open(2)). */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK;

interface Note {
  /** Boot id of the Linux kernel (random(4)); '' if unknown. */
  readonly machine: string;
  readonly pid: number;
  /** At the start of the image. */
  readonly oomKills: number;
}

/** The note at `path`, as the previous launcher left it; `note` overwrites it. */
export class LastRun {
  readonly #path: string;
  readonly #machine = read('/proc/sys/kernel/random/boot_id').trim();
  readonly #before: Partial<Note>;

  constructor(path: string) {
    this.#path = path;
    this.#before = parse(read(path));
  }

  /** Whether an image was started since the machine booted. False if that is unknown. */
  get hasBeen(): boolean {
    return this.#machine !== '' && this.#before.machine === this.#machine;
  }

  /**
   * Whether the end of the previous launcher cannot have been caused by its image: the machine went on running, and did
   * not run out of memory.
   */
  get isBlameless(): boolean {
    return this.hasBeen && this.#before.oomKills === oomKills();
  }

  /**
   * Notes the process id of an image that was started. Not synced to the disk, as it means nothing after a power cut.
   * If the folder cannot be written there is no note, and the next launcher assumes a power-on.
   */
  note(pid: number | undefined): void {
    try {
      const note = JSON.stringify({ machine: this.#machine, pid, oomKills: oomKills() });
      withFile(this.#path, WRITE, (file) => writeFileSync(file, note));
    } catch {
      // Nothing can be stored in this folder; /status says so.
    }
  }

  /**
   * Waits until the noted image has ended, if its launcher is gone; after `patienceMs` it is killed. `slots`: folder of
   * the boot slots, which distinguishes an image from another process with the same id. Never rejects.
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

/** Whether the process is an image of these slots whose launcher is no longer its parent. */
function isOrphan(pid: number, slots: string): boolean {
  const facts = read(`/proc/${pid}/environ`)
    .split('\0')
    .find((each) => each.startsWith(`${BOOT_FACTS}=`));
  const { incoming, launcher } = parse(facts?.slice(BOOT_FACTS.length + 1) ?? '') as Record<string, unknown>;
  if (typeof incoming !== 'string' || !incoming.startsWith(`${slots}/`)) return false;
  // The fields after the name, which may contain any character: state, parent's process id (proc_pid_stat(5)).
  const [, parent] = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return parent !== undefined && Number(parent) !== launcher;
}

function read(path: string): string {
  try {
    return withFile(path, READ, (file) => readFileSync(file, 'utf8'));
  } catch {
    return '';
  }
}

function withFile<T>(path: string, flags: number, use: (file: number) => T): T {
  const file = openSync(path, flags);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

function parse(text: string): Partial<Note> {
  try {
    return Object(JSON.parse(text)) as Partial<Note>;
  } catch {
    return {};
  }
}
