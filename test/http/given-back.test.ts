/** Whatever connections take of what all of them share is back when they have closed, however they ended. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Connections } from '../../runtime/http/connections.ts';
import { LiveStream, STREAM_SLOTS, StreamSlots } from '../../runtime/http/streams.ts';
import { definePlugin, route } from '../../runtime/kernel/plugin.ts';
import { Reply } from '../../runtime/kernel/reply.ts';
import { Shares } from '../../runtime/kernel/shares.ts';
import { echo, startFront } from './kernel.ts';

const limits = {
  headersTimeoutMs: 100,
  bodyTimeoutMs: 100,
  keepAliveTimeoutMs: 100,
  unreadTimeoutMs: 100,
  checkIntervalMs: 20,
};
const MUCH = 1024 * 1024;

const head = (line: string, fields = '') => `${line} HTTP/1.1\r\nHost: node\r\n${fields}\r\n`;
const GET = head('GET /echo');
const sized = (path: string, body: string, fields = '') =>
  `${head(`POST ${path}`, `${fields}Content-Length: ${body.length}\r\n`)}${body}`;
const chunked = (path: string, body: string) =>
  `${head(`POST ${path}`, 'Transfer-Encoding: chunked\r\n')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const JSON_BODY = '{"value":"x"}';

/** What a connection begins with; others wait behind it. */
const FIRST: Readonly<Record<string, string>> = {
  'a read': GET,
  'a refusal that closes': chunked('/nope', 'x'.repeat(1460)),
  'a refusal of a whole body': sized('/nope', JSON_BODY),
  'a refusal of half a body': head('POST /nope', 'Content-Length: 90000\r\n'),
  'half a body': `${head('PUT /echo', 'Content-Length: 60000\r\n')}${'x'.repeat(30_000)}`,
  'a body in chunks': chunked('/echo', JSON_BODY),
  'a body that waits to be asked for': sized('/echo', JSON_BODY, 'Expect: 100-continue\r\n'),
  'a stream': head('GET /stream'),
  'a large answer': head('GET /much'),
  'a slow answer': head('GET /slow'),
  'a key that is wrong': head('POST /image', 'Authorization: Bearer wrong\r\nContent-Length: 0\r\n'),
  'the last of its connection': head('GET /echo', 'Connection: close\r\n'),
  nonsense: 'nonsense\r\n\r\n',
  'a tunnel': head('CONNECT till:80'),
  'half a header': 'GET /echo HTTP/1.1\r\nHost: no',
};
const behind = GET.repeat(40);

const readable = (socket: Socket) => Promise.race([once(socket, 'readable'), once(socket, 'close')]);
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

/** How its client ends it. */
const ENDS: Readonly<Record<string, (socket: Socket) => unknown>> = {
  'closes its side': (socket) => void socket.resume().end(),
  'closes both, and reads nothing': (socket) => void socket.destroySoon(),
  'resets it at once': (socket) => void socket.resetAndDestroy(),
  'resets it a moment later': (socket) => turns(3).then(() => socket.resetAndDestroy()),
  'resets it in its answers': (socket) => readable(socket).then(() => socket.resetAndDestroy()),
  'reads, and leaves the end to the node': (socket) => void socket.resume(),
  'reads nothing, and leaves the end to the node': () => {},
};

/** A front whose rooms take of everything. */
async function front() {
  const slots = new StreamSlots();
  const of = (path: `/${string}`, handle: (call: { request: IncomingMessage }) => unknown) =>
    route({ method: 'GET', path, tier: 'none', summary: 'takes', type: 'text/plain', handle });
  const room = definePlugin({
    name: 'taking',
    api: 2,
    routes: [
      of('/stream', ({ request }) => {
        const slot = slots.take();
        if (slot === undefined) return 'none is left';
        const stream = new LiveStream(request, slot);
        stream.send(Buffer.from('begun'));
        return new Reply(200, stream);
      }),
      of('/much', () => Buffer.alloc(MUCH)),
      of('/slow', async () => {
        await turns(20);
        return Buffer.alloc(MUCH);
      }),
    ],
  });
  const { port } = await startFront({ plugins: [echo, room], limits, stored: { updateKey: 'of an update' } });
  return { port, slots };
}

/** All that is taken on fronts from now on. */
function counted() {
  const takes = vi.spyOn(Shares.prototype, 'take').mock;
  const begins = vi.spyOn(Connections.prototype, 'begin').mock;
  const streams = vi.spyOn(StreamSlots.prototype, 'take').mock;
  const sum = <Each>(all: readonly Each[], of: (each: Each) => number) =>
    [...new Set(all)].reduce((before, each) => before + of(each), 0);
  return () => ({
    shares: sum(takes.contexts as Shares[], ({ taken }) => taken),
    streams: sum(streams.contexts as StreamSlots[], ({ free }) => STREAM_SLOTS - free),
    open: sum(begins.contexts as Connections[], ({ size }) => size.open),
    served: sum(begins.contexts as Connections[], ({ size }) => size.served),
    wereTaken: takes.results.length > 0 && streams.results.length > 0,
  });
}

const NOTHING = { shares: 0, streams: 0, open: 0, served: 0, wereTaken: true };

async function openFrom(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true }).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

afterEach(() => void vi.restoreAllMocks());

describe.each(Object.keys(ENDS))('where the client %s', (name) => {
  const end = ENDS[name]!;

  it.each([
    ['its only connection', 0],
    ['one beside another', 1],
  ])('all that was taken is back, whatever came on %s', async (_, others) => {
    const taken = counted();
    await Promise.all(
      Object.values(FIRST).map(async (first) => {
        const { port } = await front();
        const held = await Promise.all(Array.from({ length: others }, () => openFrom(port, '127.0.0.9')));
        const socket = await openFrom(port, '127.0.0.2');
        socket.write(first + behind);
        await end(socket);
        // What came of it is here when what comes later is answered.
        const later = await openFrom(port, '127.0.0.3');
        later.resume().write(head('GET /echo', 'Connection: close\r\n'));
        await once(later, 'close');
        for (const each of held) each.destroy();
      }),
    );
    await vi.waitFor(() => expect(taken()).toEqual(NOTHING), 10_000);
  });
});

describe('a response whose connection closes', () => {
  it('leaves nothing that waits behind it to be served', async () => {
    const { port } = await front();
    const take = vi.spyOn(StreamSlots.prototype, 'take');
    const socket = await openFrom(port, '127.0.0.2');
    socket.write(`${FIRST['a refusal that closes']}${FIRST['a stream']}`);
    await once(socket.resume(), 'close');
    expect(take).not.toHaveBeenCalled();
  });
});
