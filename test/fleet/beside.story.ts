/**
 * A hundred heartbeats a second, beside what neighbours do: strangers that hold connections, a node that downloads, a process
 * that stops in its tracks, a backup. Nearly all are answered within a second, as they are while nobody is there.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { pack } from '../../runtime/image/pack.ts';
import { key } from '../made-images.ts';
import { Bars } from './bars.ts';
import { callsOf, databases, ENGINES, MASTER } from './fleet.ts';
import { GoodNodes, lostOf } from './good-nodes.ts';
import { bundleFleet, startFleetProcess } from './process.ts';

const NODES = 1000;
/** A hundred a second. */
const EVERY_MS = 10_000;
/** In proportion to the 180 s of nodes that send each minute. */
const OFFLINE_SECONDS = 30;
const TIMES = { stay: Number(process.env['BESIDE_SECONDS'] ?? 45) * 1000, control: 10_000, settle: 5000 };
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

/** What the machine kept from being measured is said, and is no fault. */
function expectKept({ unanswered, late, unknown }: Bars): void {
  if (unknown.length > 0) process.stdout.write(`not judged, as the machine was not quiet: ${unknown.join(', ')}\n`);
  expect({ unanswered, late }).toEqual({ unanswered: [], late: [] });
}

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
    const image = pack(
      { variant: 'wifi', version: '0.2.0', floor: 1 },
      [{ name: 'main.js', bytes: randomBytes(16 << 20) }],
      key,
    );
    const { sha256 } = (await call('POST', '/api/releases', image)).body;
    const good = new GoodNodes(urls, NODES, EVERY_MS);
    onTestFinished(() => good.stop());
    await pause(EVERY_MS);

    const bars = new Bars(good, TIMES, (line) => process.stdout.write(`${engine}, ${line}\n`));
    for (const [kind, many] of STRANGERS) {
      const program = await strangers;
      await bars.measure(kind, async () => {
        const args = [program, kind, `${many}`, tokenOf(MASTER, '00000001'), sha256, ...urls];
        const child: ChildProcess = spawn(process.execPath, args, { stdio: 'inherit' });
        onTestFinished(() => void child.kill('SIGKILL'));
        return () => {
          const gone = once(child, 'exit');
          child.kill('SIGKILL');
          return gone;
        };
      });
    }
    if ('url' in where) {
      await bars.measure('a backup whose reader does not read', async () => {
        const dump = spawn('pg_dump', ['--dbname', where.url], { stdio: ['ignore', 'pipe', 'inherit'] });
        const ended = once(dump, 'exit');
        onTestFinished(() => void dump.kill());
        return () => {
          dump.stdout.resume();
          return ended;
        };
      });
    }

    await good.stop();
    expect(await lostOf(good, call)).toEqual([]);
    expect((await call('GET', '/api/alerts?rule=offline')).body.total).toBe(0);
    expectKept(bars);
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
    const bars = new Bars(here, TIMES, (line) => process.stdout.write(`${line}\n`));
    onTestFinished(() => void process.kill(stopped.pid, 'SIGCONT'));
    await bars.measure(
      'a process that is stopped',
      async () => {
        process.kill(stopped.pid, 'SIGSTOP');
        return async () => process.kill(stopped.pid, 'SIGCONT');
      },
      LET_GO_MS,
    );
    await Promise.all([there.stop(), here.stop()]);
    expect(await lostOf(here, call)).toEqual([]);
    expect((await call('GET', '/api/alerts?rule=offline')).body.total).toBe(0);
    expectKept(bars);
  }, 600_000);
});
