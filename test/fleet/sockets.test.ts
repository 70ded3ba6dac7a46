/** Connections that send nothing, or not all: what they may hold, and what others notice of them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
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
async function silent(fleet: RunningFleet, many: number, sent: string | Buffer) {
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

it('a heartbeat without a token is refused before its body comes, and its connection is closed', async () => {
  const fleet = await fleetOn(await database());
  for (const authorization of ['', 'Authorization: Bearer sesame\r\n', 'Authorization: Basic eDp5\r\n']) {
    const { said, open } = await silent(fleet, 1, head(authorization));
    await until(() => said.length === 1);
    expect(said).toEqual(['401']);
    await until(() => open() === 0);
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

it('connections of one address that send nothing are closed where there are many', async () => {
  const fleet = await fleetOn(await database());
  const { open } = await silent(fleet, 700, '');
  await until(() => open() <= 500);
  await beats(fleet, 5);
});
