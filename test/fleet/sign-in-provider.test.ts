/** Signing in at an OpenID provider, and what it says later of who is signed in. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { openIdOf } from '../../runtime/fleet/sign-in/options.ts';
import { browser } from './browser.ts';
import { databases, EITHER, ENGINES, fleetOn } from './fleet.ts';
import { type Provider, startProvider } from './provider.ts';
import { CLIENT, isIn, openidOf, PASSWORD, setPassword } from './signing-in.ts';

describe('at a provider', () => {
  const database = databases(EITHER[0]);
  const started = async (people?: string[]) => {
    const provider = await startProvider(CLIENT);
    return { provider, fleet: await fleetOn(await database(), { openid: openidOf(provider, people) }) };
  };

  it('whoever it has verified and the fleet lets in is signed in, and the password is no way any more', async () => {
    const { provider, fleet } = await started();
    const visitor = browser(fleet);
    expect(await visitor.viaProvider()).toBe('/');
    expect((await visitor.go('GET', '/api/session')).body).toMatchObject({ name: 'ada@example.org', way: 'openid' });
    expect(provider.exchanges[0]?.get('redirect_uri')).toBe(`${fleet.url}/sign-in/openid/back`);
    expect((await visitor.enter(PASSWORD)).status).toBe(409);
    expect((await setPassword(fleet)).status).toBe(409);
  });

  it('strangers stay out: another domain, an address that is not verified, an address as a subject', async () => {
    const { provider, fleet } = await started(['@example.org', 'subject-9']);
    for (const person of [
      { sub: 'a', email: 'eve@example.com', email_verified: true },
      { sub: 'a', email: 'eve@example.org', email_verified: false },
      { sub: 'a', email: 'eve@example.org' },
      { sub: 'a', email: 'eve@example.org@example.com', email_verified: true },
      { sub: '@example.org' },
      { sub: 'a' },
    ]) {
      provider.person = person;
      const visitor = browser(fleet);
      // A subject is compared as it is, and somebody may choose one that looks like a domain.
      expect(await visitor.viaProvider(), JSON.stringify(person)).toBe('/?sign-in=stranger');
      expect(await isIn(visitor)).toBe(false);
    }
    provider.person = { sub: 'subject-9' };
    const known = browser(fleet);
    expect(await known.viaProvider()).toBe('/');
    expect((await known.go('GET', '/api/session')).body.name).toBe('openid:subject-9');
  });

  it('groups have roles, of which the highest counts, by the list that the fleet has now', async () => {
    const provider = await startProvider(CLIENT);
    const where = await database();
    const people = ['group:shops=operator', '*=viewer', 'group:builders=releaser', 'ada@example.org=owner'];
    let fleet = await fleetOn(where, { openid: openidOf(provider, people) });
    const sub = 'a';
    const roles = [];
    const keys = [];
    for (const person of [
      { sub },
      { sub, groups: ['shops'] },
      { sub, groups: ['shops', 'builders'] },
      { sub, groups: 'builders' },
      { sub, groups: ['Shops', 'group:shops', 7, null] },
      { sub, groups: ['shops'], email: 'ada@example.org', email_verified: true },
    ]) {
      provider.person = person;
      const visitor = browser(fleet);
      await visitor.viaProvider();
      roles.push((await visitor.go('GET', '/api/session')).body.role);
      keys.push(visitor.cookies);
    }
    expect(roles).toEqual(['viewer', 'operator', 'releaser', 'viewer', 'viewer', 'owner']);
    await fleet.stop();
    fleet = await fleetOn(where, { openid: openidOf(provider, ['group:shops=viewer']) });
    const now = [];
    for (const cookies of keys) {
      const visitor = browser(fleet);
      for (const [name, value] of cookies) visitor.cookies.set(name, value);
      now.push((await visitor.go('GET', '/api/session')).body.role);
    }
    expect(now).toEqual([null, 'viewer', 'viewer', null, null, 'viewer']);
  });

  it('local accounts and people of a provider are never in at once: a session ends where the way is changed', async () => {
    const provider = await startProvider(CLIENT);
    const where = await database();
    const came: Array<ReadonlyMap<string, string>> = [];
    const statuses = async (openid: boolean) => {
      const fleet = await fleetOn(where, openid ? { openid: openidOf(provider) } : {});
      const visitor = browser(fleet);
      if (openid) await visitor.viaProvider();
      else {
        await setPassword(fleet);
        await visitor.enter(PASSWORD);
      }
      came.push(visitor.cookies);
      const got = [];
      for (const cookies of came) {
        const again = browser(fleet);
        for (const [name, value] of cookies) again.cookies.set(name, value);
        got.push((await again.go('GET', '/api/nodes')).status);
      }
      await fleet.stop();
      return got;
    };
    expect(await statuses(false)).toEqual([200]);
    expect(await statuses(true)).toEqual([401, 200]);
    // Another password ended the first one.
    expect(await statuses(false)).toEqual([401, 401, 200]);
  });

  it('a key that the provider has just rotated in counts at once', async () => {
    const { provider, fleet } = await started();
    for (const round of [1, 2, 3]) {
      const visitor = browser(fleet);
      expect([round, await visitor.viaProvider()]).toEqual([round, '/']);
      expect(await isIn(visitor)).toBe(true);
      provider.rotate();
    }
  });

  it('an answer that is not in order lets nobody in', async () => {
    const { provider, fleet } = await started();
    const failed = '/?sign-in=failed';
    expect(await browser(fleet).viaProvider((back) => back.searchParams.set('state', 'another'))).toBe(failed);
    expect(await browser(fleet).viaProvider((back) => back.searchParams.set('code', 'another'))).toBe(failed);
    for (const change of [{ nonce: 'another' }, { aud: 'another' }, { iss: 'https://a.example' }, { exp: 1 }]) {
      provider.forge = (claims) => ({ ...claims, ...change });
      const visitor = browser(fleet);
      expect(await visitor.viaProvider(), JSON.stringify(change)).toBe(failed);
      expect(await isIn(visitor)).toBe(false);
    }
    provider.forge = (claims) => claims;
    // As the provider would say it, and signed by somebody else.
    provider.signer = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    expect(await browser(fleet).viaProvider()).toBe(failed);
    delete provider.signer;
    // The link of somebody else, opened by whoever has not begun.
    const other = browser(fleet);
    const to = (await other.go('GET', '/sign-in/openid')).headers.get('location') ?? '';
    const back = new URL((await fetch(to, { redirect: 'manual' })).headers.get('location') ?? '');
    const victim = browser(fleet);
    expect((await victim.go('GET', `${back.pathname}${back.search}`)).headers.get('location')).toBe(failed);
    expect(await isIn(victim)).toBe(false);
  });

  it('an answer longer than any that is in order is not read to its end, and lets nobody in', async () => {
    const { provider, fleet } = await started();
    expect(await browser(fleet).viaProvider()).toBe('/');
    provider.padding = 900_000;
    expect(await browser(fleet).viaProvider()).toBe('/');
    provider.padding = 1_100_000;
    expect(await browser(fleet).viaProvider()).toBe('/?sign-in=failed');
  });

  it('that is away, nobody signs in, and programs go on', async () => {
    const fleet = await fleetOn(await database(), {
      openid: { issuer: 'http://127.0.0.1:9', client: 'a', secret: '', people: ['*'] },
    });
    expect(await browser(fleet).viaProvider()).toBe('/?sign-in=failed');
    expect((await fleet.call('GET', '/api/nodes')).status).toBe(200);
  });
});

describe.skipIf(ENGINES.length < 2)('a session of somebody whom a provider knows', () => {
  const database = databases(ENGINES.at(-1)!);
  const person = { sub: 'a', email: 'ada@example.org', email_verified: true, groups: ['builders'] };
  const signedIn = async (
    renews: boolean,
    more: Partial<Provider> = {},
    people = ['group:builders=owner', 'group:shops=viewer'],
  ) => {
    const provider = Object.assign(await startProvider(CLIENT), more);
    const where = await database();
    // Its requests alone ask: whoever made tokens is asked about in a turn of the watch, too.
    const fleet = await fleetOn(where, { openid: openidOf(provider, people), lookMs: 60_000 });
    Object.assign(provider, { renews, person });
    const visitor = browser(fleet);
    await visitor.viaProvider();
    const tables = await openDatabase(where);
    onTestFinished(() => tables.close());
    const role = async () => (await visitor.go('GET', '/api/session')).body.role;
    /** The role of the person after so many minutes more, in which nobody asked. */
    const after = async (minutes: number) => {
      const ago = (column: string) => `${column} = ${column} - interval '${minutes} minutes'`;
      await tables.query(`UPDATE session SET ${ago('asked_at')}, ${ago('told_at')}`);
      return role();
    };
    return { provider, fleet, tables, role, after, isIn: () => isIn(visitor) };
  };

  it('is asked about each five minutes, once, and is what the provider says then', async () => {
    const { provider, tables, role, after } = await signedIn(true);
    expect([await role(), await after(4), provider.exchanges.length]).toEqual(['owner', 'owner', 1]);
    expect([await after(2), provider.exchanges.length]).toEqual(['owner', 2]);
    provider.person = { ...person, groups: ['shops'] };
    expect([await role(), await after(6), await role(), provider.exchanges.length]).toEqual([
      ...['owner', 'viewer', 'viewer', 3],
    ]);
    await tables.query("UPDATE session SET asked_at = 'epoch'");
    await Promise.all(Array.from({ length: 8 }, role));
    expect([await role(), provider.exchanges.length]).toEqual(['viewer', 4]);
    const [given, ...again] = provider.exchanges;
    expect(given?.get('grant_type')).toBe('authorization_code');
    expect(new Set(again.map((each) => each.get('refresh_token'))).size).toBe(3);
    const kept = JSON.stringify(await tables.query('SELECT * FROM session'));
    for (const each of again) expect(kept).not.toContain(each.get('refresh_token'));
  });

  it('is what the provider says then, also where that comes without an identity token', async () => {
    const info = { ...person };
    const { provider, fleet, tables, after } = await signedIn(true, { info });
    const { token } = (await fleet.call('POST', '/api/tokens', { name: 'a', scope: 'read', days: 1 })).body;
    await tables.query("UPDATE api_token SET made_by = 'ada@example.org', claims = (SELECT claims FROM session)");
    const read = async () =>
      (await fleet.call('GET', '/api/nodes', undefined, { Authorization: `Bearer ${token}` })).status;
    provider.tells = false;
    expect([await after(6), await read()]).toEqual(['owner', 200]);
    info.groups = ['shops'];
    // What he made as an owner ends as he is one no more.
    expect([await after(6), await read()]).toEqual(['viewer', 401]);
    info.groups = [];
    expect(await after(6)).toBe(null);
  });

  it('goes on for an hour where the provider does not say who somebody is, and asks again with what it gave', async () => {
    const { provider, after } = await signedIn(true, { info: { sub: 'b' } });
    provider.tells = false;
    expect([await after(6), await after(30), await after(30)]).toEqual(['owner', 'owner', null]);
    expect(new Set(provider.exchanges.map((each) => each.get('refresh_token'))).size).toBe(3);
  });

  it('has no groups where the provider has no place that tells them', async () => {
    const { provider, after } = await signedIn(true);
    provider.tells = false;
    expect(await after(6)).toBe(null);
  });

  it('has the address of the sign-in where an identity token comes without one, and no place tells it', async () => {
    const { provider, after } = await signedIn(true, {}, ['@example.org']);
    provider.person = { sub: person.sub };
    expect([await after(6), await after(6)]).toEqual(['owner', 'owner']);
    provider.person = { ...person, email_verified: false };
    expect(await after(6)).toBe(null);
  });

  it('ends where the provider has removed the person', async () => {
    const { provider, fleet, tables, after, isIn: stillIn } = await signedIn(true);
    const { token } = (await fleet.call('POST', '/api/tokens', { name: 'a', scope: 'read', days: 1 })).body;
    await tables.query("UPDATE api_token SET made_by = 'ada@example.org', claims = (SELECT claims FROM session)");
    const read = async () =>
      (await fleet.call('GET', '/api/nodes', undefined, { Authorization: `Bearer ${token}` })).status;
    expect(await read()).toBe(200);
    provider.removed.add('a');
    expect([await after(6), await stillIn(), await read()]).toEqual([null, false, 401]);
    expect(await tables.query('SELECT id FROM session')).toEqual([]);
    // Where he is known there after all, what he made counts again.
    await browser(fleet).viaProvider();
    expect(await read()).toBe(200);
  });

  it('ends where the provider speaks of somebody else, or of somebody who is not let in any more', async () => {
    const { provider, tables, after } = await signedIn(true);
    provider.person = { ...person, groups: [] };
    expect(await after(6)).toBe(null);
    provider.person = { ...person, sub: 'b' };
    expect(await after(6)).toBe(null);
    expect(await tables.query('SELECT id FROM session')).toEqual([]);
  });

  it('goes on for an hour where the provider is away or out of order, and asks again', async () => {
    const { provider, after } = await signedIn(true);
    const roles = [];
    for (const status of [503, 400, 200]) {
      provider.broken = status;
      roles.push(await after(15));
    }
    provider.broken = 0;
    expect([...roles, await after(10)]).toEqual(['owner', 'owner', 'owner', 'owner']);
    provider.broken = 503;
    expect([await after(59), await after(2)]).toEqual(['owner', null]);
  });

  it('lasts an hour where the provider gives nothing to ask it with', async () => {
    const { provider, after } = await signedIn(false);
    expect([await after(59), await after(2), provider.exchanges.length]).toEqual(['owner', null, 1]);
  });
});

describe('the options', () => {
  const given = { openid: 'https://id.example', 'openid-client': 'fleet', 'openid-people': 'a@b.example, @c.example' };
  it('name a provider by HTTPS, the client, and whom it lets in', () => {
    expect(openIdOf({ ...given, openid: '' }, '')).toBeUndefined();
    expect(openIdOf(given, 's')).toEqual({
      issuer: 'https://id.example',
      client: 'fleet',
      secret: 's',
      people: ['a@b.example', '@c.example'],
    });
    expect(() => openIdOf({ ...given, openid: 'http://id.example' }, '')).toThrow(/https/);
    expect(() => openIdOf({ ...given, openid: 'id' }, '')).toThrow(/https/);
    expect(() => openIdOf({ ...given, 'openid-client': '' }, '')).toThrow(/openid-client/);
    expect(() => openIdOf({ ...given, 'openid-people': ' ,' }, '')).toThrow(/openid-people/);
  });
});
