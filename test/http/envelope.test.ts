import { request } from 'node:http';
import { expect, it } from 'vitest';
import { API_KEY, startFront } from './kernel.ts';

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

it.each([
  { path: '/echo', method: 'GET', status: 200 },
  { path: '/', method: 'GET', status: 200 },
  { path: '/nope', method: 'GET', status: 404 },
  { path: '/echo', method: 'PATCH', status: 405 },
  { path: '/boom', method: 'GET', status: 500 },
])('$method $path carries the fields of every answer and none of CORS', async ({ path, method, status }) => {
  const { url } = await startFront();
  const { headers, status: found } = await fetch(url + path, { method });
  expect(found).toBe(status);
  expect(Object.fromEntries(headers)).toMatchObject(EVERYWHERE);
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

it.each([
  { method: 'PATCH', path: '/echo', allow: 'HEAD, GET, POST, PUT' },
  { method: 'OPTIONS', path: '/echo', allow: 'HEAD, GET, POST, PUT' },
  { method: 'DELETE', path: '/echo', allow: 'HEAD, GET, POST, PUT' },
  { method: 'GET', path: '/busy', allow: 'POST' },
  { method: 'HEAD', path: '/busy', allow: 'POST' },
  { method: 'GET', path: '/echo/7', allow: 'DELETE' },
])('$method $path is 405 and allows $allow', async ({ method, path, allow }) => {
  const { url } = await startFront();
  const answer = await fetch(url + path, { method });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
});

it('HEAD is answered as GET is, without the body', async () => {
  const { url } = await startFront();
  const [get, head] = await Promise.all([fetch(`${url}/echo`), fetch(`${url}/echo`, { method: 'HEAD' })]);
  expect(head.status).toBe(200);
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await head.text()).toBe('');
});

it.each([
  ['an answer', 'GET', '/echo', undefined],
  ['a refusal', 'GET', '/nope', undefined],
  ['a refusal before the body was read', 'POST', '/nope', 'x'.repeat(100_000)],
])('%s ends with a line feed, which its length counts', async (_, method, path, body) => {
  const { url } = await startFront();
  const answer = await fetch(url + path, { method, ...(body !== undefined && { body }) });
  const text = await answer.text();
  expect(text).toMatch(/[^\n]\n$/);
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
});

it('a parameter of the path reaches the handler', async () => {
  const { url } = await startFront();
  expect(await (await fetch(`${url}/echo/a-1`, { method: 'DELETE' })).json()).toEqual({ ok: true, id: 'a-1' });
});

it('a fault of the node is 500 internal, told to the log and not to the client', async () => {
  const { url, errors } = await startFront();
  const answer = await fetch(`${url}/boom`);
  expect([answer.status, await answer.text()]).toEqual([500, '{"ok":false,"error":"internal"}\n']);
  expect(errors).toEqual([expect.objectContaining({ where: 'GET /boom', error: expect.stringContaining('kaput') })]);
});

it('a code nobody declared is 500 internal and logged', async () => {
  const { url, errors } = await startFront();
  const answer = await fetch(`${url}/undeclared`);
  expect([answer.status, await answer.json()]).toEqual([500, { ok: false, error: 'internal' }]);
  expect(errors).toHaveLength(1);
});

it('a refusal may carry header fields of its own', async () => {
  const { url } = await startFront();
  const answer = await fetch(`${url}/busy`, { method: 'POST', body: '{}' });
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await answer.json()).toEqual({ ok: false, error: 'persist_failed', detail: 'busy' });
});

/** Each request is wrong in everything behind the check it is named after. */
it.each([
  {
    check: 'Host',
    status: 421,
    request: { path: '/nope', method: 'PATCH', headers: { Host: 'evil.example', Origin: 'null' } },
  },
  { check: 'Origin', status: 403, request: { path: '/nope', method: 'PATCH', headers: { Origin: 'null' } } },
  { check: 'path', status: 404, request: { path: '/nope', method: 'PATCH', headers: {} } },
  { check: 'method', status: 405, request: { path: '/echo', method: 'PATCH', headers: {} } },
  { check: 'key', status: 401, request: { path: '/echo', method: 'POST', headers: {} } },
  { check: 'state', status: 500, request: { path: '/busy', method: 'POST', headers: {} } },
  {
    check: 'size',
    status: 400,
    error: 'invalid_body',
    request: { path: '/echo', method: 'POST', headers: { 'X-NODE-Api-Key': API_KEY } },
  },
])('$check comes before what follows it', async ({ status, error, request: { path, method, headers } }) => {
  const { port } = await startFront({ apiMode: 'strict' });
  const body = '{'.repeat(5000);
  const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request(
      { port, host: '127.0.0.1', path, method, headers: { ...headers, 'Content-Length': body.length } },
      (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk)).on('end', () => resolve({ status: response.statusCode, text }));
      },
    );
    sent.on('error', reject).end(body);
  });
  expect(answer.status).toBe(status);
  if (error !== undefined) expect(JSON.parse(answer.text)).toMatchObject({ error });
});
