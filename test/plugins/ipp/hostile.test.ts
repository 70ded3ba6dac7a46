/** What comes from a client that is broken or hostile ends in the right refusal, and in nothing else (RFC 8010, 3; RFC 8011, 4.1). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { until } from '../../node.ts';
import { type IppNode, startIppNode } from './ipp-node.ts';
import {
  begin,
  CANCEL_JOB,
  CREATE_JOB,
  GET_JOB,
  GET_PRINTER,
  message,
  PRINT_JOB,
  read,
  VALIDATE_JOB,
} from './messages.ts';
import { urf } from './pages.ts';

interface IppStatus {
  readonly printers: readonly { readonly jobs: number }[];
}

let node: IppNode;
beforeAll(async () => {
  node = await startIppNode();
});
afterAll(() => node.stop());

const head = (operation = GET_PRINTER) => message(operation, begin(`ipp://${node.ipp}/ipp/print`));
/** Sends these bytes as a request; gives the HTTP status and, of an answer over IPP, its status code. */
async function post(body: Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(`http://${node.ipp}/ipp/print`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/ipp', ...headers },
    body,
  });
  const answer = Buffer.from(await response.arrayBuffer());
  return response.status === 200 ? answer.readUInt16BE(2) : `HTTP ${response.status}`;
}
const value = (tag: number, name: string, bytes = Buffer.alloc(0)) => {
  const lengths = Buffer.from([name.length >> 8, name.length & 255, bytes.length >> 8, bytes.length & 255]);
  return Buffer.concat([Buffer.from([tag]), lengths.subarray(0, 2), Buffer.from(name), lengths.subarray(2), bytes]);
};
/** A collection in a collection, so many times. */
const nested = (depth: number): Buffer =>
  Buffer.concat([
    ...Array.from({ length: depth }, (_, n) => [
      value(0x34, n === 0 ? 'media-col' : ''),
      value(0x4a, '', Buffer.from('m')),
    ]).flat(),
    value(0x21, '', Buffer.alloc(4)),
    ...Array.from({ length: depth }, () => value(0x37, '')),
  ]);
const with_ = (...attributes: Buffer[]) =>
  Buffer.concat([head(PRINT_JOB).subarray(0, -1), ...attributes, Buffer.from([3])]);

it.each<[string, () => Uint8Array, number | string]>([
  ['collections 100 deep', () => with_(nested(100)), 0x0400],
  ['a collection that does not end', () => with_(value(0x34, 'media-col')), 0x0400],
  ['attributes cut short', () => head().subarray(0, 60), 'HTTP 400'],
  ['no attributes at all', () => head().subarray(0, 5), 'HTTP 400'],
  [
    'a value that says it is longer than the request',
    () => Buffer.concat([head().subarray(0, -1), Buffer.from([0x44, 0, 1, 0x61, 0xff, 0xff, 0x62])]),
    'HTTP 400',
  ],
  [
    'attributes of more than 64 KiB',
    () => with_(...Array.from({ length: 3 }, (_, n) => value(0x30, `a${n}`, Buffer.alloc(32_000)))),
    'HTTP 400',
  ],
  ['an integer of 3 bytes', () => with_(value(0x21, 'copies', Buffer.alloc(3))), 0x0400],
  [
    'an attribute that comes twice',
    () => with_(value(0x21, 'n', Buffer.alloc(4)), value(0x21, 'n', Buffer.alloc(4))),
    0x0400,
  ],
])('a request is refused for %s', async (_, body, status) => {
  expect(await post(body())).toBe(status);
});

it.each([
  ['text', () => Buffer.alloc(64 * 1024 * 1024, 'a'), 0x0408],
  [
    'a page',
    () =>
      Buffer.concat([
        urf({ width: 576, height: 1, ink: () => false }).subarray(0, 28),
        Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 203]),
        Buffer.alloc(32 * 1024 * 1024, Buffer.from([0xff, 0x80])),
      ]),
    // It was printing: server-error-job-canceled.
    0x0508,
  ],
])('%s that unpacks to a thousand times its size is refused, and nothing is printed', async (kind, plain, status) => {
  const format = kind === 'text' ? 'text/plain' : 'image/urf';
  const asked = [value(0x44, 'compression', Buffer.from('gzip')), value(0x49, 'document-format', Buffer.from(format))];
  expect(await post(Buffer.concat([with_(...asked), gzipSync(plain(), { level: 1 })]))).toBe(status);
  expect(Buffer.from(node.printer.paperBytes()).includes('\x1dv0')).toBe(false);
  expect(node.printer.paperText().trim()).toBe('');
});

it('text of 400,000 empty lines is refused, as it is longer than paper', async () => {
  const asked = with_(value(0x49, 'document-format', Buffer.from('text/plain')));
  expect(await post(Buffer.concat([asked, Buffer.from(`a${'\n'.repeat(400_000)}b`)]))).toBe(0x0408);
});

it.each<[string, Buffer]>([
  ['media-col', value(0x21, 'media-col', Buffer.alloc(4))],
  ['orientation-requested', value(0x23, 'orientation-requested', Buffer.from([0, 0, 0, 4]))],
  ['output-bin', value(0x44, 'output-bin', Buffer.from('tray-9'))],
  ['copies', value(0x21, 'copies', Buffer.alloc(4))],
  ['page-ranges', value(0x33, 'page-ranges', Buffer.from([0, 0, 0, 5, 0, 0, 0, 2]))],
  ['finishings', value(0x23, 'finishings', Buffer.from([0, 0, 0, 4]))],
  ['__proto__', value(0x21, '__proto__', Buffer.alloc(4))],
])('a value of %s that the printer cannot do is told, and refused where the client insists', async (_, attribute) => {
  const asked = (...operation: Buffer[]) =>
    Buffer.concat([head(VALIDATE_JOB).subarray(0, -1), ...operation, Buffer.from([2]), attribute, Buffer.from([3])]);
  expect(await post(asked())).toBe(1);
  expect(await post(asked(value(0x22, 'ipp-attribute-fidelity', Buffer.from([1]))))).toBe(0x040b);
});

it('Validate-Job refuses what Print-Job would', async () => {
  const bad = [head(VALIDATE_JOB).subarray(0, -1), value(0x21, 'job-name', Buffer.alloc(4)), Buffer.from([3])];
  expect(await post(Buffer.concat(bad))).toBe(0x0400);
});

it('names come back with 255 octets at most, whole characters of them', async () => {
  const body = with_(value(0x42, 'job-name', Buffer.from(`x${'€'.repeat(99)}`)));
  const asked = Buffer.concat([body.subarray(0, 2), Buffer.from([0, CREATE_JOB]), body.subarray(4)]);
  const headers = { 'Content-Type': 'application/ipp' };
  const made = await fetch(`http://${node.ipp}/ipp/print`, { method: 'POST', headers, body: asked });
  const id = read(Buffer.from(await made.arrayBuffer())).values['job-id']![0]!;
  expect((await node.ask(GET_JOB, [[0x21, 'job-id', id]])).values['job-name']).toEqual([`x${'€'.repeat(84)}`]);
  await node.ask(CANCEL_JOB, [[0x21, 'job-id', id]]);
});

/** A Print-Job whose document never comes whole: so many bytes of it, then the connection is reset. */
async function cut(compression: string, document: Uint8Array): Promise<void> {
  const [host, port] = node.ipp.split(':') as [string, string];
  const body = with_(
    value(0x44, 'compression', Buffer.from(compression)),
    value(0x49, 'document-format', Buffer.from('text/plain')),
  );
  const socket = connect(Number(port), host).on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `POST /ipp/print HTTP/1.1\r\nHost: ${node.ipp}\r\nContent-Type: application/ipp\r\nContent-Length: ${body.length + 100_000}\r\n\r\n`,
  );
  socket.write(Buffer.concat([body, document]));
  const open = async () => {
    const { ipp } = (await (await fetch(`${node.url}/status`)).json()) as { ipp: IppStatus };
    return ipp.printers[0]?.jobs;
  };
  await until(open, (jobs) => jobs === 1);
  socket.resetAndDestroy();
  await until(open, (jobs) => jobs === 0);
}

it.each(
  ['none', 'gzip', 'deflate'].flatMap((compression) =>
    [0, 1, 40].map((length): [string, number] => [compression, length]),
  ),
)(
  'a client that is gone behind %s and %i bytes of its document takes its job with it, and nothing else',
  async (compression, length) => {
    const whole = {
      none: Buffer.alloc(100, 'a'),
      gzip: gzipSync('Café'.repeat(99)),
      deflate: deflateSync('Café'.repeat(99)),
    };
    await cut(compression, whole[compression as keyof typeof whole].subarray(0, length));
    expect(await post(head())).toBe(0);
    expect(node.printer.paperText().trim()).toBe('');
  },
);

it('a web page is refused by its Origin, and so is what is not said to be IPP', async () => {
  expect(await post(head(), { Origin: 'https://shop.example' })).toBe('HTTP 403');
  expect(await post(head(), { 'Content-Type': 'text/plain' })).toBe('HTTP 415');
  expect(await post(head())).toBe(0);
});

it('the port of IPP is closed in strict mode, and open again behind it', async () => {
  const own = await startIppNode();
  onTestFinished(() => own.stop());
  const put = (config: object, headers = {}) =>
    fetch(`${own.url}/config`, { method: 'PUT', body: JSON.stringify(config), headers });
  const isOpen = () =>
    fetch(`http://${own.ipp}/ipp/print`, { method: 'POST' }).then(
      () => true,
      () => false,
    );
  const key = 'a key of the test';
  expect((await put({ apiKey: key })).status).toBe(200);
  expect((await put({ apiMode: 'strict' }, { 'X-NODE-Api-Key': key })).status).toBe(200);
  await until(async () => !(await isOpen()));
  expect((await put({ apiMode: 'open' }, { 'X-NODE-Api-Key': key })).status).toBe(200);
  // Port 0: it is another one now.
  await until(() => own.kernel.listening.get('ipp') !== undefined);
});

it('sixty connections that ask for the attributes again and again keep no status waiting, nor another client', async () => {
  const flood = Array.from({ length: 60 }, () =>
    connect({ host: '127.0.0.1', port: Number(node.ipp.split(':')[1]), localAddress: '127.0.9.7' }),
  );
  onTestFinished(() => {
    for (const socket of flood) socket.destroy();
  });
  const asking = `POST /ipp/print HTTP/1.1\r\nHost: ${node.ipp}\r\nContent-Type: application/ipp\r\nContent-Length: ${head().length}\r\n\r\n`;
  const again = Buffer.concat([Buffer.from(asking, 'latin1'), head()]);
  let answers = 0;
  for (const socket of flood) {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      // Each answer begins with its own status line.
      if (!bytes.includes('HTTP/1.1 200')) return;
      answers += 1;
      socket.write(again);
    });
    socket.write(again);
  }
  await until(() => answers > 60);
  // In turns of the event loop, which do not depend on how fast the machine is.
  let turns = 0;
  let ended = false;
  const count = () => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  count();
  const before = answers;
  for (let asked = 0; asked < 10; asked += 1) {
    const response = await fetch(`${node.url}/status`);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
  ended = true;
  const during = answers - before;
  expect(during / turns).toBeLessThan(4);
  expect((await node.askFrom('127.0.9.8', GET_PRINTER)).status).toBe(0);
});
