/** A provider says who signed out there (OpenID Connect Back-Channel Logout 1.0), and an owner who is out here. */
import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { until } from '../node.ts';
import { type Browser, browser } from './browser.ts';
import { databases, ENGINES, fleetOn, type RunningFleet } from './fleet.ts';
import { type Provider, startProvider } from './provider.ts';

const CLIENT = { id: 'fleet', secret: 'client-secret' };
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const database = databases(ENGINES.at(-1)!);

const started = async () => {
  const provider = await startProvider(CLIENT);
  const { id, secret } = CLIENT;
  const openid = { issuer: provider.issuer, client: id, secret, people: ['@example.org'] };
  const fleet = await fleetOn(await database(), { openid, report: () => {} });
  return { provider, fleet, openid };
};
/** Somebody who has come in. */
const visitorOf = async (fleet: RunningFleet, provider: Provider, sub: string, more: object = {}): Promise<Browser> => {
  provider.person = { sub, email: `${sub}@example.org`, email_verified: true, ...more };
  const visitor = browser(fleet);
  expect(await visitor.viaProvider()).toBe('/');
  return visitor;
};
/** What the next request of each is answered with. */
const statuses = (...visitors: Browser[]) =>
  Promise.all(visitors.map(async (visitor) => (await visitor.go('GET', '/api/nodes')).status));
const tell = (fleet: RunningFleet, token: string) =>
  fleet.call('POST', '/sign-in/openid/logout', `logout_token=${encodeURIComponent(token)}`, {
    Authorization: '',
    'Content-Type': 'application/x-www-form-urlencoded',
  });

it('a person whom the provider has signed out is out of every process with his next request, and nobody else is', async () => {
  const { provider, fleet, openid } = await started();
  const other = await fleetOn(fleet.where, { openid });
  const [ada, again, eve] = [
    await visitorOf(fleet, provider, 'ada', { sid: 's1' }),
    await visitorOf(other, provider, 'ada'),
    await visitorOf(fleet, provider, 'eve', { sid: 's3' }),
  ];
  expect(await statuses(ada, again, eve)).toEqual([200, 200, 200]);
  const { status, headers, body } = await tell(fleet, provider.logout({ sub: 'ada' }));
  expect([status, headers.get('cache-control'), body]).toEqual([200, 'no-store', '']);
  expect(await statuses(ada, again, eve)).toEqual([401, 401, 200]);
  const { entries } = (await fleet.call('GET', '/api/audit')).body;
  expect(entries[0]).toMatchObject({ who: 'ada@example.org', what: 'signed out', subject: '127.0.0.1' });
  // Of somebody who is not here there is nothing to end.
  expect((await tell(fleet, provider.logout({ sub: 'ada' }))).status).toBe(200);
  expect((await visitorOf(fleet, provider, 'ada')).cookies.size).toBe(1);
});

it('the session that the provider names ends alone, also where its browser came by a key that was rotated since', async () => {
  const { provider, fleet } = await started();
  const [one, two, unnamed, eve] = [
    await visitorOf(fleet, provider, 'ada', { sid: 's1' }),
    await visitorOf(fleet, provider, 'ada', { sid: 's2' }),
    await visitorOf(fleet, provider, 'ada'),
    await visitorOf(fleet, provider, 'eve', { sid: 's1' }),
  ];
  expect((await tell(fleet, provider.logout({ sid: 's2' }))).status).toBe(200);
  expect(await statuses(one, two, unnamed, eve)).toEqual([200, 401, 200, 200]);
  provider.rotate();
  expect((await tell(fleet, provider.logout({ sid: 's1', sub: 'ada' }))).status).toBe(200);
  expect(await statuses(one, unnamed, eve)).toEqual([401, 401, 200]);
});

it('a logout token that is not in order ends nothing', async () => {
  const { provider, fleet } = await started();
  const ada = await visitorOf(fleet, provider, 'ada', { sid: 's1' });
  const now = Math.floor(Date.now() / 1000);
  const refused = async (what: string, token: string) => {
    const { status, body, headers } = await tell(fleet, token);
    expect([what, status, body.error, headers.get('cache-control')]).toEqual([
      what,
      400,
      'invalid_request',
      'no-store',
    ]);
    expect([what, await statuses(ada)]).toEqual([what, [200]]);
  };
  for (const claims of [
    { iss: 'https://another.example' },
    { aud: 'another' },
    { aud: undefined },
    { exp: now - 60 },
    { exp: undefined },
    { iat: now - 600 },
    { iat: now + 600 },
    { iat: undefined },
    { jti: undefined },
    { jti: '' },
    { jti: 7 },
    { events: undefined },
    { events: { another: {} } },
    { events: { [EVENT]: 'yes' } },
    { events: [EVENT] },
    { nonce: 'n' },
    { nonce: null },
    { sub: undefined },
    { sub: 7 },
    { sub: '' },
    { sid: 7 },
  ])
    await refused(JSON.stringify(claims), provider.logout({ sub: 'ada', ...claims }));
  for (const alg of ['none', 'HS256']) await refused(alg, provider.logout({ sub: 'ada' }, alg));
  provider.signer = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  await refused('another key', provider.logout({ sub: 'ada' }));
  delete provider.signer;
  for (const text of ['', 'a', 'a.b.c']) await refused(text, text);
  expect((await fleet.call('POST', '/sign-in/openid/logout', '', { Authorization: '' })).status).toBe(400);
  expect((await fleet.call('POST', '/sign-in/openid/logout', 'a'.repeat(9000), { Authorization: '' })).status).toBe(
    413,
  );
  // The same one again, by whoever recorded it.
  const token = provider.logout({ sub: 'ada' });
  expect([(await tell(fleet, token)).status, await statuses(ada)]).toEqual([200, [401]]);
  const later = await visitorOf(fleet, provider, 'ada');
  expect([(await tell(fleet, token)).status, await statuses(later)]).toEqual([400, [200]]);
});

it('while the keys of the provider cannot be had, it is told to come again, and the same token ends the session then', async () => {
  const { provider, fleet } = await started();
  const ada = await visitorOf(fleet, provider, 'ada');
  const token = provider.logout({ sub: 'ada' });
  for (const hidden of [500, 404]) {
    provider.hidden = hidden;
    const { status, body, headers } = await tell(fleet, token);
    expect([status, body.error, Number(headers.get('retry-after')) > 0]).toEqual([503, 'busy', true]);
  }
  expect(await statuses(ada)).toEqual([200]);
  provider.hidden = 0;
  expect([(await tell(fleet, token)).status, await statuses(ada)]).toEqual([200, [401]]);
});

it('a sign-in that is under way when the provider signs the person out ends with it', async () => {
  const { provider, fleet } = await started();
  for (const claims of [{ sub: 'ada' }, { sid: 's1' }, { sub: 'ada', sid: 's1' }]) {
    provider.person = { sub: 'ada', email: 'ada@example.org', email_verified: true, sid: 's1' };
    let answer = () => {};
    provider.hangs = new Promise((resolve) => {
      answer = resolve;
    });
    const visitor = browser(fleet);
    const before = provider.exchanges.length;
    const comes = visitor.viaProvider();
    await until(() => provider.exchanges.length > before);
    expect((await tell(fleet, provider.logout(claims))).status).toBe(200);
    answer();
    delete provider.hangs;
    expect([claims, await comes, await statuses(visitor)]).toEqual([claims, '/?sign-in=failed', [401]]);
    expect(await statuses(await visitorOf(fleet, provider, 'ada', { sid: 's1' }))).toEqual([200]);
  }
});

it('tokens with the names of keys that are none have the keys asked for once a second', async () => {
  const { provider, fleet } = await started();
  const ada = await visitorOf(fleet, provider, 'ada');
  expect((await tell(fleet, provider.logout({ sub: 'eve' }))).status).toBe(200);
  const before = provider.keysAsked;
  const begun = performance.now();
  provider.nameless = true;
  const lies = await Promise.all(Array.from({ length: 10 }, () => tell(fleet, provider.logout({ sub: 'ada' }))));
  provider.nameless = false;
  expect(new Set(lies.map(({ status }) => status))).toEqual(new Set([400]));
  expect(provider.keysAsked - before).toBeLessThanOrEqual(2 + (performance.now() - begun) / 1000);
  expect([(await tell(fleet, provider.logout({ sub: 'ada' }))).status, await statuses(ada)]).toEqual([200, [401]]);
});

it('there is no such place where people have accounts here', async () => {
  const fleet = await fleetOn(await database());
  expect((await tell(fleet, 'a.b.c')).status).toBe(404);
});

it('whoever an owner removes is out with his next request, with the tokens that he made, however he came', async () => {
  const { provider, fleet } = await started();
  const [ada, eve] = [await visitorOf(fleet, provider, 'ada'), await visitorOf(fleet, provider, 'eve')];
  const made = { name: 'a', scope: 'read', days: 1 };
  const { token } = (await ada.go('POST', '/api/tokens', made)).body;
  const { token: ofMaster } = (await fleet.call('POST', '/api/tokens', made)).body;
  const read = async (bearer: string) =>
    (await fleet.call('GET', '/api/nodes', undefined, { Authorization: `Bearer ${bearer}` })).status;
  expect([await read(token), ...(await statuses(ada, eve))]).toEqual([200, 200, 200]);
  expect((await fleet.call('DELETE', '/api/people/ada@example.org')).status).toBe(204);
  expect([await read(token), await read(ofMaster), ...(await statuses(ada, eve))]).toEqual([401, 200, 401, 200]);
  const [entry] = (await fleet.call('GET', '/api/audit')).body.entries;
  expect(entry).toMatchObject({ what: 'person removed', detail: { before: { sessions: 1, tokens: 1 } } });
  for (const name of ['ada@example.org', 'nobody@example.org', 'token'])
    expect([name, (await fleet.call('DELETE', `/api/people/${name}`)).status]).toEqual([name, 404]);
  expect(await read(ofMaster)).toBe(200);
});
