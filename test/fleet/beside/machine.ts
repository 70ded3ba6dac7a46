/** What the processors of this machine did: for a test and what it started, and for everybody else. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Parts of a second in which /proc counts processor time (proc_pid_stat(5): sysconf(_SC_CLK_TCK), 100 on Linux). */
const TICKS = 100;

/** Processor time until now, in seconds. */
export interface Spent {
  /** What the processes given have had, and all that they started, also those that have ended. */
  readonly own: number;
  /** What all processes of the machine have had, with what its host took away. */
  readonly all: number;
  /** By `performance.now()`. */
  readonly at: number;
}

/** Looks up what a process, this one unless others are given, and all below it have had. */
export function spentBy(...pids: readonly number[]): Spent {
  const tree = new Set(pids.length === 0 ? [process.pid] : pids);
  const processes = new Map<number, { readonly parent: number; readonly ticks: number }>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const fields = statOf(`/proc/${name}/stat`);
    // Behind the name, which may have spaces: state, ppid, …; utime, stime, cutime and cstime are the 14th to 17th of all.
    const [parent, ...times] = [fields[1], ...fields.slice(11, 15)].map(Number);
    if (parent !== undefined && times.length === 4)
      processes.set(Number(name), { parent, ticks: times.reduce((sum, each) => sum + each, 0) });
  }
  for (let before = 0; before < tree.size; ) {
    before = tree.size;
    for (const [pid, { parent }] of processes) if (tree.has(parent)) tree.add(pid);
  }
  const own = [...tree].reduce((sum, pid) => sum + (processes.get(pid)?.ticks ?? 0), 0);
  // user, nice, system, idle, iowait, irq, softirq, steal: what interrupts take is of no process.
  const [, user = 0, nice = 0, system = 0, , , , , steal = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .map(Number);
  return { own: own / TICKS, all: (user + nice + system + steal) / TICKS, at: performance.now() };
}

function statOf(path: string): string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

/** Which part of the machine others had between two looks: 0 to 1. */
export function othersBetween(before: Spent, after: Spent): number {
  const seconds = ((after.at - before.at) / 1000) * availableParallelism();
  return Math.max(0, (after.all - before.all - (after.own - before.own)) / seconds);
}
