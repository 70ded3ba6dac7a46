/** Connections that send nothing, or not all: what they may hold, and what others notice of them. */
import { once } from 'node:events';
import { get, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createApp } from '../../runtime/fleet/http/app.ts';
import { Places } from '../../runtime/fleet/http/places.ts';
import { createFleetServer, type Refuses, Sockets } from '../../runtime/fleet/http/sockets.ts';
import { Turns } from '../../runtime/fleet/http/turns.ts';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, heartbeat, type RunningFleet } from './fleet.ts';
import { silent } from './silent.ts';

const [engine] = ENGINES;
const database = databases(engine);

/** The head of a heartbeat whose body of so many bytes does not come. */
const head = (authorization: string, length = 1000) =>
  `POST /heartbeat HTTP/1.1\r\nHost: fleet\r\n${authorization}Content-Length: ${length}\r\n\r\n`;
const SHAPED = `Authorization: Bearer ${tokenOf('somebody else', 'x')}\r\n`;

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
  // 8 MiB are 524 of them; the others are told so, and kept: who is cut off comes again at once.
  await until(() => slow.said.length >= 76);
  await beats(fleet, 5);
  expect([[...new Set(slow.said)], slow.open()]).toEqual([['503'], 600]);
  expect((await fleet.call('GET', '/metrics')).body).toMatch(/^tillnode_fleet_process_messages_refused_total 0$/m);
});

it('an address whose tokens are wrong is answered later the more it sends, and nobody else is', async () => {
  const fleet = await fleetOn(await database());
  const body = JSON.stringify(heartbeat());
  const many = 500;
  const wrong = await silent(fleet, many, `${head(SHAPED, body.length)}${body}`);
  await until(() => wrong.said.length >= 100);
  // From the same address, with the right token; and from another one, with none.
  await beats(fleet, 5);
  expect(await statusOf(fleet.url)).toBe(404);
  expect(new Set(wrong.said)).toEqual(new Set(['401']));
  expect(wrong.said.length).toBeLessThan(many);
  expect(wrong.open()).toBe(many);
});

it('an address has 100 turns at once, then 20 a second, of which none is later than 20 s', () => {
  const turns = new Turns();
  const waits = (many: number, now: number, address = '192.0.2.1') =>
    Array.from({ length: many }, () => turns.take(address, now));
  expect(new Set(waits(101, 0))).toEqual(new Set([0]));
  expect(waits(2, 0)).toEqual([50, 100]);
  expect([waits(1, 0, '192.0.2.2'), waits(1, 0, '2001:db8::1')]).toEqual([[0], [0]]);
  expect(Math.max(...waits(5000, 0))).toBe(20_000);
  // All of one customer (RFC 6177), and rested.
  expect(waits(1, 25_100)).toEqual([0]);
  waits(200, 0, '2001:db8::2');
  expect(turns.take('2001:db8::3', 0)).toBeGreaterThan(0);
});

it.each([
  ['send nothing', ''],
  ['were refused before they had sent all', head('')],
])(
  'connections that %s are kept while there is room, and give way to others where there is none',
  async (_what, sent) => {
    const most = 50;
    const url = await bare(most);
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

it('requests that are sent before the answers of those before them are read one after the other, and all are answered', async () => {
  let [underWay, most] = [0, 0];
  const bodies: string[] = [];
  const url = await serving(() => async (request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    setImmediate(() => {
      underWay -= 1;
      response.end('x');
    });
  });
  const one = 'GET / HTTP/1.1\r\nHost: fleet\r\n\r\n';
  const other = 'POST / HTTP/1.1\r\nHost: fleet\r\nContent-Length: 600\r\n\r\n';
  const chunked = 'POST / HTTP/1.1\r\nHost: fleet\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';
  const many = 500;
  const { said, open } = await silent({ url }, 1, `${one}${other}${'b'.repeat(600)}${chunked}`.repeat(many));
  await until(() => bodies.length === 3 * many);
  await until(() => said.length > 0 && underWay === 0);
  expect([most, open()]).toEqual([1, 1]);
  expect(bodies).toEqual(Array.from({ length: many }, () => ['', 'b'.repeat(600), 'abc']).flat());
});

it('what comes behind requests that are not answered is bounded, and those beyond are closed', async () => {
  const waiting: ServerResponse[] = [];
  const url = await serving(() => ({ url: path }, response) => {
    if (path === '/slow') waiting.push(response);
    else response.writeHead(404).end();
  });
  const slow = 'GET /slow HTTP/1.1\r\nHost: fleet\r\n\r\n';
  const many = 300;
  // More than is read at once of each: 18 MiB of long heads, which are soon parsed.
  const long = `GET / HTTP/1.1\r\nHost: fleet\r\nX: ${'x'.repeat(8000)}\r\n\r\n`;
  const { open } = await silent({ url }, many, slow + long.repeat(8));
  await until(() => open() < many);
  expect(await statusOf(url)).toBe(404);
  const left = open();
  expect(left).toBeGreaterThan(100);
  for (const response of waiting) response.end();
  expect(await statusOf(url)).toBe(404);
});

it('hundreds that are refused by their first request are all told, and who is served comes before them', async () => {
  const order: string[] = [];
  const refuses: Refuses = (first) => (first.toString().startsWith('GET /no ') ? REFUSAL : undefined);
  const url = await serving(() => (_request, response) => void response.end('x'), undefined, refuses);
  const come = async (path: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.once('data', (said) => void order.push(said.toString().slice(9, 12)));
    await once(socket, 'connect');
    return () => void socket.write(`GET ${path} HTTP/1.1\r\nHost: fleet\r\n\r\n`);
  };
  const many = 500;
  const all = await Promise.all([...Array.from({ length: many }, () => come('/no')), come('/yes')]);
  // They were accepted: the one that comes behind them is answered.
  expect(await statusOf(url)).toBe(200);
  for (const ask of all) ask();
  await until(() => order.length === many + 1);
  expect(order.indexOf('200')).toBeLessThan(many / 2);
});

it.each([
  ['a handshake of TLS', Buffer.from('1603010200010001fc0303', 'hex'), '400'],
  ['a blank line before a request', Buffer.from('\r\nGET / HTTP/1.1\r\nHost: fleet\r\n\r\n'), '200'],
])('%s is answered as the parser does, and no request is looked for in what cannot be one', async (_, sent, status) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const looked: Buffer[] = [];
  const refuses: Refuses = (first) => void looked.push(first);
  const url = await serving(() => (_request, response) => void response.end('x'), undefined, refuses);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(sent);
  const answer = once(socket, 'data');
  // Who is closed comes again at once, which costs more than to keep him.
  if (status === '400') {
    await once(socket, 'connect');
    expect(await statusOf(url)).toBe(200);
    vi.advanceTimersByTime(4900);
    expect(await statusOf(url)).toBe(200);
    expect(socket.bytesRead).toBe(0);
    vi.advanceTimersByTime(200);
  }
  const [said] = await answer;
  expect(said.toString().slice(9, 12)).toBe(status);
  expect(looked.filter((first) => sent.equals(first))).toHaveLength(status === '400' ? 0 : 1);
  if (status === '400') await once(socket, 'close');
});

it('a connection that is silent is left to the parser after a while, and served by what it then sends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const url = await serving(
    () => (_request, response) => void response.end('x'),
    undefined,
    () => REFUSAL,
  );
  const ask = async (afterMs: number) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    // It was accepted: the one that comes behind it is answered.
    expect(await statusOf(url)).toBe(503);
    vi.advanceTimersByTime(afterMs);
    socket.write('GET / HTTP/1.1\r\nHost: fleet\r\n\r\n');
    const [said] = await once(socket, 'data');
    return said.toString().slice(9, 12);
  };
  expect([await ask(0), await ask(4900), await ask(5100)]).toEqual(['503', '503', '200']);
});

const REFUSAL = Buffer.from('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');

/** A server without routes, for so many connections; its URL. It ends with the test. */
const bare = (most?: number): Promise<string> =>
  serving(
    (sockets) =>
      createApp({
        routes: [],
        whoOf: async () => undefined,
        behindProxy: false,
        sockets,
        readers: new Places(1, 1),
        report: () => {},
      }).callback(),
    most,
  );

/** A server of an application; its URL. It ends with the test. */
async function serving(
  application: (sockets: Sockets) => RequestListener,
  most?: number,
  refuses?: Refuses,
): Promise<string> {
  const server = createFleetServer();
  const sockets = new Sockets(server, refuses, most);
  server.on('request', sockets.serve(application(sockets))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    sockets.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Asks from an address of its own; resolves with the status of the answer. */
const statusOf = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { agent: false, localAddress: '127.0.0.2' }, (response) => resolve(response.resume().statusCode)).once(
      'error',
      reject,
    );
  });
