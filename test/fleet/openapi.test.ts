/** The OpenAPI document of the fleet describes every route, and is valid. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { databases, EITHER, fleetOn } from './fleet.ts';
import { startProvider } from './provider.ts';

const database = databases(EITHER[0]);

it('the document is valid, and every answer that it describes without a parameter is so', async () => {
  const fleet = await fleetOn(await database());
  const { body } = await fleet.call('GET', '/api/openapi.json', undefined, { Authorization: '' });
  const config = await createConfig({ extends: ['recommended'] });
  expect(await lintFromString({ source: JSON.stringify(body), absoluteRef: '/fleet/openapi.json', config })).toEqual(
    [],
  );
  // Python, and others, refuse a document with an expression that only JavaScript has.
  expect(JSON.stringify(body).match(/"pattern":"[^"]*(?:\(\?<?[=!]|\\\\p)/g)).toBeNull();
  expect(Object.keys(body.paths).filter((path) => !path.startsWith('/api/'))).toEqual([
    '/heartbeat',
    '/events',
    '/recipes',
    '/firmware',
    '/firmware/{sha256}',
    '/compose',
    '/metrics',
  ]);
  for (const [path, operations] of Object.entries(body.paths as Record<string, Record<string, { security: object[] }>>))
    for (const [method, { security }] of Object.entries(operations)) {
      if (security.length === 0) continue;
      const stranger = { Authorization: 'Bearer wrong' };
      const sent = method === 'get' ? undefined : '{"node":"a","seq":1,"prompt":"a"}';
      const asked = path.replace(/\{\w+\}/, 'a').replace(/^\/firmware$/, '/firmware?variant=a');
      const { status } = await fleet.call(method.toUpperCase(), asked, sent, stranger);
      expect([path, method, status]).toEqual([path, method, 401]);
    }
});

it('the document has the ways of a browser through an OpenID provider, and where that tells who signed out, where there is one', async () => {
  const provider = await startProvider({ id: 'fleet', secret: '' });
  const openid = { issuer: provider.issuer, client: 'fleet', secret: '', people: ['@example.org'] };
  const fleet = await fleetOn(await database(), { openid });
  const { body } = await fleet.call('GET', '/api/openapi.json');
  const config = await createConfig({ extends: ['recommended'] });
  const faults = await lintFromString({ source: JSON.stringify(body), absoluteRef: '/fleet/openapi.json', config });
  // Where a browser is sent on, nothing else is answered.
  expect(faults.map(({ ruleId, location: [at] }) => `${ruleId} ${at?.pointer}`)).toEqual(
    ['', '~1back'].map((end) => `operation-2xx-response #/paths/~1sign-in~1openid${end}/get/responses`),
  );
  const statuses = Object.entries(body.paths as Record<string, Record<string, { responses: object }>>)
    .filter(([path]) => path.startsWith('/sign-in/'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { responses }]) => [
        `${method} ${path}`,
        Object.keys(responses).filter((status) => Number(status) <= 400),
      ]),
    );
  expect(statuses).toEqual([
    ['get /sign-in/openid', ['302']],
    ['get /sign-in/openid/back', ['302']],
    ['post /sign-in/openid/logout', ['200', '400']],
  ]);
});

it('the document says of every error whether to try again, in its table and where a route answers it', async () => {
  const fleet = await fleetOn(await database());
  const { body } = await fleet.call('GET', '/api/openapi.json');
  const table: Record<string, { status: number; retry: string }> = body['x-errors'];
  expect(table).toMatchObject({ busy: { status: 503, retry: 'yes' }, invalid_request: { status: 422, retry: 'no' } });
  type Operation = { responses: Record<string, { 'x-errors'?: Record<string, { retry: string }> }> };
  const told = Object.values<Record<string, Operation>>(body.paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, answer]) => Object.entries(answer['x-errors'] ?? {}).map((each) => ({ status, each })));
  for (const { status, each } of told) {
    const [code, { retry }] = each;
    expect([code, Number(status), retry]).toEqual([code, table[code]?.status, table[code]?.retry]);
  }
  expect(new Set(told.map(({ each: [code] }) => code))).toEqual(
    new Set(Object.keys(table).filter((code) => code !== 'method_not_allowed')),
  );
});

it('what is not there is 404, another method 405, and a stranger learns nothing', async () => {
  const fleet = await fleetOn(await database());
  expect((await fleet.call('GET', '/api/nothing')).body).toEqual({ ok: false, error: 'not_found' });
  expect((await fleet.call('DELETE', '/api/nodes')).body).toEqual({ ok: false, error: 'method_not_allowed' });
  expect((await fleet.call('GET', '/api/nodes?filter=state:tired')).body).toMatchObject({
    error: 'invalid_request',
    detail: expect.stringContaining('offline, no_paper'),
  });
  expect((await fleet.call('GET', '/api/nodes?limit=0')).status).toBe(422);
  expect((await fleet.call('PUT', '/api/settings', { strange: 1 })).status).toBe(422);
});
