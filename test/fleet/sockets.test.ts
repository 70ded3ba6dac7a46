/** Connections that send nothing, or not all: what they may hold, and what others notice of them. */
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../runtime/fleet/http/app.ts';
import { createFleetServer, Sockets } from '../../runtime/fleet/http/sockets.ts';
import { tokenOf } from '../../runtime/fleet/http/tokens.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, heartbeat, type RunningFleet } from './fleet.ts';

const [engine] = ENGINES;
const database = databases(engine);

/** The head of a heartbeat whose body of so many bytes does not come. */
const head = (authorization: string, length = 1000) =>
  `POST /heartbeat HTTP/1.1\r\nHost: fleet\r\n${authorization}Content-Length: ${length}\r\n\r\n`;
const SHAPED = `Authorization: Bearer ${tokenOf('somebody else', 'x')}\r\n`;

/** Opens so many connections that send this and nothing more; what was answered, and how many are still open. */
async function silent(fleet: Pick<RunningFleet, 'url'>, many: number, sent: string | Buffer) {
  const { port } = new URL(fleet.url);
  const sockets: Socket[] = [];
  const said: string[] = [];
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(
    Array.from({ length: many }, async () => {
      const socket = connect(Number(port), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {}).on('data', (chunk) => said.push(chunk.toString().slice(9, 12)));
      await once(socket, 'connect');
      if (sent.length > 0) socket.write(sent);
    }),
  );
  return { said, open: () => sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length };
}

let last = 0;
/** Sends so many heartbeats, one after the other, of which each must be taken. */
async function beats(fleet: RunningFleet, many: number): Promise<void> {
  for (let at = 0; at < many; at += 1) {
    last += 1;
    expect((await fleet.beat(heartbeat({ seq: last }))).status).toBe(204);
  }
}

it('a heartbeat without a token is refused before its body comes', async () => {
  const fleet = await fleetOn(await database());
  for (const authorization of ['', 'Authorization: Bearer sesame\r\n', 'Authorization: Basic eDp5\r\n']) {
    const { said } = await silent(fleet, 1, head(authorization));
    await until(() => said.length === 1);
    expect(said).toEqual(['401']);
  }
  const { said } = await silent(fleet, 1, 'POST /events HTTP/1.1\r\nHost: fleet\r\nContent-Length: 100\r\n\r\n');
  await until(() => said.length === 1);
  expect(said).toEqual(['401']);
});

it('more heads than there are places, and bodies that lack their last byte, keep no heartbeat out', async () => {
  const fleet = await fleetOn(await database());
  await silent(fleet, 4100, head(SHAPED));
  await beats(fleet, 5);
  const part = Buffer.concat([Buffer.from(head(SHAPED, 16_000)), Buffer.alloc(15_999, 0x20)]);
  const slow = await silent(fleet, 600, part);
  // 8 MiB are 524 of them.
  await until(() => slow.open() <= 524);
  await beats(fleet, 5);
  expect((await fleet.call('GET', '/metrics')).body).toMatch(/^tillnode_fleet_process_messages_refused_total 0$/m);
});

it.each([
  ['send nothing', ''],
  ['were refused before they had sent all', head('')],
])(
  'connections that %s are kept while there is room, and give way to others where there is none',
  async (_what, sent) => {
    const server = createFleetServer();
    const most = 50;
    new Sockets(server, most);
    const app = createApp({
      routes: [],
      whoOf: async () => undefined,
      behindProxy: false,
      admit: () => {},
      report: () => {},
    });
    server.on('request', app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { said, open } = await silent({ url }, most - 1, sent);
    await until(() => said.length === (sent === '' ? 0 : most - 1));
    for (let times = 0; times < 3; times += 1) {
      // Another address, a new connection each time.
      expect(await statusOf(url)).toBe(404);
      expect(open()).toBe(most - 1);
    }
    const more = await silent({ url }, 10, sent);
    await until(() => open() === most - 10);
    expect([await statusOf(url), more.open()]).toEqual([404, 10]);
  },
);

/** Asks from an address of its own; resolves with the status of the answer. */
const statusOf = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { agent: false, localAddress: '127.0.0.2' }, (response) => resolve(response.resume().statusCode)).once(
      'error',
      reject,
    );
  });
