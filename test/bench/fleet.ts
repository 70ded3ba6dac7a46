/** The fleet on both engines: heartbeats a second beside a transaction for each, and memory under full load. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Where } from '../../runtime/fleet/database/database.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { makePartitions } from '../../runtime/fleet/database/partitions.ts';
import { store } from '../../runtime/fleet/ingest/batch.ts';
import type { Heartbeat } from '../../runtime/fleet/ingest/contract.ts';
import { type Child, start } from '../child.ts';
import { startPostgres } from '../fleet/postgres.ts';
import { alternate, type Entry, rssOf } from './measure.ts';

const TOKEN = 'a-token-of-the-usual-length';
const NODES = 10_000;
const CONNECTIONS = 500;
const ROUNDS = 5;
const LOAD_MS = 4000;
const ROWS = 400;
const MB = 1024 * 1024;

/** Heartbeats of one node after the other, each with its next number. */
function messages(): () => Heartbeat {
  let sent = 0;
  return () => {
    const seq = Math.floor(sent / NODES) + 1;
    const node = (sent % NODES).toString(16).padStart(8, '0');
    sent += 1;
    return {
      node,
      seq,
      bootId: '0badcafe',
      uptimeSeconds: 60 * seq,
      variant: 'wifi',
      firmwareVersion: '0.1.0',
      slot: 'a',
      peripherals: [{ endpoint: 'receipt', kind: 'printer', condition: 'bound' }],
      printers: [PRINTER],
      counters: { prints: seq, printsFailed: 0, kicks: 0, scans: 0, webhookDropped: 0 },
    };
  };
}

const PRINTER = {
  type: 'printer_status',
  endpoint: 'receipt',
  known: true,
  online: true,
  paperOut: false,
  coverOpen: false,
  drawerOpen: false,
  paperLow: false,
  condition: 'bound',
  columns: 48,
  layoutColumns: 48,
  languages: ['escpos'],
};

/** The same as requests. */
function requests(): () => Buffer {
  const next = messages();
  return () => {
    const body = JSON.stringify(next());
    return Buffer.from(
      `POST /heartbeat HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}

/** Sends for so long over all connections, each the next one when the last was answered; heartbeats taken a second. */
async function load(port: number, next: () => Buffer, ms = LOAD_MS): Promise<number> {
  const began = performance.now();
  let taken = 0;
  const drive = async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    socket.on('data', (answer: Buffer) => {
      if (answer.includes('HTTP/1.1 204')) taken += 1;
      else if (!answer.includes('HTTP/1.1 503')) throw new Error(`unexpected answer: ${answer}`);
      if (performance.now() - began < ms) socket.write(next());
      else socket.destroy();
    });
    socket.write(next());
    await closed;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, drive));
  return taken / ((performance.now() - began) / 1000);
}

/** The same statements through the same client of the database, without HTTP: a transaction for each heartbeat. */
async function rows(where: Where): Promise<{ perSecond(): Promise<number>; close(): Promise<void> }> {
  const database = await openDatabase(where);
  await makePartitions(database, Date.now());
  const next = messages();
  return {
    async perSecond() {
      const began = performance.now();
      for (let row = 1; row <= ROWS; row += 1)
        await store(database, [{ kind: 'heartbeat', address: '127.0.0.1', message: next() }], []);
      return ROWS / ((performance.now() - began) / 1000);
    },
    close: () => database.close(),
  };
}

async function engine(bundles: string, suffix: string, fleetOn: Where, rowsOn: Where): Promise<Entry[]> {
  const database = 'url' in fleetOn ? ['--database', fleetOn.url] : ['--data', fleetOn.folder];
  const launch = () => start(`${bundles}/fleet-server.mjs`, ['--token', TOKEN, '--port', '0', ...database]);
  const portOf = async (child: Child) => Number(new URL(await child.line('ready')).port);
  const next = requests();
  const single = await rows(rowsOn);
  let child = launch();
  try {
    const port = await portOf(child);
    await load(port, next);
    await single.perSecond();
    const rate = await alternate(ROUNDS, () => load(port, next), single.perSecond);
    await child.end();
    // Anew, so that idle is what it is before any load.
    child = launch();
    const again = await portOf(child);
    await pause(3000);
    const idle = rssOf(child.pid) / MB;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, rssOf(child.pid) / MB);
    }, 100);
    await load(again, next, 5 * LOAD_MS);
    clearInterval(watch);
    return [
      { name: `fleet.ingest${suffix}`, ratio: rate.ours / rate.theirs, ...rate, unit: 'heartbeats/s' },
      { name: `fleet.rss${suffix}`, ratio: most / idle, ours: most, theirs: idle, unit: 'MB' },
    ];
  } finally {
    await single.close();
    await child.end();
  }
}

export async function fleetBench(bundles: string): Promise<Entry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tillnode-bench-'));
  const server = await startPostgres();
  try {
    const [fleetOn, rowsOn] = [{ url: await server.database() }, { url: await server.database() }];
    return [
      ...(await engine(bundles, '', fleetOn, rowsOn)),
      ...(await engine(bundles, '.pglite', { folder: join(folder, 'fleet') }, { folder: join(folder, 'rows') })),
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
