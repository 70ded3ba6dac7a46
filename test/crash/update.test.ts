/** An update whose image or launcher is killed at any file operation: the old image boots, or the new one, and no mix. */
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStorage } from '../../runtime/bindings/native/storage.ts';
import { rawPublicKey } from '../../runtime/image/format.ts';
import { pack } from '../../runtime/image/pack.ts';
import { SettingsStore } from '../../runtime/node/settings-store.ts';
import { type Scratch, scratch } from './harness.ts';

const key = generateKeyPairSync('ed25519').privateKey;
const LANES = 3;
/** Each night (KILLS) every operation; else one in three, others for each SEED. */
const STEP = process.env['KILLS'] === undefined ? 3 : 1;
const SEED = Number(process.env['SEED'] ?? new Date().getDate());

let place: Scratch;
let launcher: string;
let killPoint: string;
/** State directory and factory image as every trial begins. */
let fresh: string;
const orders: Record<string, string> = {};

beforeAll(async () => {
  place = await scratch();
  launcher = await place.bundle('launch');
  killPoint = await place.bundle('kill-point');
  const main = await readFile(await place.bundle('updating-image'), 'utf8');
  const contents = (version: string) => [
    { name: 'image.json', bytes: Buffer.from(JSON.stringify({ version })) },
    { name: 'main.js', bytes: Buffer.from(`${main}\n// end of ${version}\n`) },
  ];
  fresh = join(place.directory, 'fresh');
  await mkdir(join(fresh, 'factory'), { recursive: true });
  for (const { name, bytes } of contents('1.0.0')) await writeFile(join(fresh, 'factory', name), bytes);
  const { store } = await SettingsStore.open(await createStorage(join(fresh, 'state')));
  await store.update((draft) => {
    draft['shop'] = 'corner';
  });
  for (const version of ['2.0.0', '3.0.0']) {
    orders[version] = join(place.directory, `${version}.img`);
    await writeFile(orders[version], pack({ variant: 'twin', version, floor: 1 }, contents(version), key));
  }
});
afterAll(() => place.remove());

/** Starts the launcher, and ends it once an image says that it is up as this version, or when the launcher is killed. */
async function boot(directory: string, version: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ['--import', killPoint, launcher, join(directory, 'state'), join(directory, 'factory')],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ORDER: orders[version], TRUSTED: rawPublicKey(key), ...env },
      timeout: 60_000,
    },
  );
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('up ')) lines.push(line);
    const killed = env['KILLED'] !== undefined && existsSync(env['KILLED']) && lines.length > 1;
    const broken = line.includes('mixed') || line === 'launcher no image can be started';
    if (line.startsWith(`up ${version} `) || killed || broken) child.kill('SIGTERM');
  });
  await once(child, 'close');
  return lines;
}

interface Trial {
  /** Which operation it was. */
  readonly point: string;
  /** What came up between the kill and the end, and at the next start. */
  readonly after: readonly string[];
  readonly settings: boolean;
}

/** An update to 2.0.0 with the K-th operation of a role as its last; then a start that updates to 3.0.0. */
async function trial(role: string, k: number, env: NodeJS.ProcessEnv = {}): Promise<Trial | undefined> {
  const directory = join(place.directory, `${role}-${k}${Object.keys(env).join()}`);
  await cp(fresh, directory, { recursive: true });
  const killed = join(directory, 'killed');
  const first = await boot(directory, '2.0.0', { ...env, KILL_AT: `${role} ${k}`, KILLED: killed });
  if (!existsSync(killed)) return undefined;
  const next = await boot(directory, '3.0.0', env);
  const point = `${role} ${k}: ${readFileSync(killed, 'utf8')}`;
  const settings = (await readFile(join(directory, 'state/settings.a'))).equals(
    await readFile(join(fresh, 'state/settings.a')),
  );
  await rm(directory, { recursive: true });
  return { point, after: [...first.slice(1), ...next], settings };
}

/** Each K that is looked at, on three lanes. */
async function everyTrial(role: string): Promise<Trial[]> {
  const done: Trial[] = [];
  let k = (SEED % STEP) + 1 - STEP;
  let past = false;
  const lane = async () => {
    while (!past) {
      k += STEP;
      const result = await trial(role, k);
      if (result === undefined) past = true;
      else done.push(result);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return done;
}

const isOldOrNew = ({ after, settings }: Trial) =>
  settings &&
  after.every((line) => /^up (1\.0\.0 factory|2\.0\.0 a|3\.0\.0 [ab]) whole corner$/.test(line)) &&
  after.at(-1)?.startsWith('up 3.0.0') === true;

it.each([
  ['image', 12],
  ['launcher', 25],
])('the %s killed at any of its file operations leaves the old image or the new one', async (role, atLeast) => {
  const trials = await everyTrial(role);
  expect(trials.filter((each) => !isOldOrNew(each))).toEqual([]);
  expect(trials.length).toBeGreaterThan(atLeast / STEP - 1);
});

it('an updater without slots is caught by these trials', async () => {
  let found: Awaited<ReturnType<typeof trial>>;
  for (let k = 1; ; k += 1) {
    found = await trial('image', k, { HASTY: 'yes' });
    if (found === undefined || !isOldOrNew(found)) break;
  }
  expect(found, 'every kill left a whole image').toBeDefined();
});
