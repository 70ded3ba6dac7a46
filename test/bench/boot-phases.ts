/**
 * Where the time of a start goes: what kernel, systemd and node say on the serial line of the machine of the stories, by its
 * own clock, at its second start. Seconds from power to each mark, as parts of those to the last one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { changeEntry } from '../disk/entry.ts';
import { IMAGE_TOOLS, MACHINE_TOOLS, Medium, madeImage, POWER_ON, Running } from '../disk/machine.ts';
import { needTools } from '../tools.ts';
import type { Entry } from './measure.ts';

/** In the order in which a start comes by them; the network may be earlier or later. */
const MARKS: readonly (readonly [name: string, said: RegExp])[] = [
  ['kernel', /Run \/init as init process/],
  ['root', /device-mapper: verity: /],
  ['data', /EXT4-fs \(\S+\): mounted filesystem/],
  ['systemd', /systemd\[1\]: systemd \S+ running in system mode/],
  ['usb', /usbcore: registered new device driver usb/],
  ['udev', /Started systemd-udevd\.service/],
  ['launcher', /"msg":"image started"/],
  ['network', /NetworkManager\[\d+\]: .*startup complete/],
  ['node', /node\[\d+\]: ready http/],
  ['printing', /node\[\d+\]: raw /],
];
/** Everything is said, and at once. */
const WORDS = 'printk.devkmsg=on systemd.log_target=kmsg systemd.journald.forward_to_console=1';
/** By the clock of this computer: a machine that is not ready by then never will be. */
const BOOT_MS = 1_200_000;

/** Seconds since the kernel began at which each mark was said; without those that were not. */
export function marksOf(log: string): Map<string, number> {
  const lines = [...log.matchAll(/^\[ *(\d+\.\d+)\] (.*)$/gm)].map(([, at, said = '']) => ({ at: Number(at), said }));
  return new Map(
    MARKS.flatMap(([name, said]) => {
      const line = lines.find((each) => said.test(each.said));
      return line === undefined ? [] : [[name, line.at]];
    }),
  );
}

/** Seconds from power to the first line of the kernel, by the machine's battery-backed clock: to within one. */
export function firmwareOf(log: string): number {
  const [, at, clock] = /^\[ *(\d+\.\d+)\] .*setting system clock to (\S+) UTC/m.exec(log) ?? [];
  return (Date.parse(`${clock}Z`) - Date.parse(`${POWER_ON}Z`)) / 1000 - Number(at);
}

async function started(medium: Medium): Promise<string> {
  const running = await Running.powerOn(medium);
  try {
    const until = performance.now() + BOOT_MS;
    while (!marksOf(running.log).has('printing')) {
      if (performance.now() > until) throw new Error(`not ready\n${running.log.slice(-4000)}`);
      await delay(1000);
    }
    await running.answered('/status', BOOT_MS);
    return running.log;
  } finally {
    await running.cut();
  }
}

export async function bootPhasesBench(): Promise<Entry[]> {
  const missing = needTools([...IMAGE_TOOLS, ...MACHINE_TOOLS]);
  if (missing !== undefined) throw new Error(missing);
  const medium = new Medium('bench-phases', madeImage('wifi'));
  changeEntry(medium, (entry) => entry.replace(' quiet ', ` ${WORDS} `));
  await started(medium);
  const log = await started(medium);
  const firmware = firmwareOf(log);
  const marks = [['firmware', 0] as const, ...marksOf(log)].map(([name, at]) => [name, firmware + at] as const);
  const theirs = Math.max(...marks.map(([, at]) => at));
  return marks.map(([name, ours]) => ({ name: `boot.phases.${name}`, ratio: ours / theirs, ours, theirs, unit: 's' }));
}
