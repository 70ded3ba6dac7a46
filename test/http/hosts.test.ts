import { describe, expect, it } from 'vitest';
import table from '../spec/hosts.json' with { type: 'json' };
import { bodyOf, exchange, startFront, statusOf } from './kernel.ts';

const get = (path: string, fields: Record<string, string>, method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\n${Object.entries({ ...fields, Connection: 'close' })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

const CODES: Readonly<Record<number, string | undefined>> = { 403: 'origin_refused', 421: 'host_refused' };

const start = (host: string) => startFront({ host, stored: { config: { hosts: table.configured } } });

/** A front on `::` sees those who ask over IPv4 in their mapped form. */
describe.each(['127.0.0.1', '::'])('a front on %s', (listening) => {
  it('answers addresses, single labels, private names and the configured ones, and no other host', async () => {
    const { port } = await start(listening);
    for (const { why, host, status } of table.hosts) {
      const answer = await exchange(port, get('/echo', { Host: host }));
      expect.soft([why, host, statusOf(answer), bodyOf(answer)['error']]).toEqual([why, host, status, CODES[status]]);
    }
  });

  it('refuses a host before the path is looked at', async () => {
    const { port } = await start(listening);
    const answer = await exchange(port, get('/nope', { Host: 'evil.example' }));
    expect([statusOf(answer), bodyOf(answer)['error']]).toEqual([421, 'host_refused']);
  });

  it('takes an absent Host from HTTP/1.0 alone', async () => {
    const { port } = await start(listening);
    expect(statusOf(await exchange(port, 'GET /echo HTTP/1.0\r\n\r\n'))).toBe(200);
    expect(statusOf(await exchange(port, 'GET /echo HTTP/1.1\r\nConnection: close\r\n\r\n'))).toBe(421);
  });

  it('answers the page it served itself, and pages of no other origin', async () => {
    const { port } = await start(listening);
    for (const { why, host, origin, status } of table.origins) {
      const answer = await exchange(port, get('/echo', { Host: host, Origin: origin }));
      expect
        .soft([why, origin, statusOf(answer), bodyOf(answer)['error']])
        .toEqual([why, origin, status, CODES[status]]);
    }
  });

  it('refuses an origin where no Host says what it would have to be', async () => {
    const { port } = await start(listening);
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
    const { port } = await start(listening);
    expect(statusOf(await exchange(port, get(path, { Host: 'node.local', ...fields }, method)))).toBe(status);
  });
});
