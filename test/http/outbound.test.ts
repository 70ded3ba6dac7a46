import { spawn } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Outbound, type OutboundOptions } from '../../runtime/http/outbound.ts';
import { until } from '../node.ts';
import { needTools } from '../tools.ts';
import { type Authority, createAuthority } from './certificates.ts';
import { answer, drip, hang, pour, say, startReceiver } from './receiver.ts';

const LONG_MS = 20_000;
const SHORT_MS = 200;

function outbound(options: Partial<OutboundOptions> = {}) {
  const made = new Outbound({ refuses: () => false, ...options });
  onTestFinished(() => made.close());
  const post = (url: string, deadlineMs = LONG_MS, body = '{"a":"é"}') =>
    made.post({ url, headers: { 'X-NODE-Seq': '1' }, body, deadlineMs });
  const open = (url: string) => made.open('GET', { url, headers: {}, deadlineMs: LONG_MS });
  return { post, open, close: () => made.close() };
}
const at =
  (...addresses: readonly string[]): NonNullable<OutboundOptions['resolve']> =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('a request of the node', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['/a/../b/./c//d', '/a/../b/./c//d'],
    ['/%7Eshop/%2e%2E/%zz', '/%7Eshop/%2e%2E/%zz'],
    ['/a|b^c`{d}"<e>', '/a|b^c`{d}"<e>'],
    ["?q=a'b&&x=%20;/..", "/?q=a'b&&x=%20;/.."],
    ['/hook?x=http://other/?y#not-sent', '/hook?x=http://other/?y'],
    ['#only', '/'],
    ['/Bäckerei/☕?q=é', '/B%C3%A4ckerei/%E2%98%95?q=%C3%A9'],
  ])('takes %j after the host to the wire as %j', async (given, sent) => {
    const receiver = await startReceiver();
    expect(await outbound().post(receiver.url + given)).toBe(200);
    const [{ target, method, headers, body } = expect.fail()] = receiver.received;
    expect([method, target, headers['host'], body]).toEqual(['POST', sent, `127.0.0.1:${receiver.port}`, '{"a":"é"}']);
    expect(headers['content-length']).toBe('10');
  });

  it('names the host as the URL does, and looks up the name it means', async () => {
    const receiver = await startReceiver();
    const asked: string[] = [];
    const resolve = (host: string) => {
      asked.push(host);
      return at('127.0.0.1')(host);
    };
    await outbound({ resolve }).post(`HTTP://Hook.TEST:0${receiver.port}/`);
    expect([receiver.received[0]?.headers['host'], asked]).toEqual([`Hook.TEST:0${receiver.port}`, ['hook.test']]);
  });

  it('has a body that is sent as it is read, with its length', async () => {
    const receiver = await startReceiver();
    const made = new Outbound({ refuses: () => false });
    onTestFinished(() => made.close());
    async function* chunks() {
      for (const each of ['{"a":', '"é"}']) yield Buffer.from(each);
    }
    const put = { url: receiver.url, headers: {}, body: { length: 10, chunks: chunks() }, deadlineMs: LONG_MS };
    expect((await made.open('PUT', put)).status).toBe(200);
    const [{ method, headers, body } = expect.fail()] = receiver.received;
    expect([method, body, headers['content-length'], headers['transfer-encoding']]).toEqual([
      ...['PUT', '{"a":"é"}', '10', undefined],
    ]);
  });

  it('breaks off where its body cannot be read to the end', async () => {
    const receiver = await startReceiver();
    const made = new Outbound({ refuses: () => false });
    onTestFinished(() => made.close());
    async function* chunks() {
      yield Buffer.from('{"a":');
      throw new Error('the disk is gone');
    }
    const put = { url: receiver.url, headers: {}, body: { length: 10, chunks: chunks() }, deadlineMs: LONG_MS };
    await expect(made.open('PUT', put)).rejects.toThrow('the disk is gone');
    expect(receiver.received).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect: %i is the answer', async (status) => {
    const other = await startReceiver();
    const receiver = await startReceiver(answer(status, `Location: ${other.url}/`));
    expect(await outbound().post(receiver.url)).toBe(status);
    expect([receiver.received.length, other.connections]).toEqual([1, 0]);
  });
});

describe('the deadline ends', () => {
  it.each([
    ['a receiver that never answers', hang],
    ['a head that comes a byte at a time', drip('HTTP/1.1 200 OK\r\nA: ', 'b')],
    ['a head without an end', drip('HTTP/1.1 200 OK\r\n', 'A: b\r\n')],
    ['interim answers that lead to nothing', say('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hint\r\n\r\n')],
  ])('%s', async (_name, behave) => {
    const receiver = await startReceiver(behave);
    await expect(outbound().post(receiver.url, SHORT_MS)).rejects.toThrow(`no answer within ${SHORT_MS} ms`);
    await until(() => receiver.sockets.every(({ destroyed }) => destroyed));
  });

  it.each(['http', 'https'])('a receiver that takes the %s connection and reads nothing', async (scheme) => {
    const receiver = await startReceiver(hang, { onConnect: (socket) => socket.pause() });
    const { post } = outbound();
    await expect(post(`${scheme}://127.0.0.1:${receiver.port}/`, SHORT_MS)).rejects.toThrow('no answer within');
    await until(() => receiver.connections === 1);
  });

  it('a connection that nobody takes up', async () => {
    const program = `const s = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(s.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const url = `http://127.0.0.1:${port}/`;
    // The first ones fill the backlog; a machine acknowledges no more than that.
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map(() => outbound().post(url, SHORT_MS)));
    expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  });

  it('a resolver that does not answer, and no more than four look-ups wait for it', async () => {
    let lookups = 0;
    const { post } = outbound({
      resolve: () => {
        lookups += 1;
        return new Promise(() => {});
      },
    });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => post(`http://hook${n % 10}.test/`, SHORT_MS)),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(30);
    expect(lookups).toBe(4);
  });
});

describe('an answer', () => {
  it.each([
    ['resets at once', { onConnect: (socket: { resetAndDestroy(): void }) => socket.resetAndDestroy() }],
    ['hangs up at once', { onConnect: (socket: { end(): void }) => socket.end() }],
  ])('never comes where the receiver %s', async (_name, options) => {
    const receiver = await startReceiver(hang, options as Parameters<typeof startReceiver>[1]);
    await expect(outbound().post(receiver.url)).rejects.toThrow();
  });

  it.each([
    ['resets after the request', '', 'reset'],
    ['hangs up after the request', '', 'end'],
    ['resets after the status line', 'HTTP/1.1 200 OK\r\n', 'reset'],
    ['hangs up in the head', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n', 'end'],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.6\r\n', 'stay'],
    ['speaks HTTP/0.9', '<p>hello</p>', 'end'],
    ['answers with a broken status', 'HTTP/1.1 2 OK\r\n\r\n', 'stay'],
    ['answers with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 'stay'],
  ])('is none where the receiver %s', async (_name, text, then) => {
    const receiver = await startReceiver((socket) => {
      socket.write(text, () => {
        if (then === 'reset') socket.resetAndDestroy();
        if (then === 'end') socket.end();
      });
    });
    await expect(outbound().post(receiver.url)).rejects.toThrow();
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    ['resets in the body', say('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')],
    ['announces a gigabyte', say('HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n')],
    ['sends an endless body', pour('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(65_536))],
    ['drips a body', drip('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n')],
    ['answers twice', say('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'.repeat(2))],
  ])('counts with its head, and the connection is let go, where the receiver %s', async (_name, behave) => {
    const receiver = await startReceiver(behave);
    expect(await outbound().post(receiver.url)).toBe(200);
    await until(() => receiver.sockets[0]?.destroyed === true);
    // What the machine's own buffers hold, and not what was offered.
    expect(receiver.sockets[0]?.bytesWritten).toBeLessThan(16 * 2 ** 20);
  });

  it.each([
    ['a head of more than 16 kB', pour('HTTP/1.1 200 OK\r\n', `A: ${'b'.repeat(1000)}\r\n`), /overflow/i],
    ['a flood of interim answers', pour('', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000)), /interim/],
  ])('is broken off at %s', async (_name, behave, message) => {
    const receiver = await startReceiver(behave);
    await expect(outbound().post(receiver.url)).rejects.toThrow(message);
    await until(() => receiver.sockets[0]?.destroyed === true);
  });

  it('is waited for through a few interim ones', async () => {
    const receiver = await startReceiver(
      say(`HTTP/1.1 100 Continue\r\n\r\n${'HTTP/1.1 103 Hint\r\n\r\n'.repeat(9)}HTTP/1.1 204 No Content\r\n\r\n`),
    );
    expect(await outbound().post(receiver.url)).toBe(204);
  });

  it('of another protocol is its status', async () => {
    const receiver = await startReceiver(say('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'));
    expect(await outbound().post(receiver.url)).toBe(101);
    await until(() => receiver.sockets[0]?.destroyed === true);
  });
});

describe('a body', () => {
  it('in chunks of a byte is given on in few pieces: each chunk takes a few hundred in memory', async () => {
    const bytes = 20_000;
    const inChunks = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(bytes)}0\r\n\r\n`;
    const receiver = await startReceiver(say(inChunks));
    const { chunks } = await outbound().open(receiver.url);
    const response = chunks as unknown as Readable;
    let [pieces, length] = [0, 0];
    response.on('data', (piece: Buffer) => {
      pieces += 1;
      length += piece.length;
    });
    await once(response, 'end');
    expect(length).toBe(bytes);
    expect(pieces).toBeLessThan(400);
  });
});

describe('a connection', () => {
  it('is kept for the next request while the receiver allows it', async () => {
    const receiver = await startReceiver(say('HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok'));
    const { post } = outbound();
    for (let n = 0; n < 5; n += 1) await post(receiver.url);
    expect([receiver.received.length, receiver.connections]).toEqual([5, 1]);
    receiver.behave = answer(200, 'Connection: close');
    await post(receiver.url);
    await post(receiver.url);
    expect([receiver.received.length, receiver.connections]).toEqual([7, 2]);
  });

  it('that was closed by the other end meanwhile costs nothing', async () => {
    const receiver = await startReceiver((socket) => {
      answer(200)(socket, {} as never);
      setImmediate(() => socket.end());
    });
    const { post } = outbound();
    for (let n = 1; n <= 5; n += 1) {
      expect(await post(receiver.url)).toBe(200);
      await until(() => receiver.sockets[n - 1]?.destroyed === true);
    }
    expect(receiver.received).toHaveLength(5);
  });

  it('is never kept again by a receiver that hung up on one', async () => {
    const receiver = await startReceiver();
    const { post } = outbound();
    await post(receiver.url);
    receiver.behave = (socket) => void socket.resetAndDestroy();
    await expect(post(receiver.url)).rejects.toThrow();
    receiver.behave = answer(200);
    for (let n = 0; n < 3; n += 1) await post(receiver.url);
    expect([receiver.received.length, receiver.connections]).toEqual([5, 4]);
    expect(receiver.received.slice(2).map(({ headers }) => headers['connection'])).toEqual(Array(3).fill('close'));
  });

  it('is let go when nobody sends for a while', async () => {
    const receiver = await startReceiver();
    await outbound().post(receiver.url);
    await until(() => receiver.sockets[0]?.destroyed === true);
  });

  it('is broken off when the node ends, whatever it is doing', async () => {
    const receiver = await startReceiver(hang);
    const { post, close } = outbound({ resolve: () => new Promise(() => {}) });
    const attempts = [post(receiver.url), post('http://hook.test/')];
    await until(() => receiver.received.length === 1);
    close();
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('a name', () => {
  const own = (address: string) => address === '127.0.0.9';
  it.each([
    ['that does not exist', () => Promise.reject(new Error('getaddrinfo ENOTFOUND')), 'ENOTFOUND'],
    ['without an address', at(), 'refused'],
    ['of the node itself', at('127.0.0.9'), 'refused'],
    ['of the node itself, fifty times', at(...Array<string>(50).fill('127.0.0.9')), 'refused'],
  ])('%s fails', async (_name, resolve, message) => {
    await expect(outbound({ refuses: own, resolve }).post('http://hook.test/')).rejects.toThrow(message);
  });

  it('with refused and other addresses goes to the others alone', async () => {
    const receiver = await startReceiver();
    const resolve = at(...Array<string>(49).fill('127.0.0.9'), '127.0.0.1');
    expect(await outbound({ refuses: own, resolve }).post(`http://hook.test:${receiver.port}/`)).toBe(200);
  });

  it('that changes its address between two requests is checked each time, and once for each connection', async () => {
    const receiver = await startReceiver(answer(200, 'Connection: close'));
    const answers = ['127.0.0.1', '127.0.0.9', '127.0.0.1'];
    const resolve = async (): Promise<LookupAddress[]> => [{ address: answers.shift() ?? '', family: 4 }];
    const { post } = outbound({ refuses: own, resolve });
    const url = `http://hook.test:${receiver.port}/`;
    expect(await post(url)).toBe(200);
    await expect(post(url)).rejects.toThrow('refused');
    expect(await post(url)).toBe(200);
    expect([receiver.received.length, answers]).toEqual([2, []]);
  });

  it('with an IPv6 address alone is checked like any other', async () => {
    const asked: string[] = [];
    const refuses = (address: string) => asked.push(address) > 0 && address === '::1';
    await expect(outbound({ refuses, resolve: at('::1') }).post('http://hook.test:1/')).rejects.toThrow('refused');
    await expect(outbound({ refuses }).post('http://[::1]:1/')).rejects.toThrow('refused');
    expect(asked).toEqual(['::1', '::1']);
  });

  it.each(['127.1', '0x7f.0.0.9', '2130706441', '017700000011', '%31%32%37.0.0.9', '127.0.0.9.', '[::ffff:127.0.0.9]'])(
    'written as %s is the address that it means',
    async (host) => {
      const seen: string[] = [];
      const refuses = (address: string) => seen.push(address) > 0;
      await expect(outbound({ refuses }).post(`http://${host}:1/`)).rejects.toThrow('refused');
      expect(['127.0.0.1', '127.0.0.9', '::ffff:7f00:9']).toContain(seen[0]);
    },
  );

  it('that turns out to be the node once connected gets no byte', async () => {
    const receiver = await startReceiver(hang);
    let first = '';
    const refuses = (address: string, port: number, from?: string) => from === address && port === receiver.port;
    const { post } = outbound({ refuses });
    const connected = until(() => receiver.connections === 1).then(() => {
      receiver.sockets[0]?.on('data', (chunk) => {
        first += chunk.toString();
      });
    });
    await expect(post(receiver.url)).rejects.toThrow('this node');
    await connected;
    await until(() => receiver.sockets[0]?.destroyed === true);
    expect([first, receiver.received.length]).toEqual(['', 0]);
  });
});

const missing = needTools(['openssl']);
describe.skipIf(missing !== undefined)(`a certificate${missing ? ` (${missing})` : ''}`, () => {
  let authority: Authority;
  beforeAll(() => {
    authority = createAuthority();
  });
  afterAll(() => authority.remove());
  const resolve = at('127.0.0.1');

  it.each(['hook.test', '127.0.0.1', 'HOOK.test.'])('for the host of the URL is accepted: %s', async (host) => {
    const receiver = await startReceiver(answer(200), { tls: authority.sign('DNS:hook.test,IP:127.0.0.1') });
    const { post } = outbound({ resolve, ca: authority.cert });
    for (let n = 0; n < 3; n += 1) expect(await post(`https://${host}:${receiver.port}/`)).toBe(200);
    expect(receiver.connections).toBe(1);
  });

  it.each([
    ['another name', () => authority.sign('DNS:other.test'), /altname/i],
    ['the name of the address alone', () => authority.sign('IP:127.0.0.1'), /altname/i],
    ['a day past', () => authority.sign('DNS:hook.test', -30, -1), /expired/],
    ['a day to come', () => authority.sign('DNS:hook.test', 1, 30), /not yet valid/],
    ['nobody else to vouch for it', () => authority.selfSigned('DNS:hook.test'), /self-signed/],
  ])('with %s is refused, and nothing was sent', async (_name, leaf, message) => {
    const receiver = await startReceiver(answer(200), { tls: leaf() });
    const { post } = outbound({ resolve, ca: authority.cert });
    await expect(post(`https://hook.test:${receiver.port}/`)).rejects.toThrow(message);
    expect(receiver.received).toEqual([]);
  });

  it('of an authority that nobody trusts is refused, also where the environment says not to look', async () => {
    const receiver = await startReceiver(answer(200), { tls: authority.sign('DNS:hook.test') });
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    onTestFinished(() => void delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
    await expect(outbound({ resolve }).post(`https://hook.test:${receiver.port}/`)).rejects.toThrow(/certificate/);
    expect(receiver.received).toEqual([]);
  });

  it('does not help over TLS 1.1', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
    const receiver = await startReceiver(answer(200), { tls: { ...authority.sign('DNS:hook.test'), ...old } });
    const { post } = outbound({ resolve, ca: authority.cert });
    await expect(post(`https://hook.test:${receiver.port}/`)).rejects.toThrow(/version/);
  });

  it('is asked for: a receiver that speaks no TLS gets nothing in the clear', async () => {
    const receiver = await startReceiver();
    await expect(outbound({ resolve }).post(`https://hook.test:${receiver.port}/`, SHORT_MS)).rejects.toThrow();
    expect(receiver.received).toEqual([]);
  });
});
