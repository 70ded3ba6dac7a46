/** Signing in by the local password, and what a session is. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { sourceOf } from '../../runtime/fleet/http/source.ts';
import { browser } from './browser.ts';
import { databases, EITHER, fleetOn } from './fleet.ts';
import { startProvider } from './provider.ts';
import { audit, CLIENT, isIn, openidOf, PASSWORD, setPassword } from './signing-in.ts';

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('the master token sets the first password, which lets people in and nothing else does', async () => {
    const fleet = await fleetOn(await database());
    const visitor = browser(fleet);
    expect((await visitor.go('GET', '/api/session')).body).toEqual({
      ...{ name: null, role: null, totp: false, way: 'password', passwordSet: false },
    });
    expect((await fleet.call('GET', '/api/session')).body.name).toBe('token');
    expect((await fleet.call('GET', '/api/session', undefined, { Authorization: 'Bearer x' })).status).toBe(401);
    expect((await visitor.enter(PASSWORD)).status).toBe(401);
    expect((await visitor.go('PUT', '/api/password', { password: PASSWORD })).status).toBe(401);
    expect((await setPassword(fleet, 'short')).status).toBe(422);
    expect((await setPassword(fleet)).status).toBe(200);
    expect((await visitor.enter('wrong horse battery')).status).toBe(401);
    expect(await isIn(visitor)).toBe(false);
    const { status, body, headers } = await visitor.enter(PASSWORD);
    const view = { name: 'owner', role: 'owner', totp: false, way: 'password', passwordSet: true };
    expect([status, body]).toEqual([200, view]);
    expect(headers.get('set-cookie')).toMatch(/httponly/i);
    expect(headers.get('set-cookie')).toMatch(/samesite=lax/i);
    expect(headers.get('set-cookie')).not.toMatch(/secure/i);
    expect(await isIn(visitor)).toBe(true);
  });

  it('a session is in the database: another process knows it, until it is ended', async () => {
    const fleet = await fleetOn(await database());
    await setPassword(fleet);
    const visitor = browser(fleet);
    await visitor.enter(PASSWORD);
    await fleet.stop();
    const again = await fleetOn(fleet.where);
    const later = browser(again);
    for (const [name, value] of visitor.cookies) later.cookies.set(name, value);
    expect(await isIn(later)).toBe(true);
    const kept = new Map(later.cookies);
    expect((await later.go('DELETE', '/api/session')).status).toBe(204);
    expect(later.cookies.size).toBe(0);
    for (const [name, value] of kept) later.cookies.set(name, value);
    expect(await isIn(later)).toBe(false);
  });

  it('ten wrong passwords from an address in fifteen minutes are all that are looked at, also many at once', async () => {
    const fleet = await fleetOn(await database(), { behindProxy: true });
    await setPassword(fleet);
    // What the client itself says of its address does not count.
    const from = (address: string) => browser(fleet, { 'X-Forwarded-For': `${Math.random()}, ${address}` });
    const tries = Array.from({ length: 30 }, () => from('192.0.2.1').enter('wrong horse battery'));
    const answers = await Promise.all(tries);
    const looked = answers.filter(({ status }) => status === 401).length;
    expect(looked).toBeLessThanOrEqual(10);
    expect(looked).toBeGreaterThan(0);
    const { status, body, headers } = await from('192.0.2.1').enter(PASSWORD);
    expect([status, body.error]).toEqual([429, 'too_many_attempts']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('192.0.2.2').enter(PASSWORD)).status).toBe(200);
    expect((await audit(fleet)).filter((entry) => entry.includes('blocked'))).toEqual([': sign-in blocked']);
  });

  it('a new password needs the one before and ends every other session', async () => {
    const fleet = await fleetOn(await database());
    await setPassword(fleet);
    const [one, other] = [browser(fleet), browser(fleet)];
    await one.enter(PASSWORD);
    await other.enter(PASSWORD);
    const next = 'another horse battery';
    expect((await one.go('PUT', '/api/password', { password: next })).status).toBe(401);
    expect((await one.go('PUT', '/api/password', { password: next, current: PASSWORD })).status).toBe(200);
    expect([await isIn(one), await isIn(other)]).toEqual([true, false]);
    expect((await other.enter(PASSWORD)).status).toBe(401);
    expect((await other.enter(next)).status).toBe(200);
  });

  it('who did what is kept: the token, the password, or the name at the provider', async () => {
    const provider = await startProvider(CLIENT);
    const where = await database();
    const fleet = await fleetOn(where);
    await setPassword(fleet);
    const visitor = browser(fleet);
    await visitor.enter(PASSWORD);
    await visitor.go('PUT', '/api/settings', { keepDays: 3 });
    await fleet.call('PUT', '/api/settings', { keepDays: 4 });
    await visitor.go('DELETE', '/api/session');
    await fleet.stop();
    const again = await fleetOn(where, { openid: openidOf(provider) });
    const ada = browser(again);
    expect(await ada.viaProvider()).toBe('/');
    await ada.go('PUT', '/api/settings', { keepDays: 5 });
    expect(await audit(again)).toEqual([
      'ada@example.org: settings changed',
      'ada@example.org: signed in',
      'owner: signed out',
      'token: settings changed',
      'owner: settings changed',
      'owner: signed in',
      'token: password set',
    ]);
  });
});

describe('a session', () => {
  const database = databases(EITHER[0]);

  it('writes for the page of this fleet alone, whoever else makes a browser ask', async () => {
    const fleet = await fleetOn(await database());
    await setPassword(fleet);
    const visitor = browser(fleet);
    await visitor.enter(PASSWORD);
    const write = async (headers: Record<string, string>) =>
      (await visitor.go('PUT', '/api/settings', { keepDays: 3 }, headers)).status;
    expect(await write({})).toBe(200);
    expect(await write({ Origin: 'https://elsewhere.example' })).toBe(403);
    expect(await write({ Origin: 'null' })).toBe(403);
    expect(await write({ Origin: '' })).toBe(403);
    expect(await write({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect(await write({ 'Sec-Fetch-Site': 'same-site' })).toBe(403);
    expect(await write({ 'Sec-Fetch-Site': 'same-origin', Origin: '' })).toBe(200);
    const stranger = browser(fleet, { Origin: 'https://elsewhere.example' });
    expect((await stranger.enter(PASSWORD)).status).toBe(403);
    expect(stranger.cookies.size).toBe(0);
    // A program has no origin, and a token that no page can send.
    expect((await fleet.call('PUT', '/api/settings', { keepDays: 3 })).status).toBe(200);
    // A wrong token is not made good by a cookie.
    expect((await visitor.go('GET', '/api/nodes', undefined, { Authorization: 'Bearer x' })).status).toBe(401);
  });

  it('has a cookie for HTTPS alone where the proxy speaks it', async () => {
    const fleet = await fleetOn(await database(), { behindProxy: true });
    await setPassword(fleet);
    const { headers } = await browser(fleet, { 'X-Forwarded-Proto': 'https' }).enter(PASSWORD);
    expect(headers.get('set-cookie')).toMatch(/; secure/i);
  });

  it('is not to be had from what the database holds', async () => {
    const fleet = await fleetOn(await database());
    await setPassword(fleet);
    const visitor = browser(fleet);
    await visitor.enter(PASSWORD);
    const [[name, key] = ['', '']] = visitor.cookies;
    const { createHash } = await import('node:crypto');
    visitor.cookies.set(name, createHash('sha256').update(key).digest('base64url'));
    expect(await isIn(visitor)).toBe(false);
  });

  it('begins with a password that is kept as a hash, which costs whoever guesses as much as OWASP asks for', async () => {
    // Not as the other fleets of tests, but as one in the world.
    const fleet = await fleetOn(await database(), { passwordCost: undefined });
    await setPassword(fleet);
    expect((await browser(fleet).enter(PASSWORD)).status).toBe(200);
    await fleet.stop();
    const on = await openDatabase(fleet.where);
    onTestFinished(() => on.close());
    expect(await on.query('SELECT hash FROM person')).toEqual([
      { hash: expect.stringMatching(/^scrypt\$32768\$8\$3\$/) },
    ]);
  });
});

it('attempts are counted by IPv4 address, and by the first half of an IPv6 address', () => {
  expect(sourceOf('192.0.2.7')).toBe('192.0.2.7');
  expect(sourceOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(sourceOf('2001:db8:0:1:a:b:c:d')).toBe('2001:db8:0:1');
  expect(sourceOf('2001:db8::1:0:0:0:d')).toBe('2001:db8:0:1');
  expect(sourceOf('2001:0DB8:0000:0001::')).toBe('2001:db8:0:1');
  expect(sourceOf('::1')).toBe('0:0:0:0');
  expect(sourceOf('fe80::1%eth0')).toBe('fe80:0:0:0');
});
