/** People with roles, tokens for programs, a second factor. */
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { stepOf } from '../../runtime/fleet/sign-in/totp.ts';
import { totpCode } from './authenticator.ts';
import { type Browser, browser } from './browser.ts';
import { databases, EITHER, fleetOn, heartbeat, MASTER, type RunningFleet } from './fleet.ts';

const PASSWORD = 'correct horse battery';
const join = (fleet: RunningFleet, name: string, role: string) =>
  fleet.call('PUT', `/api/people/${name}`, { role, password: PASSWORD });
const enter = (visitor: Browser, name: string, more: object = {}) =>
  visitor.go('POST', '/api/session', { name, password: PASSWORD, ...more });
/** What a role may: the status of one request of each kind. */
const MAY = [
  ['GET', '/api/nodes'],
  ['GET', '/metrics'],
  ['PUT', '/api/sites/Graz', {}],
  ['POST', '/api/rollouts', { variant: 'a', version: '0.0.1' }],
  ['PUT', '/api/settings', { keepDays: 3 }],
  ['GET', '/api/people'],
  ['POST', '/heartbeat', heartbeat()],
] as const;

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('each role may all that the one before it may, and no more', async () => {
    const fleet = await fleetOn(await database());
    for (const [role, statuses] of Object.entries({
      viewer: [200, 200, 403, 403, 403, 403],
      operator: [200, 200, 200, 403, 403, 403],
      releaser: [200, 200, 200, 404, 403, 403],
      owner: [200, 200, 200, 404, 200, 200],
    })) {
      expect((await join(fleet, role, role)).body).toEqual({ name: role, role, totp: false });
      const visitor = browser(fleet);
      expect((await enter(visitor, role)).body).toMatchObject({ name: role, role });
      const got = [];
      for (const [method, path, body] of MAY.slice(0, 6)) got.push((await visitor.go(method, path, body)).status);
      expect([role, got]).toEqual([role, statuses]);
    }
    expect((await fleet.call('GET', '/api/people')).body.people).toHaveLength(4);
    for (const wrong of ['a%40b', 'token', 'token%3Aa', '%20a', 'a%0Ab'])
      expect([wrong, (await join(fleet, wrong, 'viewer')).status]).toEqual([wrong, 422]);
    expect((await fleet.call('PUT', '/api/people/new', { role: 'viewer' })).status).toBe(422);
    expect((await join(fleet, 'new', 'king')).status).toBe(422);
  });

  it('whoever is removed, loses a role or has a new password is so with the next request', async () => {
    const fleet = await fleetOn(await database());
    await join(fleet, 'ada', 'owner');
    const ada = browser(fleet);
    await enter(ada, 'ada');
    const put = async () => (await ada.go('PUT', '/api/settings', { keepDays: 3 })).status;
    expect(await put()).toBe(200);
    await fleet.call('PUT', '/api/people/ada', { role: 'viewer' });
    expect(await put()).toBe(403);
    await fleet.call('PUT', '/api/people/ada', { password: 'another horse battery' });
    expect(await put()).toBe(401);
    expect((await enter(ada, 'ada')).status).toBe(401);
    expect((await enter(ada, 'ada', { password: 'another horse battery' })).status).toBe(200);
    expect((await fleet.call('DELETE', '/api/people/ada')).status).toBe(204);
    expect((await ada.go('GET', '/api/nodes')).status).toBe(401);
    expect((await fleet.call('DELETE', '/api/people/ada')).status).toBe(404);
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    const changes = entries.filter(({ what }: { what: string }) => what === 'person changed');
    expect(changes.map(({ detail }: { detail: object }) => detail)).toEqual([
      { before: {}, after: { password: 'new' } },
      { before: { role: 'owner' }, after: { role: 'viewer' } },
      { before: {}, after: { name: 'ada', role: 'owner', totp: false, password: 'new' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('horse');
  });

  it('the master token that sets the password of the account owner makes it one of the role again, and the audit says so', async () => {
    const fleet = await fleetOn(await database());
    await join(fleet, 'owner', 'viewer');
    const set = await fleet.call('PUT', '/api/password', { password: 'another horse battery' });
    expect([set.status, set.body.role]).toEqual([200, 'owner']);
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    expect(entries[0]).toMatchObject({
      what: 'password set',
      detail: { before: { role: 'viewer' }, after: { password: 'new', role: 'owner' } },
    });
  });

  it('a token is for one purpose, until it ends or is revoked', async () => {
    const fleet = await fleetOn(await database());
    await fleet.call('GET', '/api/tokens');
    for (const [scope, statuses] of Object.entries({
      read: [200, 200, 403, 403, 403, 403, 401],
      metrics: [403, 200, 403, 403, 403, 403, 401],
      release: [200, 403, 403, 404, 403, 403, 401],
      ingest: [403, 403, 403, 403, 403, 403, 204],
    })) {
      const { body } = await fleet.call('POST', '/api/tokens', { name: `for ${scope}`, scope, days: 1 });
      const shown = { Authorization: `Bearer ${body.token}` };
      const ask = async () => {
        const got = [];
        for (const [method, path, sent] of MAY) got.push((await fleet.call(method, path, sent, shown)).status);
        return got;
      };
      expect([scope, await ask()]).toEqual([scope, statuses]);
      expect((await fleet.call('DELETE', `/api/tokens/${body.id}`)).status).toBe(204);
      expect([scope, new Set(await ask())]).toEqual([scope, new Set([401])]);
    }
    const { body } = await fleet.call('POST', '/api/tokens', { name: 'a', scope: 'read', days: 1 });
    expect(Date.parse(body.expiresAt) - Date.parse(body.madeAt)).toBe(86_400_000);
    expect(JSON.stringify((await fleet.call('GET', '/api/tokens')).body)).not.toContain(body.token);
    // It has no session that it could end, and leaves no word in the audit.
    await fleet.call('DELETE', '/api/session', undefined, { Authorization: `Bearer ${body.token}` });
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    expect(entries.filter(({ who }: { who: string }) => who !== 'token')).toEqual([]);
    expect(JSON.stringify((await fleet.call('GET', '/api/audit')).body)).not.toContain(body.token);
    expect((await fleet.call('POST', '/api/tokens', { name: 'a', scope: 'all', days: 1 })).status).toBe(422);
  });

  it('the tokens that somebody made end with the account, and with its role of owner; nobody else loses one', async () => {
    const fleet = await fleetOn(await database());
    const made = async (name: string) => {
      await join(fleet, name, 'owner');
      const visitor = browser(fleet);
      await enter(visitor, name);
      const { body } = await visitor.go('POST', '/api/tokens', { name, scope: 'ingest', days: 1 });
      return body.token as string;
    };
    const [ada, bob, eve] = [await made('ada'), await made('bob'), await made('eve')];
    let seq = 0;
    const beat = async (token: string) => {
      seq += 1;
      return (await fleet.beat(heartbeat({ seq }), token)).status;
    };
    const all = async () => [await beat(ada), await beat(bob), await beat(eve)];
    expect(await all()).toEqual([204, 204, 204]);
    await fleet.call('DELETE', '/api/people/ada');
    await fleet.call('PUT', '/api/people/bob', { role: 'releaser' });
    await fleet.call('PUT', '/api/people/eve', { password: 'another horse battery' });
    expect(await all()).toEqual([401, 401, 204]);
  });

  it('right passwords behind one address cost nobody there a sign-in, and wrong ones of another account neither', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    await join(fleet, 'ada', 'viewer');
    await join(fleet, 'bob', 'viewer');
    for (let tries = 0; tries < 12; tries += 1) await enter(browser(fleet), 'bob', { password: 'wrong horse battery' });
    expect((await enter(browser(fleet), 'bob')).status).toBe(429);
    for (let times = 0; times < 3; times += 1) expect((await enter(browser(fleet), 'ada')).status).toBe(200);
    await fleet.stop();
    const on = await openDatabase(where);
    const rows = await on.query<{ address: string; count: number }>('SELECT address, count FROM sign_in_attempt');
    expect(Object.fromEntries(rows.map(({ address, count }) => [address, count]))).toEqual({
      ...{ '127.0.0.1': 10, told: 1, '127.0.0.1 bob': 13 },
    });
    await on.close();
  });

  it('a second factor is asked for once a code of it has come, and each code counts once', async () => {
    const fleet = await fleetOn(await database());
    await join(fleet, 'ada', 'viewer');
    const ada = browser(fleet);
    await enter(ada, 'ada');
    const { secret, uri } = (await ada.go('POST', '/api/totp', { password: PASSWORD })).body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    // With all that an app could take otherwise.
    const [, where, asked] = /^otpauth:\/\/totp\/(.*)\?(.*)$/.exec(uri) ?? [];
    expect([decodeURIComponent(where ?? ''), Object.fromEntries(new URLSearchParams(asked))]).toEqual([
      'tillnode fleet:ada',
      { secret, issuer: 'tillnode fleet', algorithm: 'SHA1', digits: '6', period: '30' },
    ]);
    expect((await enter(browser(fleet), 'ada')).status).toBe(200);
    const step = Math.floor(Date.now() / 30_000);
    const code = (off: number) => totpCode(secret, step + off);
    const wrong = String((Number(code(0)) + 1) % 1_000_000).padStart(6, '0');
    expect((await ada.go('PUT', '/api/totp', { code: wrong })).status).toBe(401);
    expect((await ada.go('PUT', '/api/totp', { code: code(0) })).status).toBe(204);
    expect((await enter(browser(fleet), 'ada')).body).toMatchObject({ error: 'code_needed' });
    expect((await enter(browser(fleet), 'ada', { code: code(0) })).body).toMatchObject({ error: 'unauthorized' });
    const both = await Promise.all([1, 2].map(() => enter(browser(fleet), 'ada', { code: code(1) })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await fleet.call('PUT', '/api/people/ada', { totp: false })).body.totp).toBe(false);
    expect((await enter(browser(fleet), 'ada')).status).toBe(200);
    expect((await fleet.call('POST', '/api/totp', { password: PASSWORD })).status).toBe(409);
  });

  it('codes are guessed ten times by whoever knows the password, from however many addresses; who does not blocks nobody', async () => {
    const fleet = await fleetOn(await database(), { behindProxy: true });
    let addresses = 0;
    const from = () => {
      addresses += 1;
      return browser(fleet, { 'X-Forwarded-For': `203.0.113.${addresses}` });
    };
    await join(fleet, 'ada', 'viewer');
    const ada = from();
    await enter(ada, 'ada');
    const { secret } = (await ada.go('POST', '/api/totp', { password: PASSWORD })).body;
    const step = Math.floor(Date.now() / 30_000);
    expect((await ada.go('PUT', '/api/totp', { code: totpCode(secret, step) })).status).toBe(204);
    const wrong = String((Number(totpCode(secret, step + 1)) + 500_000) % 1_000_000).padStart(6, '0');
    const guess = async (more: object) => (await enter(from(), 'ada', more)).status;
    for (let tries = 0; tries < 2; tries += 1)
      expect(await guess({ password: 'wrong horse battery', code: wrong })).toBe(401);
    for (let tries = 0; tries < 10; tries += 1) expect(await guess({ code: wrong })).toBe(401);
    expect(await guess({ code: wrong })).toBe(429);
    expect((await ada.go('GET', '/api/nodes')).status).toBe(200);
    // The way back: another password and no second factor.
    await fleet.call('PUT', '/api/people/ada', { totp: false });
    expect(await guess({})).toBe(200);
  });
});

const oneDatabase = databases(EITHER[0]);

it('a node whose token was renewed shows that one alone, and the master token no longer counts for it', async () => {
  const where = await oneDatabase();
  const fleet = await fleetOn(where);
  let seq = 0;
  const beat = async (token: string, node = 'a1') => {
    seq += 1;
    return (await fleet.beat(heartbeat({ node, seq }), token)).status;
  };
  const before = tokenOf(MASTER, 'a1');
  expect([await beat(MASTER), await beat(before)]).toEqual([204, 204]);
  const { token } = (await fleet.call('POST', '/api/nodes/a1/token')).body;
  expect([await beat(MASTER), await beat(before), await beat(token)]).toEqual([401, 401, 204]);
  const message = (at: number) => ({ node: 'a1', seq: at, uptimeMs: 61_000, event: { type: 'node_online' } });
  expect((await fleet.webhook(message(1), before)).status).toBe(401);
  expect((await fleet.webhook(message(1), token)).status).toBe(204);
  const asNode = (shown: string) => ({ Authorization: `Bearer ${shown}` });
  expect((await fleet.call('GET', '/recipes?node=a1', undefined, asNode(before))).status).toBe(401);
  expect((await fleet.call('GET', '/recipes?node=a1', undefined, asNode(token))).status).toBe(200);
  expect((await fleet.call('GET', '/firmware?node=a1&variant=wifi', undefined, asNode(before))).status).toBe(401);
  expect(await beat(MASTER, 'b1')).toBe(204);
  expect(await beat(token, 'b1')).toBe(401);
  const next = (await fleet.call('POST', '/api/nodes/a1/token')).body.token;
  expect([await beat(token), await beat(next)]).toEqual([401, 204]);
  // It is forgotten, and its old token does not bring it back; nor after a restart.
  await fleet.call('DELETE', '/api/nodes/a1');
  expect(await beat(before)).toBe(401);
  await fleet.stop();
  const again = await fleetOn(where);
  expect((await again.beat(heartbeat({ node: 'a1' }), MASTER)).status).toBe(401);
  expect((await again.beat(heartbeat({ node: 'a1' }), next)).status).toBe(204);
});

it('a token counts for the id that it is of, however a node is called: what is no id is no node', async () => {
  const fleet = await fleetOn(await oneDatabase());
  await fleet.beat(heartbeat({ node: 'a1' }));
  await fleet.call('POST', '/api/nodes/a1/token');
  const revoked = (await fleet.call('POST', '/api/nodes/a1/token')).body.token;
  await fleet.call('POST', '/api/nodes/a1/token');
  const shown = { Authorization: `Bearer ${revoked}` };
  // What the token is the HMAC of, where that is taken for an id.
  const node = 'node=a1%202';
  expect(revoked).toBe(tokenOf(MASTER, 'a1 2'));
  for (const [method, path, body] of [
    ['GET', `/recipes?${node}`],
    ['GET', `/firmware?variant=wifi&${node}`],
    ['POST', `/compose?${node}`, { prompt: 'a' }],
    ['POST', '/heartbeat', heartbeat({ node: 'a1 2' })],
    ['POST', '/events', { node: 'a1 2', seq: 1, uptimeMs: 1, event: { type: 'a' } }],
  ] as const)
    expect([path, (await fleet.call(method, path, body, shown)).status]).toEqual([
      path,
      path === '/events' ? 401 : 422,
    ]);
  // Nor what a webhook that is signed with the master token looks like.
  const message = JSON.stringify({ node: 'a', seq: 1, uptimeMs: 1, event: { type: 'a' } });
  expect((await fleet.beat(heartbeat({ node: message }), tokenOf(MASTER, message))).status).toBe(422);
});

it('without a token nobody is a node, whatever the master token is', async () => {
  const fleet = await fleetOn(await oneDatabase(), { token: '!!!' });
  for (const path of ['/recipes', '/recipes?node=a1', '/firmware?variant=wifi&version=0.1.0'])
    expect([path, (await fleet.call('GET', path, undefined, { Authorization: '' })).status]).toEqual([path, 401]);
});

it('while the master token is rotated, both count', async () => {
  const fleet = await fleetOn(await oneDatabase(), { token: 'new-master', tokenBefore: MASTER });
  for (const master of ['new-master', MASTER]) {
    for (const token of [master, tokenOf(master, 'a1')])
      expect((await fleet.beat(heartbeat({ node: 'a1' }), token)).status).toBe(204);
    const shown = { Authorization: `Bearer ${master}` };
    expect((await fleet.call('GET', '/api/nodes', undefined, shown)).status).toBe(200);
  }
  expect((await fleet.beat(heartbeat({ node: 'a1' }), tokenOf('other', 'a1'))).status).toBe(401);
});

it('who guesses for one account from an address keeps nobody else there out', async () => {
  const fleet = await fleetOn(await oneDatabase());
  for (const name of ['ada', 'bob']) await join(fleet, name, 'viewer');
  for (let at = 0; at < 11; at += 1) await enter(browser(fleet), 'ada', { password: 'wrong horse battery' });
  expect((await enter(browser(fleet), 'ada')).status).toBe(429);
  expect((await enter(browser(fleet), 'bob')).status).toBe(200);
});

it('who has locked himself out comes in with the password that an owner gives him, and with no other', async () => {
  const fleet = await fleetOn(await oneDatabase());
  for (const name of ['ada', 'a.ada']) await join(fleet, name, 'viewer');
  const visitor = browser(fleet);
  for (const name of ['ada', 'a.ada'])
    for (let tried = 0; tried < 11; tried += 1) await enter(visitor, name, { password: 'wrong horse battery' });
  expect((await enter(visitor, 'ada')).status).toBe(429);
  await fleet.call('PUT', '/api/people/ada', { password: 'another horse battery' });
  expect((await enter(visitor, 'ada')).status).toBe(401);
  expect((await enter(visitor, 'ada', { password: 'another horse battery' })).status).toBe(200);
  expect((await enter(visitor, 'a.ada')).status).toBe(429);
});

it('codes are those of RFC 6238, appendix B, with six digits', () => {
  // The secret of the RFC, "12345678901234567890", in base32.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  for (const [seconds, code] of [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const)
    expect([seconds, totpCode(secret, Math.floor(seconds / 30)), stepOf(secret, code, seconds * 1000, 0)]).toEqual([
      ...[seconds, code, Math.floor(seconds / 30)],
    ]);
  expect(stepOf(secret, '287082', 59_000, 0)).toBe(1);
  expect(stepOf(secret, '287082', 89_000, 0)).toBe(1);
  expect(stepOf(secret, '287082', 29_000, 0)).toBe(1);
  expect(stepOf(secret, '287082', 119_000, 0)).toBeUndefined();
  expect(stepOf(secret, '287082', 59_000, 1)).toBeUndefined();
});
