/**
 * A hundred heartbeats a second, beside what neighbours do: strangers that hold connections, a node that downloads, a process
 * that stops in its tracks, a backup. Prints what came of them; what a second is on a busy machine is no test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tokenOf } from '../../runtime/fleet/http/tokens.ts';
import { pack } from '../../runtime/image/pack.ts';
import { GoodNodes } from './beside/good.ts';
import { callsOf, databases, ENGINES, MASTER } from './fleet.ts';
import { bundleFleet, startFleetProcess } from './process.ts';

const NODES = 1000;
/** A hundred a second. */
const EVERY_MS = 10_000;
/** In proportion to the 180 s of nodes that send each minute. */
const OFFLINE_SECONDS = 30;
/** How long each neighbour stays. */
const STAY_MS = Number(process.env['BESIDE_SECONDS'] ?? 45) * 1000;
const SHARE = 0.999;
/** The engine that several processes share. */
const SERVER = ENGINES[1];
/** A process that was stopped holds what it had locked for so long. */
const LET_GO_MS = 10_000;

const STRANGERS = [
  ['nothing', 5000],
  ['half a head', 5000],
  ['half a handshake', 5000],
  ['no token and no body', 5000],
  ['a wrong token and no body', 5000],
  ['the token of a node and no body', 5000],
  ['a body that drips', 5000],
  ['downloads', 400],
] as const;

const strangers = bundleFleet('test/fleet/beside/strangers.ts', '.cache/beside/strangers.mjs');

describe.each(ENGINES)('on %s', (engine) => {
  const database = databases(engine);

  it('heartbeats are answered beside each of them, none that was answered is lost, and nobody is called offline', async () => {
    const where = await database();
    const first = await startFleetProcess(where, MASTER);
    onTestFinished(first.stop);
    const fleets = [first];
    if ('url' in where) {
      const second = await startFleetProcess(where, MASTER);
      onTestFinished(second.stop);
      fleets.push(second);
    }
    const urls = fleets.map(({ url }) => url);
    const { call } = callsOf(first.url);
    expect((await call('PUT', '/api/settings', { rules: { offline: { afterSeconds: OFFLINE_SECONDS } } })).status).toBe(
      200,
    );
    const { privateKey } = generateKeyPairSync('ed25519');
    const image = pack(
      { variant: 'wifi', version: '0.2.0', floor: 1 },
      [{ name: 'main.js', bytes: randomBytes(16 << 20) }],
      privateKey,
    );
    const { sha256 } = (await call('POST', '/api/releases', image)).body;
    const good = new GoodNodes(urls, NODES, EVERY_MS);
    onTestFinished(() => good.stop());
    await pause(EVERY_MS);

    const short: string[] = [];
    const tell = async (what: string) => {
      const { sent, answered, prompt, p99Ms } = await good.look();
      const percent = (part: number) => `${((100 * part) / sent).toFixed(2)} %`;
      process.stdout.write(
        `${engine}, ${what}: ${sent} sent, ${percent(answered)} answered, ${percent(prompt)} within 1 s, p99 ${p99Ms} ms\n`,
      );
      if (answered < SHARE * sent) short.push(what);
    };
    await tell('nobody');
    for (const [kind, many] of STRANGERS) {
      const child: ChildProcess = spawn(
        process.execPath,
        [await strangers, kind, `${many}`, tokenOf(MASTER, '00000001'), sha256, ...urls],
        {
          stdio: 'inherit',
        },
      );
      onTestFinished(() => void child.kill('SIGKILL'));
      await pause(STAY_MS);
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      await tell(kind);
    }
    if ('url' in where) {
      const dump = spawn('pg_dump', ['--dbname', where.url], { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(dump, 'exit');
      onTestFinished(() => void dump.kill());
      await pause(STAY_MS);
      await tell('a backup whose reader does not read');
      dump.stdout.resume();
      await ended;
    }

    await good.stop();
    const stored = new Map<string, number>();
    for (let after = ''; ; ) {
      const { nodes } = (await call('GET', `/api/nodes?limit=1000&after=${after}`)).body;
      for (const { id, heartbeats } of nodes) stored.set(id, heartbeats);
      after = nodes.at(-1)?.id ?? '';
      if (nodes.length < 1000) break;
    }
    expect([...good.answered].filter(([id, answered]) => (stored.get(id) ?? 0) < answered)).toEqual([]);
    expect((await call('GET', '/api/alerts?rule=offline')).body.total).toBe(0);
    expect(short).toEqual([]);
  }, 1_800_000);
});

describe(`on ${SERVER}`, () => {
  const database = databases(SERVER);

  it('a process that is stopped in its tracks keeps the other one from nothing', async () => {
    const where = await database();
    const [stopped, other] = [await startFleetProcess(where, MASTER), await startFleetProcess(where, MASTER)];
    onTestFinished(other.stop);
    onTestFinished(stopped.stop);
    const { call } = callsOf(other.url);
    await call('PUT', '/api/settings', { rules: { offline: { afterSeconds: OFFLINE_SECONDS } } });
    const [there, here] = [new GoodNodes([stopped.url], 100, EVERY_MS), new GoodNodes([other.url], NODES, EVERY_MS)];
    onTestFinished(() => Promise.all([there.stop(), here.stop()]).then(() => {}));
    await pause(EVERY_MS);
    process.kill(stopped.pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(stopped.pid, 'SIGCONT'));
    await pause(LET_GO_MS);
    await here.look();
    await pause(STAY_MS);
    const { sent, answered, prompt, p99Ms } = await here.look();
    process.stdout.write(
      `beside a process that is stopped: ${sent} sent, ${answered} answered, ${prompt} within 1 s, p99 ${p99Ms} ms\n`,
    );
    expect(answered).toBeGreaterThanOrEqual(SHARE * sent);
    expect((await call('GET', '/api/alerts?rule=offline')).body.total).toBe(0);
    process.kill(stopped.pid, 'SIGCONT');
  }, 600_000);
});
