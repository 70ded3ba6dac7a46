/** Bodies in chunks (RFC 9112, 7.1) of a byte each, which are a hundred times the work of the same bytes with a length. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { LoopTurns } from '../../runtime/http/loop-turns.ts';
import { readInPieces } from '../../runtime/http/pieces.ts';
import { startIppNode } from '../plugins/ipp/ipp-node.ts';
import { startFront } from './kernel.ts';

/** Chunks of a request; they take 180 kB. */
const CHUNKS = 30_000;
/** Turns of the event loop that others have at least while so many are parsed. Where all that was read is parsed at once, there are ten. */
const TURNS = 200;

/** A body in chunks of one byte. */
const drops = (body: string): string => `${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;
const request = (to: string, type: string, body: string): string =>
  `${to} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

function open(port: number, localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** What is answered first, and the turns of the event loop until then. */
async function answered(socket: Socket, asked: string): Promise<{ readonly text: string; readonly turns: number }> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  await once(socket, 'connect');
  count();
  socket.write(asked);
  const [text] = await once(socket, 'data');
  isOver = true;
  return { text: String(text), turns };
}

it.each([1, 2])('chunks of a byte are parsed in turns with others on connection %i of the API', async (connections) => {
  const { port } = await startFront();
  for (let held = 1; held < connections; held += 1) await once(open(port), 'connect');
  const body = JSON.stringify({ a: 'x'.repeat(CHUNKS) });
  const { text, turns } = await answered(open(port), request('PUT /echo', 'application/json', drops(body)));
  expect(text).toMatch(/^HTTP\/1\.1 200/);
  expect(turns).toBeGreaterThan(TURNS);
});

it('chunks of a byte are parsed in turns with others at the printer of IPP', async () => {
  const node = await startIppNode();
  onTestFinished(() => node.stop());
  const port = Number(node.ipp.split(':').at(-1));
  const { text, turns } = await answered(
    open(port),
    request('POST /ipp/print', 'application/ipp', drops('\x02\x00'.repeat(CHUNKS / 2))),
  );
  expect(text).toMatch(/^HTTP\/1\.1 \d/);
  expect(turns).toBeGreaterThan(TURNS);
});

it('the first chunks of a connection to the printer of IPP are parsed in turns with others, too', async () => {
  const node = await startIppNode();
  onTestFinished(() => node.stop());
  const port = Number(node.ipp.split(':').at(-1));
  const drip = drops('\x02\x00'.repeat(CHUNKS / 6));
  const { turns } = await answered(open(port), request('POST /ipp/print', 'application/ipp', drip));
  expect(turns).toBeGreaterThan(TURNS / 4);
});

it('a body in large chunks does not wait for those in chunks of a byte of another address', async () => {
  const { port } = await startFront();
  const parts = JSON.stringify({ a: '1'.repeat(60_000) }).match(/.{1,16000}/g) ?? [];
  const large = `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
  const drip = request('PUT /echo', 'application/json', drops(JSON.stringify({ a: 'x'.repeat(CHUNKS / 10) })));
  let others = 0;
  for (let each = 0; each < 20; each += 1) {
    const other = open(port, '127.0.0.7').on('data', () => {
      others += 1;
    });
    await once(other, 'connect');
    other.write(drip);
  }
  const socket = open(port, '127.0.0.8');
  await once(socket, 'connect');
  socket.write(request('PUT /echo', 'application/json', large));
  const [text] = await once(socket, 'data');
  expect(String(text)).toMatch(/^HTTP\/1\.1 200/);
  // The first of them may have come before it.
  expect(others).toBeLessThan(5);
});

it('chunks of a byte are few buffers for who reads the body, and none keeps more than its bytes', async () => {
  const sizes: number[] = [];
  let last: IncomingMessage | undefined;
  const server = createServer((message, response) => {
    last = message;
    message.on('data', (chunk: Buffer) => sizes.push(chunk.length, chunk.buffer.byteLength));
    message.on('end', () => response.end());
  });
  server.on('connection', (socket) => {
    readInPieces(socket, { mayRead: () => true, last: () => last, turns: new LoopTurns() });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = open((server.address() as AddressInfo).port);
  await answered(socket, request('POST /', 'text/plain', drops('x'.repeat(CHUNKS))));
  const [lengths, kept] = [0, 1].map((odd) => sizes.filter((_, at) => at % 2 === odd));
  expect(lengths?.reduce((sum, length) => sum + length)).toBe(CHUNKS);
  expect(lengths?.length).toBeLessThan(CHUNKS / 50);
  expect(Math.max(...(kept ?? []))).toBeLessThanOrEqual(Buffer.poolSize);
});

it('bodies of large and small chunks arrive whole, and what comes behind them is answered', async () => {
  const { port } = await startFront();
  await once(open(port), 'connect');
  const value = `${'a'.repeat(700)}é${'b'.repeat(90)}`;
  const [head = '', ...rest] = JSON.stringify({ value }).split('b');
  const bytes = Buffer.from(head).toString('latin1');
  const mixed = `${bytes.length.toString(16)}\r\n${bytes}\r\n${drops(`b${rest.join('b')}`)}`;
  const socket = open(port);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  const twice = request('POST /echo', 'application/json', mixed).repeat(2);
  const last = 'GET /echo HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n';
  socket.write(Buffer.from(`${twice}${last}`, 'latin1'));
  await once(socket, 'close');
  expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  expect(text.split(Buffer.from(JSON.stringify(value)).toString('latin1'))).toHaveLength(3);
});
