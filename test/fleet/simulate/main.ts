/** `npm run fleet:simulate -- --nodes N --speed S --minutes M [--url URL --token T]` */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../runtime/base/thrown.ts';
import { linesOf } from './report.ts';
import { Simulation } from './simulation.ts';

const USAGE = `usage: npm run fleet:simulate -- [--nodes 1000] [--speed 10] [--minutes 2] [--url URL --token MASTER]
       Without --url it starts a fleet of its own, on a temporary folder. The token may also be in FLEET_TOKEN.
`;
const PROGRESS_MS = 10_000;
/** Every node has been heard of after one interval; then there is a new release. */
const HEARD_MS = 75_000;
const RELEASE = '0.2.0';
const HEALTHY_AFTER_SECONDS = 180;

function optionsOf(args: readonly string[], env: NodeJS.ProcessEnv) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      nodes: { type: 'string', default: '1000' },
      speed: { type: 'string', default: '10' },
      minutes: { type: 'string', default: '2' },
      url: { type: 'string', default: '' },
      token: { type: 'string', default: env['FLEET_TOKEN'] ?? '' },
    },
  });
  const [nodes, speed, minutes] = (['nodes', 'speed', 'minutes'] as const).map((name) => {
    const value = Number(values[name]);
    if (!(value > 0 && value <= 1_000_000)) throw new Error(`--${name} is not a number above 0`);
    return value;
  }) as [number, number, number];
  const { url, token } = values;
  if (url !== '' && token === '') throw new Error('--token is needed with --url');
  return { nodes: Math.ceil(nodes), speed, minutes, url: url.replace(/\/+$/, ''), token };
}

/** The program of `npm run fleet` in a thread, on a temporary folder. */
async function ownFleet(): Promise<{ url: string; token: string; end(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tillnode-fleet-'));
  const token = randomBytes(16).toString('hex');
  const argv = ['--token', token, '--port', '0', '--data', join(folder, 'data')];
  const thread = new Worker(new URL('../main.mjs', import.meta.url), { argv, stdout: true });
  const url = await new Promise<string>((resolve, reject) => {
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the fleet did not start')));
    createInterface({ input: thread.stdout }).on('line', (line) => resolve(line.replace('ready ', '')));
  });
  return {
    url,
    token,
    async end() {
      await thread.terminate();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function main(): Promise<void> {
  const { nodes, speed, minutes, ...given } = optionsOf(process.argv.slice(2), process.env);
  const fleet = given.url === '' ? await ownFleet() : { ...given, end: async () => {} };
  const simulation = new Simulation({ url: fleet.url, token: fleet.token, nodes, speed });
  const say = (text: string) => process.stdout.write(`${text}\n`);
  say(`${nodes} nodes at ${speed} times speed for ${minutes} minutes, to ${fleet.url}`);
  const started = performance.now();
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    say(`${seconds} s: ${simulation.ledger.answered} heartbeats answered`);
  }, PROGRESS_MS);
  simulation.start();
  const over = pause(minutes * 60_000);
  await Promise.race([over, pause(HEARD_MS / speed)]);
  const plan = { healthyAfterSeconds: Math.ceil(HEALTHY_AFTER_SECONDS / speed) };
  await simulation
    .rollOut(RELEASE, plan)
    .catch((error: unknown) => process.stderr.write(`no rollout: ${messageOf(error)}\n`));
  await over;
  clearInterval(progress);
  simulation.stop();
  const open = await simulation.ledger.settle();
  for (const line of linesOf(simulation, await simulation.compare(), await simulation.rollout(), open)) say(line);
  simulation.close();
  await fleet.end();
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n${USAGE}`);
  process.exitCode = 1;
});
