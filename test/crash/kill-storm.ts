/**
 * The built twin under its launcher, killed again and again while it is updated, tried, restarted and configured: every
 * start boots, no setting that was acknowledged is lost, and no image that is good is called failed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { call, type Launched, launch, twinImage, UPDATE_KEY, upload } from '../image/launched.ts';
import { randomFrom } from '../random.ts';

/** Longest that a start, and falling back, may take on a busy machine. */
const START_MS = 120_000;
const VICTIMS = ['launcher', 'node', 'both'] as const;

export interface Storm {
  readonly kills: number;
  readonly byActivity: Readonly<Record<string, number>>;
  /** In words; none where everything held. */
  readonly faults: readonly string[];
  readonly updates: number;
}

interface Seen {
  readonly url: string;
  readonly launched: Launched;
}

/** `state`: an empty folder. */
export async function killStorm(state: string, { kills, seed }: { kills: number; seed: number }): Promise<Storm> {
  const random = randomFrom(seed);
  const faults: string[] = [];
  const byActivity: Record<string, number> = {};
  const images = ['9.0.1', '9.0.2'].map((version) => twinImage(version));
  let updates = 0;
  let acknowledged = 42;
  let asked = acknowledged;
  let launched = launch(state);

  /** Resolves once a node answers, whichever start it is of. */
  const up = async (): Promise<Seen> => {
    const deadline = performance.now() + START_MS;
    for (;;) {
      const url = launched.last();
      const answer = url === undefined ? undefined : await call(url, 'GET', '/status').catch(() => undefined);
      if (url !== undefined && answer !== undefined) return { url, launched };
      if (performance.now() > deadline) throw new Error(`no start within ${START_MS / 1000} s\n${launched.log()}`);
      await delay(20);
    }
  };
  const kill = async (victim: (typeof VICTIMS)[number]) => {
    const node = imageOf(launched.pid);
    if (victim !== 'launcher' && node !== undefined) signal(node);
    if (victim !== 'node') {
      await launched.kill('SIGKILL');
      launched = launch(state);
    }
  };
  const configure = async (url: string) => {
    asked = 16 + Math.floor(random() * 80);
    const { ok } = await call<{ ok?: boolean }>(url, 'PUT', '/config', { printWidthCols: asked });
    if (ok === true) acknowledged = asked;
  };
  const activities: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
    config: configure,
    restart: (url) => call(url, 'POST', '/restart', { type: 'restart', id: 'storm' }),
    upload: async (url) => {
      const { status } = await upload(url, images[Math.floor(random() * images.length)] ?? Buffer.alloc(0));
      if (status === 200) updates += 1;
    },
    // An image on trial, once it is installed.
    trial: async (url) => {
      const { status } = await upload(url, images[Math.floor(random() * images.length)] ?? Buffer.alloc(0));
      if (status === 200) updates += 1;
      await delay(250 + random() * 1500);
    },
  };
  const names = Object.keys(activities);

  const { url: first } = await up();
  await call(first, 'PUT', '/update', { updateKey: UPDATE_KEY });
  await call(first, 'PUT', '/config', { printWidthCols: acknowledged });
  for (let count = 0; count < kills; count += 1) {
    const { url } = await up();
    const name = names[Math.floor(random() * names.length)] ?? 'config';
    const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? 'both';
    asked = acknowledged;
    const done = activities[name]?.(url).catch(() => {});
    if (name === 'trial') await done;
    else await delay(random() * 400);
    await kill(victim);
    await done;
    byActivity[`${victim} during ${name}`] = (byActivity[`${victim} during ${name}`] ?? 0) + 1;
    try {
      const { url: next } = await up();
      const { printWidthCols } = await call(next, 'GET', '/config');
      if (printWidthCols !== acknowledged && printWidthCols !== asked) {
        faults.push(`kill ${count + 1}, ${victim} during ${name}: ${printWidthCols} columns, not ${acknowledged}`);
      }
      acknowledged = Number(printWidthCols);
      const failed = failedIn(state);
      if (failed.length > 0) faults.push(`kill ${count + 1}, ${victim} during ${name}: failed ${failed.join()}`);
    } catch (error) {
      faults.push(`kill ${count + 1}, ${victim} during ${name}: ${String(error)}`);
      break;
    }
    if (faults.length > 0) break;
  }
  await launched.kill('SIGTERM');
  return { kills, byActivity, faults, updates };
}

/** Versions that the newest boot state lists as failed. */
function failedIn(state: string): string[] {
  const found = readdirSync(join(state, 'boot'))
    .filter((name) => /^state\.[ab]$/.test(name))
    .map((name) => JSON.parse(readFileSync(join(state, 'boot', name), 'utf8')))
    .sort((x, y) => y.generation - x.generation);
  return found[0]?.state.failed ?? [];
}

/** The image that a launcher runs. */
function imageOf(launcher: number): number | undefined {
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  return read(`/proc/${launcher}/task/${launcher}/children`)
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .find((pid) => read(`/proc/${pid}/cmdline`).includes('/main.'));
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}
