/**
 * The built twin, killed at every file operation of the routes that store settings: what it shows afterwards is what it showed
 * before, or what the route was asked for, and never some of both. Long: `npm run lab` has it, `npm test` has not.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStorage } from '../../runtime/bindings/native/storage.ts';
import { SettingsStore } from '../../runtime/node/settings-store.ts';
import { until } from '../node.ts';
import { type Scratch, scratch } from './harness.ts';

const KEY = 'key-of-the-counter-1';
/** More file operations than any change has. */
const MOST = 60;

let place: Scratch;
let killPoint: string;
/** The state directory that every trial begins with: a few settings are stored. */
let stored: string;

interface Twin {
  readonly url: string;
  readonly ended: Promise<unknown>;
  kill(): void;
}

async function start(state: string, env: NodeJS.ProcessEnv = {}): Promise<Twin> {
  const ports = ['--port', '0', '--raw-port', '0', '--appliance', '--state', state];
  const child = spawn(process.execPath, ['--import', killPoint, 'dist/twin/main.js', ...ports], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = line.replace('ready ', '');
  // What is set of a camera is tried on it first.
  await until(
    async () => ((await (await fetch(`${url}/camera`)).json()) as { condition: string }).condition === 'bound',
  );
  return { url, ended, kill: () => child.kill('SIGKILL') };
}

interface Change {
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

const send = ({ url }: Twin, { method, path, body }: Change) =>
  fetch(`${url}${path}`, { method, headers: { 'X-NODE-Api-Key': KEY }, body: JSON.stringify(body) });

/** Everything that a node shows of its settings, and which of them it keeps to itself are set. */
async function shown(twin: Twin): Promise<string> {
  const get = async (path: string) => (await fetch(`${twin.url}${path}`)).json() as Promise<Record<string, unknown>>;
  const { identity } = await get('/status');
  const { config } = await get('/camera');
  const update = await (await send(twin, { method: 'PUT', path: '/update', body: {} })).json();
  return JSON.stringify([await get('/config'), await get('/cloud'), identity, config, update]);
}

/** What a node shows that was started on this state, and did nothing else. */
async function shownOf(state: string): Promise<string> {
  const twin = await start(state);
  const found = await shown(twin);
  twin.kill();
  await twin.ended;
  // An address counts on a network, and this node has not joined one; whether it could join one is not what was asked for.
  const { store } = await SettingsStore.open(await createStorage(state));
  const { ssid, password, band } = (store.read('wifi') ?? {}) as Record<string, unknown>;
  return found + JSON.stringify([store.read('ipv4'), ssid, password, band]);
}

beforeAll(async () => {
  place = await scratch();
  killPoint = await place.bundle('kill-point');
  stored = join(place.directory, 'stored');
  mkdirSync(stored);
  const twin = await start(stored);
  await send(twin, { method: 'PUT', path: '/config', body: { printWidthCols: 40, apiKey: KEY } });
  await send(twin, { method: 'PUT', path: '/name', body: { name: 'Till 1' } });
  twin.kill();
  await twin.ended;
});
afterAll(() => place.remove());

const CHANGES: readonly Change[] = [
  { method: 'PUT', path: '/config', body: { printWidthCols: 42, cutClearanceLines: 2, drawer: { pin: 5 } } },
  { method: 'PUT', path: '/config', body: { apiKey: 'key-of-the-counter-2', apiMode: 'admin' } },
  { method: 'PUT', path: '/config', body: { apiKey: '', capture: true } },
  {
    method: 'PUT',
    path: '/config',
    body: { webhook: { url: 'http://127.0.0.1:9/', secret: 's' }, profile: 'generic' },
  },
  { method: 'PUT', path: '/name', body: { name: 'Till 2' } },
  { method: 'PUT', path: '/cloud', body: { url: 'http://192.0.2.1', token: 'sesame', heartbeatSeconds: 600 } },
  {
    method: 'PUT',
    path: '/network/ipv4',
    body: { address: '192.168.7.7', netmask: '255.255.255.0', gateway: '192.168.7.1' },
  },
  { method: 'POST', path: '/network', body: { ssid: 'Shop', password: 'secret-of-the-shop', band: '2.4' } },
  { method: 'PUT', path: '/update', body: { policy: 'check', enabled: true, updateKey: 'key-of-the-maker-01' } },
  { method: 'PUT', path: '/camera/config', body: { width: 320, height: 240, quality: 50 } },
];

describe('a change of settings that is killed', () => {
  it.each(CHANGES.map((change) => [`${change.method} ${change.path} ${JSON.stringify(change.body)}`, change] as const))(
    'is there whole or not at all: %s',
    async (_, change) => {
      const before = await shownOf(stored);
      let kills = 0;
      const found = new Set<string>();
      for (let k = 1; k <= MOST; k += 1) {
        const state = join(place.directory, `${CHANGES.indexOf(change)}-${k}`);
        cpSync(stored, state, { recursive: true });
        const armed = `${state}.armed`;
        const twin = await start(state, { KILL_AT: `launcher ${k}`, KILLED: `${state}.killed`, ARMED: armed });
        writeFileSync(armed, '');
        const answer = await send(twin, change).catch(() => undefined);
        if (answer !== undefined) {
          // K is past the last operation: this is how it looks when nothing is in the way.
          expect(answer.status).toBe(200);
          twin.kill();
          await twin.ended;
          const after = await shownOf(state);
          expect(after).not.toBe(before);
          expect(kills).toBeGreaterThan(3);
          expect([...found].filter((each) => each !== before && each !== after)).toEqual([]);
          return;
        }
        await twin.ended;
        kills += 1;
        found.add(await shownOf(state));
      }
      expect.fail(`more than ${MOST} file operations`);
    },
  );
});
