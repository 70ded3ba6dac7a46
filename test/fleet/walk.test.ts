/** Every route, with every role and every token. */
import { expect, it } from 'vitest';
import { isEnough, ROLES, SCOPES } from '../../runtime/fleet/http/roles.ts';
import { browser } from './browser.ts';
import { type Answer, databases, ENGINES, fleetOn } from './fleet.ts';
import { addressOf, prepare, type Step, WALK } from './walk.ts';

const database = databases(ENGINES.at(-1)!);
const PASSWORD = 'correct horse battery';
/** What ends who asks comes last. */
const LAST = ['DELETE /api/people/:name', 'PUT /api/password', 'DELETE /api/session'];
const names = Object.keys(WALK).filter((name) => !LAST.includes(name));
/** A page alone signs in. */
const programs = names.filter((name) => name !== 'POST /api/session');

it('the document has the routes of the walk, with who may use them', async () => {
  const fleet = await fleetOn(await database());
  const { paths } = (await fleet.call('GET', '/api/openapi.json')).body;
  type Operation = { readonly description?: string; readonly security: readonly object[] };
  const told = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { description, security }]) => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      description ?? (security.length === 0 ? 'anyone' : 'node'),
    ]),
  );
  const of = ({ access }: Step) => (access === 'anyone' || access === 'node' ? access : `Role: ${access}.`);
  expect(Object.fromEntries(told)).toEqual(
    Object.fromEntries(Object.entries(WALK).map(([name, step]) => [name, of(step)])),
  );
});

interface Shape {
  readonly $ref?: string;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
}
it('no answer has a field that the document does not name', async () => {
  const fleet = await fleetOn(await database());
  await prepare(fleet);
  const { paths, components } = (await fleet.call('GET', '/api/openapi.json')).body;
  /** The places of fields that are not named, where any are. */
  const unnamed = (shape: Shape | undefined, said: unknown, at: string): string[] => {
    if (shape === undefined || typeof said !== 'object' || said === null) return [];
    if (shape.$ref !== undefined) return unnamed(components.schemas[shape.$ref.split('/').at(-1)!], said, at);
    if (shape.anyOf !== undefined) return shape.anyOf.flatMap((each) => unnamed(each, said, at));
    if (Array.isArray(said)) return said.flatMap((each) => unnamed(shape.items, each, at));
    const named = shape.properties;
    if (named === undefined || Object.keys(named).length === 0) return [];
    return Object.entries(said).flatMap(([name, value]) =>
      // Results of jobs are passed on as nodes said them.
      Object.hasOwn(named, name)
        ? name === 'jobs'
          ? []
          : unnamed(named[name], value, `${at}.${name}`)
        : [`${at}.${name}`],
    );
  };
  const faults = new Set<string>();
  let looked = 0;
  for (const name of names) {
    const { body, headers } = WALK[name]!;
    const answer = await fleet.call(...addressOf(name), body, headers);
    const [method = '', path = ''] = name.split(' ');
    const told = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses['200'];
    const shape = told?.content?.['application/json']?.schema;
    if (answer.status !== 200 || shape === undefined) continue;
    looked += 1;
    for (const fault of unnamed(shape, answer.body, name)) faults.add(fault);
  }
  expect([...faults]).toEqual([]);
  expect(looked).toBeGreaterThan(30);
});

it('a parameter that a route does not have is refused by every one of them, and nothing is done', async () => {
  const fleet = await fleetOn(await database());
  await prepare(fleet);
  for (const name of Object.keys(WALK)) {
    const { body, headers } = WALK[name]!;
    const [method, url] = addressOf(name);
    for (const surplus of ['surplus=1', 'surplus', 'surplus=', 'filter.surplus=a', '__proto__=a']) {
      const answer = await fleet.call(method, `${url}${url.includes('?') ? '&' : '?'}${surplus}`, body, headers);
      const detail = `query: has an unknown key "${surplus.split('=')[0]}"`;
      expect([name, answer.status, answer.body]).toEqual([name, 422, { ok: false, error: 'invalid_request', detail }]);
    }
  }
  expect((await fleet.call('GET', '/api/audit')).body.entries).toEqual([]);
  expect((await fleet.call('GET', '/api/nodes')).body.total).toBe(3);
});

it('each role and each token may use the routes that are for it, and is refused at all others', async () => {
  const fleet = await fleetOn(await database());
  await prepare(fleet);
  const expected = (name: string, has: Parameters<typeof isEnough>[0] | undefined) => {
    const { access } = WALK[name]!;
    if (access === 'anyone') return 'let in';
    if (access === 'node' || has === undefined) return 401;
    return isEnough(has, access) ? 'let in' : 403;
  };
  const got = (name: string, { status, body }: Answer) => {
    // A wrong password is no refusal of who asks.
    if (name === 'POST /api/session' && status === 401) return 'let in';
    expect([name, status, body]).not.toContain(500);
    return [401, 403].includes(status) ? status : 'let in';
  };
  for (const role of ROLES) {
    await fleet.call('PUT', `/api/people/${role}`, { role, password: PASSWORD });
    const visitor = browser(fleet);
    expect((await visitor.go('POST', '/api/session', { name: role, password: PASSWORD })).status).toBe(200);
    for (const name of [...names, 'DELETE /api/session']) {
      const { body, headers = {} } = WALK[name]!;
      // What only a node has is left out.
      const { 'X-NODE-Signature': _, ...shown } = headers as Record<string, string>;
      const sent = body instanceof Uint8Array ? {} : (body as object);
      const answer = await visitor.go(...addressOf(name), sent, shown);
      expect([role, name, got(name, answer)]).toEqual([role, name, expected(name, role)]);
    }
  }
  for (const scope of SCOPES) {
    const { token } = (await fleet.call('POST', '/api/tokens', { name: scope, scope, days: 1 })).body;
    for (const name of programs.filter((each) => WALK[each]?.access !== 'node')) {
      const answer = await fleet.call(...addressOf(name), WALK[name]?.body, { Authorization: `Bearer ${token}` });
      expect([scope, name, got(name, answer)]).toEqual([scope, name, expected(name, scope)]);
    }
  }
  for (const name of programs) {
    const answer = await fleet.call(...addressOf(name), WALK[name]?.body, { Authorization: '' });
    expect(['nobody', name, got(name, answer)]).toEqual(['nobody', name, expected(name, undefined)]);
  }
});
