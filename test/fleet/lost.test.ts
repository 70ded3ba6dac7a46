/** Connections to the database that are lost at a moment that the test chooses: a proxy before the server cuts them there. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../node.ts';
import { fleetOn, heartbeat } from './fleet.ts';
import { noPostgres, type PostgresServer, startPostgres } from './postgres.ts';

/** An ErrorResponse (PostgreSQL 15, 55.7): what a server says to each of its clients before it ends. */
function errorResponse(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command'];
  const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/** How a connection ends. */
const ENDINGS: readonly (readonly [string, (client: Socket) => void])[] = [
  ['closed', (client) => void client.end()],
  ['reset', (client) => void client.resetAndDestroy()],
  ['told FATAL and closed', (client) => void client.end(errorResponse())],
  [
    'told FATAL twice and reset',
    (client) => client.write(Buffer.concat([errorResponse(), errorResponse()]), () => client.resetAndDestroy()),
  ],
];
/** What a client has just sent when its connection ends; '': nothing, it is idle. */
const MOMENTS = [
  ['as it logs in', 'application_name'],
  ['as it is asked whether it is a standby', 'pg_is_in_recovery'],
  ['as a transaction begins', 'BEGIN'],
  ['in a transaction', 'UPDATE duty'],
  ['as it is committed', 'COMMIT'],
  ['while it is idle', ''],
] as const;

/** A proxy before the server, and what cuts connections from then on. */
async function startProxy(to: number) {
  const clients = new Set<Socket>();
  let cut: { readonly at: string; readonly end: (client: Socket) => void } | undefined;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    clients.add(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      socket.on('error', () => {}).on('close', () => void other.destroy());
    client.on('close', () => clients.delete(client));
    upstream.pipe(client);
    client.on('data', (sent) => {
      if (cut === undefined || cut.at === '' || !sent.includes(cut.at)) return upstream.write(sent);
      upstream.unpipe(client);
      cuts += 1;
      return cut.end(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    /** Ends what is open, and then each connection at this moment. */
    begin(at: string, end: (client: Socket) => void) {
      cut = { at, end };
      for (const client of clients) {
        cuts += 1;
        end(client);
      }
    },
    end() {
      cut = undefined;
    },
    get cuts() {
      return cuts;
    },
  };
}

describe.skipIf(noPostgres)('a connection to the database', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server.stop());

  it.each(MOMENTS)('that is lost %s ends nothing but what is under way', async (_when, moment) => {
    const faults: unknown[] = [];
    let how = '';
    const note = ({ message }: Error) => void faults.push([how, message]);
    // Beside what the runner does with it: an error that nobody hears ends a process.
    process.on('uncaughtExceptionMonitor', note);
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', note));
    const direct = new URL(await server.database());
    const proxy = await startProxy(Number(direct.port));
    direct.port = `${proxy.port}`;
    const fleet = await fleetOn({ url: `${direct}` }, { report: () => {} });
    const isHeard = async (seq: number) => (await fleet.beat(heartbeat({ seq }))).status === 204;
    for (const [at, [ending, ends]] of ENDINGS.entries()) {
      how = ending;
      await until(() => isHeard(2 * at + 1));
      const before = proxy.cuts;
      proxy.begin(moment, ends);
      const open = proxy.cuts;
      expect(open).toBeGreaterThan(before);
      if (moment !== '') await until(() => proxy.cuts >= open + 3);
      proxy.end();
      await until(() => isHeard(2 * at + 2));
    }
    expect((await fleet.call('GET', '/api/nodes')).body.nodes).toMatchObject([{ heartbeats: 2 * ENDINGS.length }]);
    expect(faults).toEqual([]);
  });
});
