/**
 * What the system of a disk costs: the time from power to the node's answer beside that of a bare Debian to its
 * multi-user.target, and memory. Both start in the machine of the stories, by the clock of that machine, which counts
 * instructions; both for the second time, as a box does every morning.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, Running } from '../disk/machine.ts';
import { needTools } from '../tools.ts';
import { bareDebian, REACHED } from './bare-debian.ts';
import type { Entry } from './measure.ts';

const MB = 1_000_000;
const MEMORY_MB = 90;
/** By the clock of this computer: a machine that is not ready by then never will be. */
const BOOT_MS = 1_200_000;

const answered = (running: Running) => running.answered('/status', BOOT_MS);
const reached = async (running: Running) => {
  const until = performance.now() + BOOT_MS;
  while (!running.log.includes(REACHED)) {
    if (performance.now() > until) throw new Error(`not ready\n${running.log.slice(-4000)}`);
    await delay(1000);
  }
};

/** Seconds from power to ready, then what `ask` makes of the machine. The plug is pulled afterwards. */
async function start(
  medium: Medium,
  ready: (running: Running) => Promise<unknown>,
  ask?: (running: Running) => Promise<void>,
) {
  const running = await Running.powerOn(medium);
  try {
    await ready(running);
    const seconds = await running.seconds();
    await ask?.(running);
    return seconds;
  } finally {
    await running.cut();
  }
}

export async function diskBench(): Promise<Entry[]> {
  const missing = needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS]);
  if (missing !== undefined) throw new Error(missing);
  const disk = new Medium('bench', madeImage('wifi'));
  const bare = new Medium('bench-bare', bareDebian('amd64'));
  let memory = 0;
  const idle = async (running: Running) => {
    memory = (await running.memoryAtRest()) / MB;
  };
  const first = { ours: await start(disk, answered), theirs: await start(bare, reached) };
  const again = { ours: await start(disk, answered, idle), theirs: await start(bare, reached) };
  const ratioOf = ({ ours, theirs }: typeof first) => ours / theirs;
  return [
    { name: 'disk.boot', ratio: ratioOf(again), ...again, unit: 's' },
    { name: 'disk.first', ratio: ratioOf(first), ...first, unit: 's' },
    { name: 'disk.memory', ratio: memory / MEMORY_MB, ours: memory, theirs: MEMORY_MB, unit: 'MB' },
  ];
}
