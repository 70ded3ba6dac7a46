/** Clients that do not read what they asked for, and those that hold connections: who is served all the same. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closed } from '../../runtime/base/schema.ts';
import { keep } from '../../runtime/http/large.ts';
import { definePlugin, route } from '../../runtime/kernel/plugin.ts';
import { Shares } from '../../runtime/kernel/shares.ts';
import { echo, startFront, statusOf } from './kernel.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: node\r\n\r\n`;
/** More than the kernels of both ends take of what nobody reads. */
const MUCH = 32 * 1024 * 1024;

/** A room whose one route, /much, is answered by `handle`. */
const answering = (handle: () => unknown) =>
  definePlugin({
    name: 'much',
    api: 2,
    routes: [
      route({ method: 'GET', path: '/much', tier: 'none', summary: 'large', type: 'application/octet-stream', handle }),
      route({
        method: 'PUT',
        path: '/always',
        tier: 'none',
        summary: 'puts it right',
        body: { schema: closed({}, { $id: 'Nothing' }), invalid: 'invalid_command' },
        always: true,
        handle: () => ({ ok: true }),
      }),
    ],
  });

function open(port: number, from = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true }).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

const closing = (request: string) => request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');

/** What is answered to requests on a connection of their own, which is read to its end. */
async function ask(port: number, from: string, request = closing(get('/echo'))): Promise<string> {
  const socket = open(port, from);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.write(request);
  await once(socket, 'close');
  return text;
}

describe('a client that does not read', () => {
  it('has one response made for it at a time, and gets all once it reads', async () => {
    let begun = 0;
    const much = keep(Buffer.alloc(MUCH, 'x'));
    const handle = () => {
      begun += 1;
      return much;
    };
    const { port } = await startFront({ plugins: [echo, answering(handle)] });
    const socket = open(port).pause();
    socket.write(get('/much').repeat(3));
    for (let n = 0; n < 20 || begun === 0; n += 1) await ask(port, '127.0.0.2');
    expect(begun).toBe(1);
    let length = 0;
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        length += chunk.length;
        if (length > 3 * MUCH) resolve();
      });
      socket.resume();
    });
    expect(begun).toBe(3);
  });

  it('is cut off when nothing has left for some time, and what waits behind is not begun', async () => {
    const endless: Readable[] = [];
    const handle = () => {
      const body = new Readable({ read: () => void body.push(Buffer.alloc(65_536)) });
      endless.push(body);
      return body;
    };
    const limits = { unreadTimeoutMs: 100, checkIntervalMs: 20 };
    const { port } = await startFront({ plugins: [echo, answering(handle)], limits });
    open(port).pause().write(get('/much').repeat(2));
    while (endless.length === 0) await ask(port, '127.0.0.2');
    const [body] = endless;
    await new Promise<void>((resolve) => body?.once('close', resolve));
    await ask(port, '127.0.0.2');
    expect(endless).toHaveLength(1);
  });

  it('is refused a further large body while one is on its way, but not one that is shared with it', async () => {
    const bodies = [Buffer.alloc(MUCH), Buffer.alloc(MUCH)];
    let served: Buffer | undefined = bodies[0];
    const { port } = await startFront({ plugins: [echo, answering(() => served)] });
    const stuck = open(port);
    stuck.write(get('/much'));
    await once(stuck, 'readable');
    expect(statusOf(await ask(port, '127.0.0.1', closing(get('/much'))))).toBe(200);
    served = bodies[1];
    const refused = await ask(port, '127.0.0.1', closing(get('/much')));
    expect([statusOf(refused), refused.includes('"error":"busy"')]).toEqual([409, true]);
    served = Buffer.alloc(1000);
    expect(statusOf(await ask(port, '127.0.0.1', closing(get('/much'))))).toBe(200);
  });
});

it.each([
  ['of many bytes', () => Buffer.alloc(32_768)],
  ['that is a stream', () => Readable.from([Buffer.alloc(32_768)])],
])('many clients that read at once a body %s let a command and a HEAD in between', async (_, bodyOf) => {
  let made = 0;
  const long = () => {
    made += 1;
    for (const from = performance.now(); performance.now() - from < 3; );
    return bodyOf();
  };
  const { port } = await startFront({ plugins: [echo, answering(long)] });
  await ask(port, '127.0.0.1', closing(get('/much')));
  const readers = Array.from({ length: 40 }, () => open(port));
  const commands = open(port, '127.0.0.2');
  await Promise.all([...readers, commands].map((socket) => once(socket, 'connect')));
  for (const reader of readers) reader.write(get('/much'));
  commands.write('POST /echo HTTP/1.1\r\nHost: node\r\nContent-Length: 13\r\n\r\n{"value":"a"}');
  const [answer] = (await once(commands, 'data')) as [Buffer];
  expect(statusOf(answer.toString())).toBe(200);
  expect(made).toBeLessThan(20);
  commands.write('HEAD /much HTTP/1.1\r\nHost: node\r\n\r\n');
  const [head] = (await once(commands, 'data')) as [Buffer];
  expect(statusOf(head.toString())).toBe(200);
  expect(made).toBeLessThan(30);
  await Promise.all(readers.map((reader) => once(reader, 'data')));
  expect(made).toBe(42);
});

describe('a client that holds every connection', () => {
  const endless = () => {
    const body = new Readable({ read() {} });
    body.push('x');
    return body;
  };

  it('loses one of them, though it is answered there, to a client that has none', async () => {
    const { port } = await startFront({ plugins: [echo, answering(endless)], limits: { connections: 4 } });
    const held = Array.from({ length: 4 }, () => open(port));
    for (const socket of held) {
      socket.write(get('/much'));
      await once(socket, 'readable');
    }
    const first = once(held[0]!.resume(), 'close');
    expect(statusOf(await ask(port, '127.0.0.2'))).toBe(200);
    await first;
  });

  it('has each of its many connections answered, however many requests come at once', async () => {
    const { port } = await startFront();
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => ask(port, '127.0.0.1', get('/echo').repeat(99) + closing(get('/echo')))),
    );
    expect(answers.map((text) => text.match(/HTTP\/1\.1 200/g)?.length)).toEqual(Array(24).fill(100));
  });
});

describe('where only the connections are left that are kept', () => {
  it('reads and what is always served are answered, and their connection closed; the rest is busy', async () => {
    const { port } = await startFront({ plugins: [echo, answering(() => 'x')], limits: { connections: 0 } });
    const read = await ask(port, '127.0.0.1');
    expect([statusOf(read), /^Connection: close/im.test(read)]).toEqual([200, true]);
    const sent = (line: string, body: string) =>
      `${line} HTTP/1.1\r\nHost: node\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(statusOf(await ask(port, '127.0.0.1', closing(sent('PUT /always', '{}'))))).toBe(200);
    const refused = await ask(port, '127.0.0.1', closing(sent('POST /echo', '{"value":"x"}')));
    expect([statusOf(refused), refused.includes('"error":"busy"')]).toEqual([409, true]);
  });
});

describe('shares', () => {
  it('give one address its share, all of them no more than there is, and take back what was given', () => {
    const shares = new Shares(10, 6);
    const first = shares.take('a', 4);
    expect([shares.take('a', 3), shares.take('b', 7)]).toEqual([undefined, undefined]);
    expect(shares.take('b', 6)).toBeDefined();
    expect(shares.take('c')).toBeUndefined();
    first?.();
    expect(shares.take('a', 4)).toBeDefined();
  });

  it('give what is larger than all of them to one that has nothing, where nobody has anything', () => {
    const shares = new Shares(10, 6);
    const large = shares.take('a', 50);
    expect([large !== undefined, shares.take('b')]).toEqual([true, undefined]);
  });
});
