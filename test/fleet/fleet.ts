/** A fleet for tests, on either engine, and the calls that nodes and operators make. */
import { createHmac } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Where } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { type FleetOptions, startFleet } from '../../runtime/fleet/fleet.ts';
import { patchSettings } from '../../runtime/fleet/settings/settings.ts';
import { rawPublicKey } from '../../runtime/image/format.ts';
import { key } from '../made-images.ts';
import { noPostgres, type PostgresServer, startPostgres } from './postgres.ts';

export const MASTER = 'master-0123456789';
/** Public keys of who signs the images that tests make. */
export const KEYS = [rawPublicKey(key)];
/** Where the second one is missing, the first is tested alone. */
export const ENGINES = [
  'PostgreSQL in the process',
  ...(noPostgres === undefined ? (['PostgreSQL of Debian'] as const) : []),
] as const;
/** For what is the same for both: the one that starts faster. Each night on both (`FLEET_ENGINES=all`). */
export const EITHER = process.env['FLEET_ENGINES'] === 'all' ? ENGINES : ENGINES.slice(-1);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at what is there
  readonly body: any;
}
export interface RunningFleet {
  readonly url: string;
  readonly where: Where;
  /** As an operator's program, with the master token. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  beat(heartbeat: object, token?: string): Promise<Answer>;
  webhook(message: object, secret?: string): Promise<Answer>;
  stop(): Promise<void>;
}

/** Makes the tables, and sets the key of images. */
async function prepare(where: Where): Promise<void> {
  const on = await openDatabase(where);
  await on.transaction((queries) => patchSettings(queries, { firmware: { keys: KEYS } }));
  await on.close();
}

/** For `describe.each(ENGINES)`: a new database of this engine for each call, with its tables and nothing in them but the key of images. */
export function databases(engine: (typeof ENGINES)[number]): () => Promise<Where> {
  let server: PostgresServer | undefined;
  // What is copied is made once: initdb in the process takes seconds, and all migrations on a server one.
  const made = join(mkdtempSync(join(tmpdir(), 'tillnode-fleet-')), 'data');
  let url: string | undefined;
  beforeAll(async () => {
    if (engine === ENGINES[0]) await prepare({ folder: made });
    else {
      server = await startPostgres();
      url = await server.database();
      await prepare({ url });
    }
  }, 120_000);
  afterAll(async () => {
    rmSync(dirname(made), { recursive: true, force: true });
    await server?.stop();
  });
  return async () => {
    if (server !== undefined) return { url: await server.database(url) };
    const own = join(folder(), 'data');
    cpSync(made, own, { recursive: true });
    return { folder: own };
  };
}

/** A temporary folder for the time of a test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tillnode-fleet-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The folder of images of a database: two fleets on one have one. */
const IMAGES = new Map<string, string>();
function imagesOf(where: Where): string {
  const key = 'url' in where ? where.url : where.folder;
  const own = IMAGES.get(key) ?? folder();
  IMAGES.set(key, own);
  return own;
}

/** A hash in a millisecond, in the place of a quarter of a second of the processor that all tests share. */
const CHEAP = { N: 2 ** 8, r: 8, p: 1 };

/** Starts a fleet that ends with the test. */
export async function fleetOn(where: Where, options: Partial<FleetOptions> = {}): Promise<RunningFleet> {
  const fleet = await startFleet({
    token: MASTER,
    host: '127.0.0.1',
    port: 0,
    database: where,
    images: imagesOf(where),
    passwordCost: CHEAP,
    lookMs: 250,
    ...options,
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= fleet.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { ...callsOf(fleet.url), where, stop };
}

/** A whole response, its JSON read. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** The calls on a fleet that runs at this URL. */
export function callsOf(url: string, master = MASTER) {
  const call: RunningFleet['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${master}`, ...headers },
      ...(body !== undefined && {
        body: body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
    return answerOf(response);
  };
  return {
    url,
    call,
    beat: (heartbeat: object, token = master) =>
      call('POST', '/heartbeat', heartbeat, { Authorization: `Bearer ${token}` }),
    webhook: (message: object, secret = master) => {
      const body = JSON.stringify(message);
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      return call('POST', '/events', body, { Authorization: '', 'X-NODE-Signature': `sha256=${signature}` });
    },
  };
}

/** A heartbeat as a node sends it. */
export const heartbeat = (over: object = {}) => ({
  node: '0a1b2c3d',
  seq: 1,
  bootId: 'b0000001',
  uptimeSeconds: 60,
  variant: 'wifi',
  firmwareVersion: '0.1.0',
  slot: 'a',
  peripherals: [{ endpoint: 'receipt', kind: 'printer', condition: 'bound' }],
  printers: [printer()],
  counters: { prints: 0, printsFailed: 0, kicks: 0, scans: 0, webhookDropped: 0 },
  ...over,
});

/** A printer as a heartbeat and the event `printer_status` tell it. */
export const printer = (over: object = {}) => ({
  type: 'printer_status',
  endpoint: 'receipt',
  known: true,
  online: true,
  paperOut: false,
  coverOpen: false,
  drawerOpen: false,
  ...over,
});
