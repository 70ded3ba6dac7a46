/** What the application of the fleet answers whatever its routes do: paths and methods, and everything that is thrown. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Type } from '@sinclair/typebox';
import { expect, it, onTestFinished } from 'vitest';
import { closed } from '../../runtime/base/schema.ts';
import { Away } from '../../runtime/fleet/database/database.ts';
import { createApp } from '../../runtime/fleet/http/app.ts';
import { Busy, Refusal } from '../../runtime/fleet/http/errors.ts';
import { Places } from '../../runtime/fleet/http/places.ts';
import { PASSED, type Route, route } from '../../runtime/fleet/http/routes.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';

const THROWN: Readonly<Record<string, () => unknown>> = {
  conflict: () => new Refusal('conflict', 'not now', { faults: [1] }),
  stranger: () => new Refusal('unauthorized'),
  full: () => new Busy('too many wait', 7),
  away: () => new Away('connect ECONNREFUSED 192.0.2.1:5432'),
  second: () => Object.assign(new Error('duplicate key'), { code: '23505' }),
  value: () => Object.assign(new Error('invalid byte sequence'), { code: '22021' }),
  fault: () => new Error('kaput'),
  undeclared: () => new ApiError('paper_out'),
  'internal, with details': () => new ApiError('internal', 'kaput: postgres://u:secret@db'),
  'busy, by what is shared': () => new ApiError('busy', 'too many bodies arrive at once'),
  'unauthorized, by what is shared': () => new ApiError('unauthorized'),
  'a text': () => 'kaput',
};

const Sum = closed({ n: Type.Integer() }, { $id: 'Sum' });
const ROUTES: Route[] = [
  route({ method: 'GET', path: '/api/things', access: 'anyone', summary: '', handle: () => ({ things: [] }) }),
  route({ method: 'POST', path: '/api/things', access: 'anyone', summary: '', handle: () => undefined }),
  route({ method: 'DELETE', path: '/api/things/:id', access: 'anyone', summary: '', handle: ({ params }) => params }),
  route({ method: 'POST', path: '/events', access: 'anyone', summary: '', handle: () => undefined }),
  route({
    method: 'PUT',
    path: '/api/sums',
    access: 'anyone',
    summary: '',
    body: Sum,
    limitBytes: 100,
    handle: ({ body }) => ({ n: body.n + 1 }),
  }),
  route({ method: 'PUT', path: '/api/own', access: 'owner', summary: '', body: Sum, handle: () => undefined }),
  route({
    method: 'GET',
    path: '/thrown/:what',
    access: 'anyone',
    summary: '',
    handle({ params: { what = '' }, context }) {
      context.set({ ETag: '"a"', 'Cache-Control': 'public, max-age=60', 'Content-Encoding': 'gzip', 'X-Kept': 'yes' });
      const thrown = THROWN[what]?.();
      if (thrown !== undefined) throw thrown;
      return PASSED;
    },
  }),
];

/** An application of these routes; its URL, and what was reported. It ends with the test. */
async function serving() {
  const reported: string[] = [];
  const sockets = { admit() {}, dismiss() {} };
  const report = ({ message }: Error) => void reported.push(message);
  const app = createApp({
    routes: ROUTES,
    whoOf: async () => undefined,
    behindProxy: false,
    sockets,
    readers: new Places(1, 1),
    report,
  });
  const serve = app.callback();
  const server = createServer().on('request', serve).on('checkContinue', serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, reported };
}

it.each([
  ['GET', '/api/things', 200, null],
  ['HEAD', '/api/things', 200, null],
  ['DELETE', '/api/things/7', 200, null],
  ['GET', '/nothing', 404, null],
  ['GET', '/api/things/', 404, null],
  ['OPTIONS', '/nothing', 404, null],
  ['PROPFIND', '/nothing', 404, null],
  ['PUT', '/api/things', 405, 'HEAD, GET, POST'],
  ['PROPFIND', '/api/things', 405, 'HEAD, GET, POST'],
  ['GET', '/api/things/7', 405, 'DELETE'],
  ['HEAD', '/api/things/7', 405, 'DELETE'],
  // Balancers ask so whether a server is there (HAProxy, option httpchk).
  ['OPTIONS', '/api/things', 200, 'HEAD, GET, POST'],
  // What somebody typed as the URL of a webhook.
  ['POST', '/events/', 204, null],
  ['POST', '/Events', 204, null],
  ['GET', '/Events/', 405, 'POST'],
])('%s %s is %i and allows %s', async (method, path, status, allowed) => {
  const { url } = await serving();
  const twice = [await fetch(url + path, { method }), await fetch(url + path, { method })];
  for (const answer of twice) expect([answer.status, answer.headers.get('allow')]).toEqual([status, allowed]);
});

it('a parameter of a path reaches the handler as it was meant', async () => {
  const { url } = await serving();
  const answer = await fetch(`${url}/api/things/a%2Fb`, { method: 'DELETE' });
  expect(await answer.json()).toEqual({ id: 'a/b' });
});

it.each([
  ['conflict', 409, { error: 'conflict', detail: 'not now', faults: [1] }, {}],
  ['stranger', 401, { error: 'unauthorized' }, { 'www-authenticate': 'Bearer' }],
  ['full', 503, { error: 'busy', detail: 'too many wait' }, { 'retry-after': '7' }],
  ['away', 503, { error: 'busy' }, { 'retry-after': expect.stringMatching(/^[1-5]$/) }],
  ['second', 409, { error: 'conflict', detail: 'somebody else was first' }, {}],
  ['value', 422, { error: 'invalid_request', detail: 'a value that no database takes' }, {}],
  ['fault', 500, { error: 'internal' }, {}],
  ['undeclared', 500, { error: 'internal' }, {}],
  ['internal, with details', 500, { error: 'internal' }, {}],
  [
    'busy, by what is shared',
    503,
    { error: 'busy', detail: 'too many bodies arrive at once' },
    { 'retry-after': expect.stringMatching(/^[1-5]$/) },
  ],
  ['unauthorized, by what is shared', 401, { error: 'unauthorized' }, { 'www-authenticate': 'Bearer' }],
  ['a text', 500, { error: 'internal' }, {}],
])(
  'what is thrown (%s) is %i, with the fields of every answer, and without what was said of the one that does not come',
  async (what, status, said, fields) => {
    const { url, reported } = await serving();
    const answer = await fetch(`${url}/thrown/${what}`);
    expect([answer.status, await answer.json()]).toEqual([status, { ok: false, ...said }]);
    const found = Object.fromEntries(answer.headers);
    expect(found).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-kept': 'yes',
      ...fields,
    });
    expect(Object.keys(found).filter((name) => ['etag', 'content-encoding'].includes(name))).toEqual([]);
    expect(reported).toEqual(status === 500 ? [expect.stringMatching(/kaput|paper_out/)] : []);
  },
);

it.each([
  ['{"n": 1}', 200, { n: 2 }],
  ['{"n": "1"}', 422, { error: 'invalid_request' }],
  ['{"n": 1', 400, { error: 'invalid_json', detail: 'not JSON' }],
  ['{"n": 1, "t": "\\u0000"}', 400, { error: 'invalid_json', detail: 'text with NUL or half a surrogate pair' }],
  [JSON.stringify({ n: 1, t: 'x'.repeat(100) }), 413, { error: 'body_too_large', detail: 'at most 100 bytes' }],
])('the body %s is %i', async (body, status, said) => {
  const { url } = await serving();
  const answer = await fetch(`${url}/api/sums`, { method: 'PUT', body });
  expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining(said)]);
});

/** What is answered to the first bytes of a connection, which stays open: the status, the fields in lower case, and the envelope. */
async function said(url: string, sent: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(sent);
  let text = '';
  while (!/\r\n\r\n.*\}/s.test(text)) text += String((await once(socket, 'data'))[0]);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: head.slice(9, 12), head: head.toLowerCase(), body: JSON.parse(body) };
}

it.each([
  [
    'is announced as longer than it may be',
    'Content-Length: 101\r\n\r\n',
    '413',
    'body_too_large',
    'at most 100 bytes',
  ],
  [
    'turns out to be longer',
    `Transfer-Encoding: chunked\r\n\r\n65\r\n${' '.repeat(101)}\r\n`,
    '413',
    'body_too_large',
    'at most 100 bytes',
  ],
  [
    'is coded',
    'Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n',
    '400',
    'invalid_json',
    'no content coding is taken',
  ],
])('a body that %s is refused before it is whole, and its connection kept', async (_, sent, status, error, detail) => {
  const { url } = await serving();
  const answer = await said(url, `PUT /api/sums HTTP/1.1\r\nHost: fleet\r\n${sent}`);
  expect([answer.status, answer.body]).toEqual([status, { ok: false, error, detail }]);
  expect(answer.head).toContain('connection: keep-alive');
});

it('who may not ask is refused before the body is asked for', async () => {
  const { url } = await serving();
  const answer = await said(
    url,
    'PUT /api/own HTTP/1.1\r\nHost: fleet\r\nExpect: 100-continue\r\nContent-Length: 8\r\n\r\n',
  );
  expect([answer.status, answer.body.error]).toEqual(['401', 'unauthorized']);
});

it('a body that comes in pieces is read to its end, and its sender asked for it once', async () => {
  const { url } = await serving();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('PUT /api/sums HTTP/1.1\r\nHost: fleet\r\nExpect: 100-continue\r\nContent-Length: 8\r\n\r\n{"n"');
  let text = String((await once(socket, 'data'))[0]);
  expect(text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(': 1}');
  while (!text.includes('}')) text += String((await once(socket, 'data'))[0]);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
  expect(text).toMatch(/\{"n":2\}$/);
});
