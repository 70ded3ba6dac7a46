/** One life of a disk: from its first start, over an update, to one that is no good and is taken back; and what of it outlives a cut. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { offsetOf } from '../../runtime/disk/partitions.ts';
import { changed, panicking } from './bundles.ts';
import { Medium, Running } from './machine.ts';
import type { Recording } from './recording.ts';
import { setUpdateKey, upload } from './upload.ts';

/** By the clock of this computer: a machine that has not answered by then never will. */
export const BOOT_MS = 1_800_000;
/** Width of a new node (printWidthCols). */
const WIDTH = 48;
/** Each of these, in this order. */
const WIDTHS = Array.from({ length: 20 }, (_, at) => 20 + at);
const PAUSE_MS = 1000;
/** As often a system that is tried is started. */
const TRIES = 3;

interface Status {
  readonly identity: { readonly deviceId: string };
  readonly boot: { readonly system: { readonly slot: string; readonly failed: readonly string[] } };
}

/** When something was asked for and when it was answered, as moments of the recording. */
interface Asked {
  readonly from: number;
  readonly to: number;
}
/** What happened, and when. */
export interface Life {
  readonly deviceId: string;
  /** The first answer. */
  readonly answered: number;
  readonly widths: readonly (Asked & { readonly width: number })[];
  readonly update: Asked;
  /** The system that it brought runs, and is not on trial any more. */
  readonly kept: number;
  readonly badUpdate: Asked;
  /** The system before it runs again. */
  readonly back: number;
}

/** One after the other. */
export const PHASES = [
  'first start',
  'settings',
  'update',
  'trial',
  'settings of the new',
  'bad update',
  'rollback',
] as const;
export type Phase = (typeof PHASES)[number];

/** From where to where. */
export const phaseOf = (life: Life, phase: Phase): Asked => {
  const ends = [0, life.answered, life.update.from, life.update.to, life.kept, life.badUpdate.from, life.badUpdate.to];
  const at = PHASES.indexOf(phase);
  return { from: ends[at]!, to: ends[at + 1] ?? life.back };
};

/** A moment: of the time from one flush to the next, where some are long, or else of all writes. */
export function momentIn({ from, to }: Asked, flushes: readonly number[], random: () => number): number {
  const between = (low: number, high: number) => low + 1 + Math.floor(random() * Math.max(1, high - low));
  const marks = [from, ...flushes.filter((at) => at > from && at < to), to];
  if (random() < 0.5) return between(from, to);
  const at = Math.floor(random() * (marks.length - 1));
  return between(marks[at]!, marks[at + 1]!);
}

/** Names of the boot entries on a medium, also of a machine that runs. */
const entriesOn = (medium: Medium): string =>
  execFileSync('mdir', ['-b', '-i', `${medium.path}@@${offsetOf('esp')}`, '::loader/entries'], {
    env: { ...process.env, MTOOLS_SKIP_CHECK: '1' },
    encoding: 'utf8',
  });

async function setWidth(url: string, columns: number): Promise<void> {
  const response = await fetch(`${url}/config`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ printWidthCols: columns }),
    signal: AbortSignal.timeout(BOOT_MS),
  });
  if (response.status !== 200) throw new Error(`the width is refused: ${response.status} ${await response.text()}`);
}

/** One life on a new medium, from its first start on. */
export async function live(image: string, recording: Recording): Promise<Life> {
  const shipped = readFileSync(image.replace('.img.zst', '.system'));
  const medium = new Medium('power', image);
  const running = await Running.powerOn(medium, { disk: recording.start(medium) });
  const asked = async (work: () => Promise<void>): Promise<Asked> => {
    const from = recording.now;
    await work();
    return { from, to: recording.now };
  };
  const setAll = async (widths: readonly number[]) => {
    const set: Life['widths'][number][] = [];
    for (const width of widths) set.push({ ...(await asked(() => setWidth(running.url, width))), width });
    return set;
  };
  const send = (bundle: Buffer) =>
    asked(async () => {
      const { status, error } = await upload(running.url, bundle, BOOT_MS);
      if (status !== 200) throw new Error(`the system is refused: ${status} ${error}`);
    });

  try {
    const first = await running.statusUntil<Status>(() => true, BOOT_MS);
    const answered = recording.now;
    await setUpdateKey(running.url);
    const half = WIDTHS.length / 2;
    const before = await setAll(WIDTHS.slice(0, half));
    const update = await send(changed(shipped, { version: '0.2.0' }));
    await running.statusUntil<Status>(({ boot }) => boot.system.slot === 'b', BOOT_MS);
    while (!/tillnode-b\.conf/i.test(entriesOn(medium))) await delay(PAUSE_MS);
    const kept = recording.now;
    const after = await setAll(WIDTHS.slice(half));
    const badUpdate = await send(panicking(shipped));
    await running.statusUntil<Status>(({ boot }) => boot.system.failed.includes('0.3.0'), BOOT_MS);
    const back = recording.now;
    return {
      deviceId: first.identity.deviceId,
      answered,
      widths: [...before, ...after],
      update,
      kept,
      badUpdate,
      back,
    };
  } finally {
    await running.cut();
  }
}

/**
 * What is wrong with a machine that started from what a cut left, or undefined. `cuts`: how many starts before this one were cut, since
 * the moment; a system on trial that has used up its three is given up.
 */
export async function wrong(running: Running, life: Life, moment: number, cuts = 0): Promise<string | undefined> {
  const { identity, boot } = await running.statusUntil<Status>(() => true, BOOT_MS);
  const json = async (path: string) => (await running.answered(path, BOOT_MS)).json() as Promise<unknown>;
  const { printWidthCols } = (await json('/config')) as { printWidthCols: number };
  const { custodyHold } = (await json('/network')) as { custodyHold: boolean };
  const { slot, failed } = boot.system;
  const begun = ({ from }: Asked) => from < moment;
  const done = ({ to }: Asked) => to <= moment;

  if (custodyHold) return 'its settings are lost';
  if (life.answered <= moment && identity.deviceId !== life.deviceId)
    return `it is ${identity.deviceId}, and was ${life.deviceId}`;
  // What it has of itself, and then what was asked for: the last one that was acknowledged, and those under way.
  const allowed = [WIDTH, ...life.widths.filter(begun).map(({ width }) => width)].slice(
    life.widths.filter(done).length,
  );
  if (!allowed.includes(printWidthCols)) return `the width is ${printWidthCols}, not ${allowed.join(' or ')}`;
  if (cuts >= TRIES && done(life.update) && moment < life.kept)
    return slot === 'b' || failed.join() === '0.2.0'
      ? undefined
      : `it runs a, and failed are ${JSON.stringify(failed)}`;
  const slots = done(life.update) ? ['b'] : begun(life.update) ? ['a', 'b'] : ['a'];
  if (!slots.includes(slot)) return `it runs ${slot}, not ${slots.join(' or ')}`;
  if (done(life.badUpdate) ? failed.join() !== '0.3.0' : failed.length > 0 && !begun(life.badUpdate))
    return `failed are ${JSON.stringify(failed)}`;
  // A system that is whole starts at once; the one that is no good has its three tries before.
  const most = begun(life.badUpdate) ? 4 : 1;
  return running.starts > most ? `it was started ${running.starts} times` : undefined;
}
