/**
 * Where the time of a start goes: what kernel, systemd, node and printer say on the serial line of the machine of the stories,
 * by its own clock, at its second start. Seconds from power to each mark, beside those of a bare Debian with the same kernel
 * and boot loader to its own: to the same mark where it has one, else to its multi-user.target.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { addCounter, COUNTER_TOOLS, Counter, counterLines } from '../disk/counter.ts';
import { changeEntry } from '../disk/entry.ts';
import { IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, POWER_ON, Running } from '../disk/machine.ts';
import { needTools } from '../tools.ts';
import { BARE_ENTRY, bareDebian } from './bare-debian.ts';
import { TILL } from './disk.ts';
import type { Entry } from './measure.ts';

/** What stands for a mark on our serial line, and on that of the bare Debian. In the order in which a start comes by them. */
interface Mark {
  readonly name: string;
  readonly ours: RegExp;
  readonly theirs?: RegExp;
}

const both = (name: string, said: RegExp): Mark => ({ name, ours: said, theirs: said });
/** The network may be earlier or later. */
const MARKS: readonly Mark[] = [
  both('kernel', /Run \/init as init process/),
  { name: 'root', ours: /device-mapper: verity: /, theirs: /EXT4-fs \(\S+\): mounted filesystem/ },
  { name: 'data', ours: /EXT4-fs \(\S+\): mounted filesystem/, theirs: /EXT4-fs \(\S+\): re-mounted/ },
  both('systemd', /systemd\[1\]: systemd \S+ running in system mode/),
  both('usb', /usbcore: registered new device driver usb/),
  both('udev', /Started systemd-udevd\.service/),
  { name: 'printer', ours: /Product: TM-T20III/ },
  { name: 'launcher', ours: /"msg":"image started"/ },
  {
    name: 'network',
    ours: /NetworkManager\[\d+\]: .*startup complete/,
    theirs: /Reached target network\.target/,
  },
  { name: 'node', ours: /node\[\d+\]: ready http/ },
  { name: 'printing', ours: /node\[\d+\]: raw / },
  { name: 'receipt', ours: /counter: a receipt is in printer 0/ },
];
const LAST = /Reached target multi-user\.target/;
/** Everything is said, and at once. */
const WORDS = 'printk.devkmsg=on systemd.log_target=kmsg systemd.journald.forward_to_console=1';
/** By the clock of this computer: a machine that is not ready by then never will be. */
const BOOT_MS = 1_200_000;

/** Seconds since the kernel began at which something was said first; undefined where it was not. */
function saidAt(log: string, said: RegExp): number | undefined {
  for (const [, at, line = ''] of log.matchAll(/^\[ *(\d+\.\d+)\] (.*)$/gm)) if (said.test(line)) return Number(at);
  return undefined;
}

/** Seconds from power to the first line of the kernel, by the machine's battery-backed clock: to within one. */
function firmwareOf(log: string): number {
  const [, at, clock] = /^\[ *(\d+\.\d+)\] .*setting system clock to (\S+) UTC/m.exec(log) ?? [];
  return (Date.parse(`${clock}Z`) - Date.parse(`${POWER_ON}Z`)) / 1000 - Number(at);
}

/** What a machine says from power on until it said the last thing and does no more `beside` it. The plug is pulled then. */
async function logUntil(
  medium: Medium,
  last: RegExp,
  more: readonly string[] = [],
  beside?: () => Promise<unknown>,
): Promise<string> {
  const running = await Running.powerOn(medium, { more });
  try {
    const done = beside?.();
    const until = performance.now() + BOOT_MS;
    while (saidAt(running.log, last) === undefined) {
      if (performance.now() > until) throw new Error(`not ready\n${running.log.slice(-4000)}`);
      await delay(1000);
    }
    await done;
    return running.log;
  } finally {
    await running.cut();
  }
}

/** The log of a disk that prints a receipt as soon as its node takes one, at its second start. */
async function ourLog(): Promise<string> {
  const medium = new Medium('bench-phases', madeImage('wifi'));
  addCounter(medium);
  changeEntry(medium, (entry) => entry.replace(' quiet ', ` ${WORDS} `));
  const once = () =>
    logUntil(medium, MARKS.at(-1)!.ours, counterLines(medium), async () => {
      const counter = await Counter.of(medium);
      await counter.run(TILL);
      counter.close();
    });
  await once();
  return once();
}

async function bareLog(): Promise<string> {
  const medium = new Medium('bench-phases-bare', bareDebian('amd64'));
  changeEntry(medium, (entry) => entry.replace(/ quiet$/m, ` ${WORDS}`), BARE_ENTRY);
  await logUntil(medium, LAST);
  return logUntil(medium, LAST);
}

/** The entries of these two logs. */
function phasesOf(log: string, bare: string): Entry[] {
  const [firmware, bareFirmware] = [firmwareOf(log), firmwareOf(bare)];
  const last = saidAt(bare, LAST)!;
  const entry = (name: string, ours: number, theirs: number): Entry => ({
    name: `boot.phases.${name}`,
    ...{ ratio: ours / theirs, ours, theirs, unit: 's' },
  });
  return [
    entry('firmware', firmware, bareFirmware),
    ...MARKS.flatMap(({ name, ours, theirs }) => {
      const at = saidAt(log, ours);
      const theirAt = (theirs && saidAt(bare, theirs)) ?? last;
      return at === undefined ? [] : [entry(name, firmware + at, bareFirmware + theirAt)];
    }),
  ];
}

export async function bootPhasesBench(): Promise<Entry[]> {
  const missing = needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS, ...COUNTER_TOOLS]);
  if (missing !== undefined) throw new Error(missing);
  return phasesOf(await ourLog(), await bareLog());
}
