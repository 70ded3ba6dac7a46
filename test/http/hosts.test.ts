import { expect, it } from 'vitest';
import { bodyOf, exchange, startFront, statusOf } from './kernel.ts';

const ANSWERED = [
  '192.168.1.20',
  '192.168.1.20:8080',
  '127.0.0.1',
  '[::1]',
  '[fe80::1]:80',
  '[::ffff:192.168.1.20]',
  'localhost',
  'LocalHost.',
  'node',
  'my_node',
  'node-0a1b2c3d.local',
  'NODE-0A1B2C3D.LOCAL.',
  'till.lan',
  'till.home',
  'till.home.arpa',
  'till.internal',
  'till.localdomain',
  'a.b.local:65535',
  'till.example',
  'TILL.example.:8080',
];

const REFUSED = [
  'evil.example',
  'sub.till.example',
  '.local',
  'node..local',
  '-node.local',
  'node.local.evil.example',
  'nodelocal.example',
  '192.168.1.20.nip.io',
  '2130706433',
  '0x7f000001',
  '127.1',
  '0x7f.0.0.1',
  '127.0.0.256',
  '0127.0.0.1',
  '1.2.3.4.5',
  'node.local:65536',
  'node.local:',
  'node.local:80:80',
  'user@node.local',
  'evil.example:fake@node.local',
  '[::1',
  '::1',
  '[::g]',
  '[fe80::1%25eth0]',
  'n\u00f6de.local',
  'node local',
  '*',
  `${'a'.repeat(64)}.local`,
];

const get = (path: string, fields: Record<string, string>, method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\n${Object.entries({ ...fields, Connection: 'close' })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

it('answers addresses, single labels, private names and the configured ones', async () => {
  const { port } = await startFront();
  const answers = await Promise.all(ANSWERED.map((host) => exchange(port, get('/echo', { Host: host }))));
  expect(answers.map((answer, index) => [ANSWERED[index], statusOf(answer)])).toEqual(
    ANSWERED.map((host) => [host, 200]),
  );
});

it('refuses every other host before the path is looked at', async () => {
  const { port } = await startFront();
  const answers = await Promise.all(REFUSED.map((host) => exchange(port, get('/nope', { Host: host }))));
  const found = answers.map((answer, index) => [REFUSED[index], statusOf(answer), bodyOf(answer)['error']]);
  expect(found).toEqual(REFUSED.map((host) => [host, 421, 'host_refused']));
});

it('takes an absent Host from HTTP/1.0 alone', async () => {
  const { port } = await startFront();
  expect(statusOf(await exchange(port, 'GET /echo HTTP/1.0\r\n\r\n'))).toBe(200);
  expect(statusOf(await exchange(port, 'GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n'))).toBe(421);
});

const SAME_ORIGIN: [host: string, origin: string][] = [
  ['node.local', 'http://node.local'],
  ['node.local', 'http://node.local:80'],
  ['node.local:80', 'http://node.local'],
  ['node.local:8080', 'http://node.local:8080'],
  ['NODE.local.', 'http://node.local'],
  ['node.local', 'HTTP://Node.Local'],
  ['[fe80::1]:80', 'http://[fe80::1]'],
  ['127.0.0.1', 'http://127.0.0.1'],
];

const FOREIGN: [host: string, origin: string][] = [
  ['node.local', 'null'],
  ['node.local', ''],
  ['node.local', 'https://node.local'],
  ['node.local', 'http://node.local:8080'],
  ['node.local:8080', 'http://node.local'],
  ['node.local', 'http://evil.example'],
  ['node.local', 'http://other.local'],
  ['node.local', 'http://node.local.evil.example'],
  ['node.local', 'http://node.local@evil.example'],
  ['node.local', 'http://user@node.local'],
  ['node.local', 'http://node.local/'],
  ['node.local', 'http://node.local http://evil.example'],
  ['node.local', 'node.local'],
  ['node.local', 'file://'],
  ['node.local', 'chrome-extension://abcdefgh'],
  ['127.0.0.1', 'http://localhost'],
  ['[fe80::1]', 'http://[fe80::2]'],
  ['node.local', 'http://'],
];

it.each([
  { name: 'answers the page it served itself', pairs: SAME_ORIGIN, status: 200 },
  { name: 'refuses pages of every other origin', pairs: FOREIGN, status: 403 },
])('$name', async ({ pairs, status }) => {
  const { port } = await startFront();
  const answers = await Promise.all(pairs.map(([Host, Origin]) => exchange(port, get('/echo', { Host, Origin }))));
  expect(answers.map((answer, index) => [...(pairs[index] ?? []), statusOf(answer)])).toEqual(
    pairs.map((pair) => [...pair, status]),
  );
});

it('refuses an origin where no Host says what it would have to be', async () => {
  const { port } = await startFront();
  const answer = await exchange(port, 'GET /echo HTTP/1.0\r\nOrigin: http://127.0.0.1\r\n\r\n');
  expect([statusOf(answer), bodyOf(answer)['error']]).toEqual([403, 'origin_refused']);
});

const VISIT = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
it.each([
  { why: 'a visit to the page from a link elsewhere', path: '/', fields: VISIT, status: 200 },
  {
    why: 'the page typed into the address bar',
    path: '/',
    fields: { ...VISIT, 'Sec-Fetch-Site': 'none' },
    status: 200,
  },
  { why: 'a read by the page itself', path: '/echo', fields: { 'Sec-Fetch-Site': 'same-origin' }, status: 200 },
  { why: 'a visit to another route', path: '/echo', fields: VISIT, status: 403 },
  { why: 'the page in a frame', path: '/', fields: { ...VISIT, 'Sec-Fetch-Dest': 'iframe' }, status: 403 },
  { why: 'an image of the page', path: '/', fields: { ...VISIT, 'Sec-Fetch-Mode': 'no-cors' }, status: 403 },
  { why: 'a form sent to the page', path: '/', method: 'POST', fields: VISIT, status: 403 },
  { why: 'a neighbouring site', path: '/echo', fields: { 'Sec-Fetch-Site': 'same-site' }, status: 403 },
])('without an Origin, $why is answered $status', async ({ path, fields, method, status }) => {
  const { port } = await startFront();
  expect(statusOf(await exchange(port, get(path, { Host: 'node.local', ...fields }, method)))).toBe(status);
});
