/**
 * What the system of a disk costs: the time from power to the node's answer beside that of a bare Debian to its
 * multi-user.target, and memory. Both start in the machine of the stories, by the clock of that machine, which counts
 * instructions; both for the second time, as a box does every morning.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { addCounter, COUNTER_TOOLS, Counter, counterLines } from '../disk/counter.ts';
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
  more: readonly string[] = [],
) {
  const running = await Running.powerOn(medium, { more });
  try {
    await ready(running);
    const seconds = await running.seconds();
    await ask?.(running);
    return seconds;
  } finally {
    await running.cut();
  }
}

/** A till on the machine itself that asks until it is answered: what it prints stands on the paper of a printer on USB. */
export const TILL = `until busybox wget -q -O - --header 'Content-Type: application/json' \\
  --post-data '{"type":"print","id":"'$(cat /proc/uptime | tr -d ' .')'","endpoint":"receipt","lines":[{"type":"text","value":"First receipt"}]}' \\
  http://127.0.0.1/print; do sleep 0.1; done`;

/** Seconds from power to the first receipt on paper, at the second start. */
async function firstReceipt(image: string): Promise<number> {
  const medium = new Medium('bench-receipt', image);
  addCounter(medium);
  let already = 0;
  const printed = async () => {
    const counter = await Counter.of(medium);
    const asked = counter.run(TILL);
    const paper = await counter.paper((all) => all.includes('First receipt', already), BOOT_MS);
    already = paper.length;
    await asked;
    counter.close();
  };
  const once = () => start(medium, printed, undefined, counterLines(medium));
  await once();
  return once();
}

export async function diskBench(): Promise<Entry[]> {
  const missing = needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS, ...COUNTER_TOOLS]);
  if (missing !== undefined) throw new Error(missing);
  const image = madeImage('wifi');
  const disk = new Medium('bench', image);
  const bare = new Medium('bench-bare', bareDebian('amd64'));
  let memory = 0;
  const idle = async (running: Running) => {
    memory = (await running.memoryAtRest()) / MB;
  };
  const first = { ours: await start(disk, answered), theirs: await start(bare, reached) };
  const again = { ours: await start(disk, answered, idle), theirs: await start(bare, reached) };
  const receipt = { ours: await firstReceipt(image), theirs: again.theirs };
  const ratioOf = ({ ours, theirs }: typeof first) => ours / theirs;
  return [
    { name: 'disk.boot', ratio: ratioOf(again), ...again, unit: 's' },
    { name: 'disk.receipt', ratio: ratioOf(receipt), ...receipt, unit: 's' },
    { name: 'disk.first', ratio: ratioOf(first), ...first, unit: 's' },
    { name: 'disk.memory', ratio: memory / MEMORY_MB, ours: memory, theirs: MEMORY_MB, unit: 'MB' },
  ];
}
