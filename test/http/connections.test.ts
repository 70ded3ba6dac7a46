import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LiveStream, StreamSlots } from '../../runtime/http/streams.ts';
import { definePlugin, route } from '../../runtime/kernel/plugin.ts';
import { Reply } from '../../runtime/kernel/reply.ts';
import { bodyOf, echo, exchange, openSocket, received, startFront, statusOf } from './kernel.ts';

const BODY = '{"value":"x"}';
const post = (fields: string, path = '/echo') => `POST ${path} HTTP/1.1\r\nHost: node\r\n${fields}\r\n`;
const GET = 'GET /echo HTTP/1.1\r\nHost: node\r\n\r\n';
/** Resolves when the socket has received this text. */
const until = (socket: ReturnType<typeof openSocket>, text: string) =>
  new Promise<string>((resolve) => {
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk;
      if (seen.includes(text)) resolve(seen);
    });
  });

/** A room whose one route, /served, is answered by `handle`. */
const servedBy = (handle: () => object) =>
  definePlugin({
    name: 'served',
    api: 2,
    routes: [route({ method: 'GET', path: '/served', tier: 'none', summary: 'tells the test', handle })],
  });

describe('a slow client', () => {
  const limits = { headersTimeoutMs: 100, bodyTimeoutMs: 100, checkIntervalMs: 20 };

  it.each([
    { name: 'that sends nothing', sent: '' },
    { name: 'that stops in its header', sent: 'GET /echo HTTP/1.1\r\nHost: no' },
  ])('$name is answered 400 in JSON and cut off', async ({ sent }) => {
    const { port } = await startFront({ limits });
    const answer = await exchange(port, sent);
    expect([statusOf(answer), bodyOf(answer)['error']]).toEqual([400, 'invalid_body']);
    expect(answer).toContain('X-Content-Type-Options: nosniff');
  });

  it.each(['Content-Length: 13\r\n', 'Transfer-Encoding: chunked\r\n'])(
    'that stops in its body (%s) is answered invalid_body',
    async (field) => {
      const { port } = await startFront({ limits });
      const answer = await exchange(port, post(field), field.startsWith('C') ? '{"val' : '5\r\n{"val\r\n');
      expect([statusOf(answer), bodyOf(answer)['error']]).toEqual([400, 'invalid_body']);
    },
  );

  it('that was in time is answered, though the node itself was late', async () => {
    const { port } = await startFront({ limits });
    const socket = openSocket(port);
    const answer = received(socket);
    await once(socket, 'connect');
    // Two turns of the loop: the front has its end of the connection.
    for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
    socket.end(GET);
    const until = performance.now() + 3 * limits.headersTimeoutMs;
    while (performance.now() < until);
    expect(statusOf(await answer)).toBe(200);
  });

  it('that leaves its connection idle is closed without a word', async () => {
    const { port } = await startFront({ limits: { ...limits, keepAliveTimeoutMs: 50 } });
    expect((await exchange(port, GET)).split('HTTP/1.1 ')).toHaveLength(2);
  });
});

describe('a connection', () => {
  it('that ends in the middle of a body is answered invalid_body in JSON', async () => {
    const { port } = await startFront();
    const socket = openSocket(port);
    const answer = received(socket);
    socket.end(`${post('Content-Length: 100\r\n')}${BODY}`);
    expect([statusOf(await answer), bodyOf(await answer)['error']]).toEqual([400, 'invalid_body']);
    expect(bodyOf(await answer)['detail']).toContain(`${BODY.length} of 100 bytes arrived`);
  });

  it('goes on after a refusal whose body had arrived', async () => {
    const { port } = await startFront();
    const answers = await exchange(
      port,
      `${post('Content-Length: 3\r\n', '/nope')}abc`,
      GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  it('is closed after a refusal whose body is still on its way, and what comes of it is not read as a request', async () => {
    const { port } = await startFront();
    const answer = await exchange(port, post(`Content-Length: ${2 * GET.length}\r\n`, '/nope'), GET, GET);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404']);
    expect(answer).toContain('Connection: close');
  });

  it.each([
    { name: 'whose body was refused', head: post('Content-Length: 3000\r\n', '/nope') },
    { name: 'that broke the protocol', head: 'nonsense\r\n\r\n' },
  ])('$name may finish what it sends, and is not reset while it reads', async ({ head }) => {
    const { port } = await startFront();
    const socket = openSocket(port).setNoDelay(true);
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    const answered = until(socket, '"ok":false');
    socket.write(head);
    await answered;
    for (let sent = 0; sent < 3; sent++) {
      await new Promise<void>((resolve) => socket.write('x'.repeat(1000), () => setImmediate(resolve)));
    }
    socket.end();
    await once(socket, 'close');
    expect(errors).toEqual([]);
  });

  it('that asks for a tunnel is refused, and may be reset without harm to the node', async () => {
    const { port, url } = await startFront();
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', note));
    const socket = openSocket(port);
    const refused = until(socket, '"ok":false');
    socket.write('CONNECT till:80 HTTP/1.1\r\nHost: till\r\n\r\n');
    expect(statusOf(await refused)).toBe(404);
    socket.resetAndDestroy();
    expect((await fetch(`${url}/echo`)).status).toBe(200);
    expect(uncaught).toEqual([]);
  });

  it.each([
    ['alone', 0],
    ['beside another one', 1],
    ['beside two', 2],
  ])('%s answers pipelined requests in their order, whatever frames their bodies', async (_, others) => {
    const { port } = await startFront();
    for (let n = 0; n < others; n += 1) await once(openSocket(port), 'connect');
    const requestOf = (body: string, n: number) =>
      n % 3 === 0
        ? `${post('Transfer-Encoding: chunked\r\n')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
        : `${post(`${n % 3 === 1 ? 'Expect: 100-continue\r\n' : ''}Content-Length: ${body.length}\r\n`)}${body}`;
    const asked = Array.from({ length: 200 }, (_, n) => `{"value":"${n}"}${' '.repeat((n % 5) * 300)}`);
    const requests = asked.map(requestOf).join('');
    const answers = await exchange(port, requests + GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(answers.match(/"value":"(\d+)"/g)).toEqual(asked.map((body) => body.trim().slice(1, -1)));
  });

  it.each([
    ['alone', 0],
    ['beside another one', 1],
  ])('%s has one of its pipelined requests served at a time, and others their turn between two', async (_, others) => {
    let turn = 0;
    let ticking = true;
    const tick = () => {
      turn += 1;
      if (ticking) setImmediate(tick);
    };
    onTestFinished(() => {
      ticking = false;
    });
    const served: number[] = [];
    const handle = () => {
      served.push(turn);
      return { ok: true };
    };
    const { port } = await startFront({ plugins: [echo, servedBy(handle)] });
    for (let n = 0; n < others; n += 1) await once(openSocket(port), 'connect');
    tick();
    const asked = GET.replace('/echo', '/served');
    const answers = await exchange(port, asked.repeat(50) + asked.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(51);
    expect(new Set(served).size).toBe(51);
  });

  it('is closed when it sends over 256 requests without reading an answer, and most of them are not begun', async () => {
    let begun = 0;
    const handle = () => {
      begun += 1;
      return { ok: true };
    };
    const { port } = await startFront({ plugins: [echo, servedBy(handle)] });
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(GET.replace('/echo', '/served').repeat(1000));
    await once(socket.resume(), 'close');
    expect(begun).toBeLessThan(10);
    expect(await exchange(port, GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).toContain('200 OK');
  });

  it.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['a tunnel', 'CONNECT till:80 HTTP/1.1\r\nHost: till\r\n\r\n'],
  ])('gives the good requests their answers and %s behind them none', async (_, behind) => {
    const { port } = await startFront();
    const good = `${post(`Content-Length: ${BODY.length}\r\n`)}${BODY}`;
    const answer = await exchange(port, `${good}${good}${behind}`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });
});

describe('Upgrade', () => {
  const UPGRADE = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';

  it('is not done: the request is answered, as the last of its connection, of which no part is read as a request', async () => {
    const { port } = await startFront();
    const first = `${post(`${UPGRADE}Content-Length: ${BODY.length}\r\n`)}${BODY}`;
    const answer = await exchange(port, `${first}${post(`Content-Length: ${GET.length}\r\n`)}`, GET);
    expect(answer.match(/HTTP\/1\.1 \d+|Connection: \S+/g)).toEqual(['HTTP/1.1 200', 'Connection: close']);
  });
});

describe('Expect: 100-continue', () => {
  const expecting = (path: string, length = BODY.length) =>
    post(`Expect: 100-continue\r\nContent-Length: ${length}\r\n`, path);

  it('is granted when the body is wanted', async () => {
    const { port } = await startFront();
    const socket = openSocket(port);
    const granted = until(socket, '100 Continue\r\n\r\n');
    socket.write(expecting('/echo'));
    await granted;
    const answered = until(socket, '"ok":true');
    socket.write(BODY);
    expect(await answered).toContain('HTTP/1.1 200');
  });

  it.each([
    { path: '/nope', length: 13, status: 404 },
    { path: '/image', length: 13, status: 401 },
    { path: '/busy', length: 13, status: 500 },
    { path: '/echo', length: 5000, status: 400 },
  ])('is not granted where $path answers $status anyway', async ({ path, length, status }) => {
    const { port } = await startFront();
    const socket = openSocket(port);
    const answer = until(socket, '"ok":false');
    socket.write(expecting(path, length));
    expect(await answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe('a stream on a connection', () => {
  /** A room with a stream that nothing ends but its reader; `free` tells how many more may begin. */
  const streaming = () => {
    const slots = new StreamSlots();
    const room = definePlugin({
      name: 'streaming',
      api: 2,
      routes: [
        route({
          method: 'GET',
          path: '/stream',
          tier: 'none',
          summary: 'never ends',
          handle: ({ request }) => {
            const stream = new LiveStream(request, slots.take()!);
            stream.send(Buffer.from('begun'));
            return new Reply(200, stream);
          },
        }),
        route({
          method: 'GET',
          path: '/late',
          tier: 'none',
          summary: 'never begins',
          handle: ({ request }) => new Reply(200, new LiveStream(request, slots.take()!)),
        }),
        route({
          method: 'GET',
          path: '/ended',
          tier: 'none',
          summary: 'waits until its client has closed its side',
          handle: ({ request }) => once(request.socket, 'end').then(() => ({ ok: true })),
        }),
      ],
    });
    return { plugins: [echo, room], slots };
  };

  it.each([
    { name: 'the first connection', others: 0, ends: false },
    { name: 'the second one', others: 1, ends: false },
    { name: 'the second one, whose client has closed its side', others: 1, ends: true },
  ])('ends when something else is asked for behind it, which is answered ($name)', async ({ others, ends }) => {
    const { plugins, slots } = streaming();
    const { port } = await startFront({ plugins, limits: { checkIntervalMs: 20 } });
    for (let n = 0; n < others; n += 1) await once(openSocket(port), 'connect');
    const socket = openSocket(port);
    const answered = until(socket, '"ok":true');
    socket[ends ? 'end' : 'write'](`GET /stream HTTP/1.1\r\nHost: node\r\n\r\n${GET}`);
    expect((await answered).split('HTTP/1.1 200')).toHaveLength(3);
    expect(slots.free).toBe(4);
  });

  it.each([
    ['the only connection', 0],
    ['the second one', 1],
  ])('goes on behind empty lines, which are no request, and its reader can leave it (%s)', async (_, others) => {
    const { plugins, slots } = streaming();
    const { port } = await startFront({ plugins, limits: { checkIntervalMs: 5 } });
    for (let n = 0; n < others; n += 1) await once(openSocket(port), 'connect');
    const socket = openSocket(port);
    const begun = until(socket, 'begun');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    const asked = 'GET /stream HTTP/1.1\r\nHost: node\r\n\r\n';
    socket.write(`${asked}\r\n`);
    await begun;
    await new Promise<void>((sent) => void socket.setNoDelay(true).write('\r', () => sent()));
    socket.write('\n\r\n');
    // One that is asked for later ends by a check, which comes to the first one before.
    const later = openSocket(port);
    const ended = until(later, '"ok":true');
    later.write(`${asked}${GET}`);
    await ended;
    expect(answer).not.toContain('\r\n0\r\n');
    expect(slots.free).toBe(3);
    socket.end();
    await once(socket, 'close');
    expect(slots.free).toBe(4);
  });

  it.each([
    ['asked for last', 'GET /late HTTP/1.1\r\nHost: node\r\n\r\n', 1],
    ['asked for behind something else', `${GET}GET /late HTTP/1.1\r\nHost: node\r\n\r\n`, 2],
    ['whose turn comes later', `${GET.replace('echo', 'ended')}GET /late HTTP/1.1\r\nHost: node\r\n\r\n`, 2],
  ])('that has not begun as its reader closes its side is answered, and ends (%s)', async (_, asked, count) => {
    const { plugins, slots } = streaming();
    const { port } = await startFront({ plugins });
    const socket = openSocket(port);
    const answer = received(socket);
    socket.end(asked);
    expect((await answer).split('HTTP/1.1 200')).toHaveLength(count + 1);
    await once(socket, 'close');
    expect(slots.free).toBe(4);
  });
});

describe('at the limit of connections', () => {
  it('the oldest that never asked anything gives way', async () => {
    const { port, url } = await startFront({ limits: { connections: 4 } });
    const ask = async (socket: ReturnType<typeof openSocket>) => {
      const answered = until(socket, '"ok":true');
      socket.write(GET);
      return statusOf(await answered);
    };
    const asked = openSocket(port);
    await ask(asked);
    const silent = [openSocket(port), openSocket(port), openSocket(port)] as const;
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    const [oldest, second, third] = silent;
    const last = received(oldest);
    expect((await fetch(`${url}/echo`)).status).toBe(200);
    expect(await last).toBe('');
    expect(await Promise.all([asked, second, third].map(ask))).toEqual([200, 200, 200]);
  });

  it('five hundred half-sent requests do not keep anybody out', async () => {
    const { port, url } = await startFront();
    const halves = Array.from({ length: 500 }, () => openSocket(port));
    await Promise.all(
      halves.map(async (socket) => {
        await once(socket, 'connect');
        socket.write('GET /echo HTTP/1.1\r\nHost: ');
      }),
    );
    expect((await fetch(`${url}/echo`, { method: 'POST', body: BODY })).status).toBe(200);
  });
});
