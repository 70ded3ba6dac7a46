/**
 * People and tokens that were removed, lowered or replaced: what they were holds no more from the next request on, whatever was
 * under way.
 */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { totpCode } from './authenticator.ts';
import { type Browser, browser } from './browser.ts';
import { databases, EITHER, ENGINES, fleetOn, heartbeat, MASTER, type RunningFleet } from './fleet.ts';
import { startProvider } from './provider.ts';

const PASSWORD = 'correct horse battery';
const OTHER = 'another horse battery';
const CLIENT = { id: 'fleet', secret: 'client-secret' };
const join = (fleet: RunningFleet, name: string, role: string) =>
  fleet.call('PUT', `/api/people/${name}`, { role, password: PASSWORD });
const enter = (visitor: Browser, name: string, more: object = {}) =>
  visitor.go('POST', '/api/session', { name, password: PASSWORD, ...more });
const entered = async (fleet: RunningFleet, name: string, more: object = {}) => {
  const visitor = browser(fleet);
  expect((await enter(visitor, name, more)).status).toBe(200);
  return visitor;
};
const statusOf = async (visitor: Browser) => (await visitor.go('GET', '/api/nodes')).status;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const step = () => Math.floor(Date.now() / 30_000);

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('another second factor takes the password and a code of the one before; an open session alone changes neither', async () => {
    const fleet = await fleetOn(await database());
    await join(fleet, 'ada', 'owner');
    const ada = await entered(fleet, 'ada');
    const beside = await entered(fleet, 'ada');
    expect((await ada.go('POST', '/api/totp', {})).status).toBe(422);
    expect((await ada.go('POST', '/api/totp', { password: OTHER })).status).toBe(401);
    const first = (await ada.go('POST', '/api/totp', { password: PASSWORD })).body.secret;
    expect((await ada.go('PUT', '/api/totp', { code: totpCode(first, step() - 1) })).status).toBe(204);
    expect([await statusOf(ada), await statusOf(beside)]).toEqual([200, 401]);
    const begin = (more: object) => ada.go('POST', '/api/totp', { password: PASSWORD, ...more });
    expect((await begin({})).body.error).toBe('code_needed');
    expect((await begin({ code: totpCode(first, step() - 1) })).status).toBe(401);
    const code = totpCode(first, step());
    const second = (await begin({ code })).body.secret;
    // The code of the new app is of the same half minute.
    expect((await ada.go('PUT', '/api/totp', { code: totpCode(second, step()) })).status).toBe(204);
    expect((await enter(browser(fleet), 'ada', { code: totpCode(first, step() + 1) })).status).toBe(401);
    expect((await enter(browser(fleet), 'ada', { code: totpCode(second, step() + 1) })).status).toBe(200);
    for (const change of [{ totp: false }, { password: OTHER }, { role: 'owner', totp: false }])
      expect((await ada.go('PUT', '/api/people/ada', change)).status).toBe(409);
    expect((await enter(browser(fleet), 'ada')).body.error).toBe('code_needed');
  });

  it('the second factor that counts is the one a code came of, also where another was begun meanwhile', async () => {
    const fleet = await fleetOn(await database());
    await join(fleet, 'ada', 'viewer');
    const ada = await entered(fleet, 'ada');
    const begin = async () => (await ada.go('POST', '/api/totp', { password: PASSWORD })).body.secret as string;
    const stale = await begin();
    const secret = await begin();
    expect((await ada.go('PUT', '/api/totp', { code: totpCode(stale, step()) })).status).toBe(401);
    expect((await ada.go('PUT', '/api/totp', { code: totpCode(secret, step()) })).status).toBe(204);
    expect((await ada.go('PUT', '/api/totp', { code: totpCode(secret, step() + 1) })).status).toBe(409);
  });

  it('of password changes at once one is done, and who came in with the password before is out', async () => {
    const fleet = await fleetOn(await database());
    await join(fleet, 'ada', 'viewer');
    const visitors = [await entered(fleet, 'ada'), await entered(fleet, 'ada'), await entered(fleet, 'ada')];
    const late = [browser(fleet), browser(fleet)];
    const [changes] = await Promise.all([
      Promise.all(
        visitors.map((visitor, at) =>
          visitor.go('PUT', '/api/password', { current: PASSWORD, password: `${OTHER} ${at}` }),
        ),
      ),
      Promise.all(late.map((visitor) => enter(visitor, 'ada'))),
    ]);
    expect(changes.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const winner = changes.findIndex(({ status }) => status === 200);
    const statuses = await Promise.all(visitors.map(statusOf));
    expect(statuses).toEqual(visitors.map((_, at) => (at === winner ? 200 : 401)));
    expect(await Promise.all(late.map(statusOf))).toEqual([401, 401]);
    expect((await enter(browser(fleet), 'ada', { password: `${OTHER} ${winner}` })).status).toBe(200);
  });

  it('an account has no name that no URL has: nobody could remove it', async () => {
    const fleet = await fleetOn(await database());
    const body = JSON.stringify({ role: 'owner', password: PASSWORD });
    for (const name of ['..', '.', '%2e%2e']) {
      const status = await new Promise((resolve, reject) => {
        // As it is: fetch takes it out of the path.
        const asked = request(`${fleet.url}`, { method: 'PUT', path: `/api/people/${name}`, headers: bearer(MASTER) });
        asked.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
        asked.end(body);
      });
      expect([name, status]).toEqual([name, 422]);
    }
  });

  it('a request whose body comes after its sender was removed does nothing', async () => {
    const fleet = await fleetOn(await database());
    await join(fleet, 'eve', 'owner');
    const eve = await entered(fleet, 'eve');
    const sent = JSON.stringify({ role: 'owner', password: PASSWORD });
    const late = request(`${fleet.url}/api/people/mallory`, {
      method: 'PUT',
      headers: {
        Cookie: [...eve.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...{ Origin: fleet.url, Expect: '100-continue', 'Content-Length': sent.length },
      },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      late.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
    });
    await new Promise((resolve) => {
      late.once('continue', resolve);
      late.flushHeaders();
    });
    expect((await fleet.call('DELETE', '/api/people/eve')).status).toBe(204);
    late.end(sent);
    expect(await answered).toBe(401);
    expect((await fleet.call('GET', '/api/people')).body.people).toEqual([]);
  });
});

const server = databases(ENGINES.at(-1)!);

it.skipIf(ENGINES.length < 2)('an export that goes on is broken off where its reader was removed', async () => {
  const where = await server();
  const fleet = await fleetOn(where);
  await join(fleet, 'eve', 'operator');
  const eve = await entered(fleet, 'eve');
  await fleet.beat(heartbeat());
  await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: 'Graz' });
  const on = await openDatabase(where);
  // More than sockets hold.
  await on.query(
    `INSERT INTO transition (node, at, kind, detail) SELECT '0a1b2c3d', now(), 'crash', json_build_object('reason', repeat('x', 800))
     FROM generate_series(1, 40000)`,
  );
  await on.close();
  const exported = async () => {
    const cookie = [...eve.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { body } = await fetch(`${fleet.url}/api/sites/Graz/export`, { headers: { Cookie: cookie } });
    return body?.getReader() ?? expect.fail();
  };
  const rest = async (reader: Awaited<ReturnType<typeof exported>>) => {
    for (;;) if ((await reader.read()).done) return 'whole';
  };
  expect(await rest(await exported())).toBe('whole');
  const reader = await exported();
  await reader.read();
  expect((await fleet.call('DELETE', '/api/people/eve')).status).toBe(204);
  expect(await rest(reader).catch(() => 'broken off')).toBe('broken off');
});

describe('at a provider', () => {
  const database = databases(EITHER[0]);

  it('the tokens that somebody made end when the list has him as an owner no more, and where people come in another way', async () => {
    const where = await database();
    const provider = await startProvider(CLIENT);
    const started = (people?: string[]) =>
      fleetOn(
        where,
        people && { openid: { issuer: provider.issuer, client: CLIENT.id, secret: CLIENT.secret, people } },
      );
    const person = { sub: 'a', email: 'ada@example.org', email_verified: true, groups: ['builders'] };
    provider.person = person;
    let fleet = await started(['group:builders=owner']);
    const ada = browser(fleet);
    await ada.viaProvider();
    const made = async (scope: string, on: (body: object) => Promise<{ body: { token: string } }>) =>
      (await on({ name: 'a', scope, days: 9 })).body.token;
    const own = (body: object) => ada.go('POST', '/api/tokens', body);
    const masters = (body: object) => fleet.call('POST', '/api/tokens', body);
    const [read, ingest] = [await made('read', own), await made('ingest', own)];
    const [kept, keptIngest] = [await made('read', masters), await made('ingest', masters)];
    let seq = 0;
    const beat = async (token: string) => {
      seq += 1;
      return (await fleet.beat(heartbeat({ seq }), token)).status;
    };
    const look = async (token: string) => (await fleet.call('GET', '/api/nodes', undefined, bearer(token))).status;
    const statuses = async (people?: string[]) => {
      await fleet.stop();
      fleet = await started(people);
      return [await look(read), await beat(ingest), await look(kept), await beat(keptIngest)];
    };
    expect(await statuses(['group:builders=owner'])).toEqual([200, 204, 200, 204]);
    expect(await statuses(['ada@example.org=owner'])).toEqual([200, 204, 200, 204]);
    expect(await statuses(['group:builders=releaser'])).toEqual([401, 401, 200, 204]);
    expect(await statuses(['bob@example.org=owner'])).toEqual([401, 401, 200, 204]);
    expect(await statuses()).toEqual([401, 401, 200, 204]);
  });
});

describe('with two processes on one database', () => {
  const database = databases(ENGINES.at(-1)!);

  it.skipIf(ENGINES.length < 2)(
    'what was revoked at one of them is so at the other when the answer comes',
    async () => {
      const where = await database();
      const [one, other] = [await fleetOn(where), await fleetOn(where)];
      const on = await openDatabase(where);
      await expect.poll(async () => (await on.query('SELECT name FROM listener')).length, { timeout: 30_000 }).toBe(2);
      await on.close();
      let seq = 0;
      const beat = async (token: string, node = 'a1') => {
        seq += 1;
        return (await other.beat(heartbeat({ node, seq }), token)).status;
      };
      expect(await beat(MASTER)).toBe(204);
      const { token } = (await one.call('POST', '/api/nodes/a1/token')).body;
      expect([await beat(MASTER), await beat(tokenOf(MASTER, 'a1')), await beat(token)]).toEqual([401, 401, 204]);
      const made = (await one.call('POST', '/api/tokens', { name: 'a', scope: 'ingest', days: 1 })).body;
      expect(await beat(made.token)).toBe(204);
      await one.call('DELETE', `/api/tokens/${made.id}`);
      expect(await beat(made.token)).toBe(401);
      await join(one, 'eve', 'owner');
      const eve = await entered(one, 'eve');
      const { body } = await eve.go('POST', '/api/tokens', { name: 'a', scope: 'ingest', days: 1 });
      expect(await beat(body.token)).toBe(204);
      await one.call('PUT', '/api/people/eve', { role: 'releaser' });
      expect(await beat(body.token)).toBe(401);
    },
  );
});
