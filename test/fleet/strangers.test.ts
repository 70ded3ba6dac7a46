/** Strangers who ask for much: what they cost operators, the watch and the audit. */
import { get } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { Places } from '../../runtime/fleet/http/places.ts';
import { until } from '../node.ts';
import { browser } from './browser.ts';
import { databases, EITHER, ENGINES, fleetOn } from './fleet.ts';
import { startProvider } from './provider.ts';
import { upload } from './rollout.ts';
import { silent } from './silent.ts';

const PASSWORD = 'correct horse battery';
const CLIENT = { id: 'fleet', secret: 'client-secret' };
const SOMETHING = 'a'.repeat(43);
const head = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: fleet\r\n${more}\r\n`;
/** Asks from another address; resolves with the status. */
const elsewhere = (url: string, localAddress = '127.0.0.2') =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { agent: false, localAddress }, (response) => resolve(response.resume().statusCode)).once('error', reject);
  });

describe.skipIf(ENGINES.length < 2)('beside hundreds of connections of one address', () => {
  const database = databases(ENGINES.at(-1)!);

  it.each([
    ['ask for a session without any token', head('/api/session')],
    ['show a token that is none', head('/api/nodes', `Authorization: Bearer ${SOMETHING}\r\n`)],
    ['show the cookie of no session', head('/api/nodes', `Cookie: tillnode-fleet=${SOMETHING}\r\n`)],
  ])('that %s operators are answered, and the watch goes on', async (_what, sent) => {
    const where = await database();
    const fleet = await fleetOn(where);
    const on = await openDatabase(where);
    onTestFinished(() => on.close());
    await on.transaction(async (holds) => {
      // Each question takes as long as this lasts.
      await holds.query('LOCK TABLE person, session, api_token IN ACCESS EXCLUSIVE MODE');
      await silent(fleet, 300, sent);
      const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM%'";
      await until(async () => (await on.query(waits)).length > 0);
      for (let at = 0; at < 20; at += 1) expect((await fleet.call('GET', '/api/nodes')).status).toBe(200);
      const [{ now } = {}] = await on.query<{ now: Date }>('SELECT clock_timestamp() AS now');
      await until(
        async () => (await on.query('SELECT FROM duty WHERE done_at > $1', [now?.toISOString() ?? ''])).length > 0,
      );
      await holds.query('SELECT 1');
    });
  });
});

describe.skipIf(ENGINES.length < 2)('beside a hundred lists of one program', () => {
  const database = databases(ENGINES.at(-1)!);

  it('that take long, others read, and change what they want', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    const on = await openDatabase(where);
    onTestFinished(() => on.close());
    const { body } = await fleet.call('POST', '/api/tokens', { name: 'lists', scope: 'read', days: 1 });
    await on.transaction(async (holds) => {
      // Each list takes as long as this lasts.
      await holds.query('LOCK TABLE listed IN ACCESS EXCLUSIVE MODE');
      await silent(fleet, 100, head('/api/nodes?filter=bar', `Authorization: Bearer ${body.token}\r\n`));
      const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%listed%'";
      await until(async () => (await on.query(waits)).length === 3);
      for (let at = 0; at < 20; at += 1) {
        expect((await fleet.call('GET', '/api/rollouts')).status).toBe(200);
        expect((await fleet.call('PUT', '/api/settings', { keepDays: 3 + at })).status).toBe(200);
      }
      expect(await on.query(waits)).toHaveLength(3);
    });
  });
});

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('who asks for images that are not there, and waits for his turn, keeps no node from one that is', async () => {
    const fleet = await fleetOn(await database());
    const { sha256 } = (await upload(fleet)).body;
    const strangers = Array.from({ length: 16 }, (_, at) => `127.0.5.${at + 1}`);
    // What is wrong has 100 turns of an address, and then 20 a second: what comes behind these waits for two seconds.
    const wrong = (address: string) => Array.from({ length: 140 }, () => elsewhere(`${fleet.url}/nothing`, address));
    const asked = strangers.flatMap(wrong);
    await Promise.any(asked);
    const image = `${fleet.url}/firmware/${'0'.repeat(64)}`;
    asked.push(...strangers.flatMap((address) => Array.from({ length: 4 }, () => elsewhere(image, address))));
    // All of them are there by then.
    for (let at = 0; at < 3; at += 1) expect((await fleet.call('GET', '/api/nodes')).status).toBe(200);
    expect(await elsewhere(`${fleet.url}/firmware/${sha256}`, '127.0.9.9')).toBe(200);
    await fleet.stop();
    await Promise.allSettled(asked);
  });

  it.each([
    ['a session', '/api/session', ''],
    ['the way to the provider', '/sign-in/openid', ''],
    ['the way back', '/sign-in/openid/back?code=a&state=a', 'Cookie: tillnode-fleet-openid=a.b.c\r\n'],
  ])('who asks again and again for %s is answered later, and nobody elsewhere is', async (_what, path, more) => {
    const provider = await startProvider(CLIENT);
    const openid = { issuer: provider.issuer, client: CLIENT.id, secret: CLIENT.secret, people: ['*'] };
    const fleet = await fleetOn(await database(), { openid, report: () => {} });
    const many = 400;
    const { said, open } = await silent(fleet, many, head(path, more));
    await until(() => said.length >= 100 && (more === '' || provider.exchanges.length >= 50));
    expect(await elsewhere(`${fleet.url}${path}`)).toBe(path === '/api/session' ? 200 : 302);
    expect(said.length).toBeLessThan(many);
    expect(open()).toBe(many);
    // Who is somebody waits for none of it.
    expect((await fleet.call('GET', '/api/session')).body.name).toBe('token');
  });

  it('who goes before it is his turn is not waited for', async () => {
    const provider = await startProvider(CLIENT);
    const openid = { issuer: provider.issuer, client: CLIENT.id, secret: CLIENT.secret, people: ['*'] };
    const fleet = await fleetOn(await database(), { openid, report: () => {} });
    let release = () => {};
    provider.hangs = new Promise((resolve) => {
      release = resolve;
    });
    const back = head('/sign-in/openid/back?code=a&state=a', 'Cookie: tillnode-fleet-openid=a.b.c\r\n');
    const { leave, open } = await silent(fleet, 50, back);
    await until(() => provider.exchanges.length === 2);
    expect(open()).toBe(50);
    leave();
    const visitor = browser(fleet);
    const way = visitor.viaProvider();
    await until(() => provider.asked.length === 1);
    release();
    expect(await way).toBe('/');
    expect(provider.exchanges).toHaveLength(3);
  });

  it('guesses of however many accounts from however many addresses write a few entries into the audit', async () => {
    const fleet = await fleetOn(await database(), { behindProxy: true });
    await fleet.call('PUT', '/api/people/ada', { role: 'viewer', password: PASSWORD });
    for (let address = 0; address < 9; address += 1) {
      const visitor = browser(fleet, { 'X-Forwarded-For': `192.0.2.${address}` });
      for (let at = 0; at < 11; at += 1)
        await visitor.go('POST', '/api/session', { name: 'ada', password: `wrong horse battery` });
    }
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    const blocked = entries.filter(({ what }: { what: string }) => what === 'sign-in blocked');
    expect(blocked.map(({ subject }: { subject: string }) => subject)).toEqual([
      'of more accounts or addresses',
      ...[4, 3, 2, 1, 0].map((address) => `ada 192.0.2.${address}`),
    ]);
  });
});

const onServer = databases(ENGINES.at(-1)!);

it.skipIf(ENGINES.length < 2)(
  'a provider that hangs holds up whose session it is asked about, and no stranger',
  async () => {
    const provider = await startProvider(CLIENT);
    provider.renews = true;
    const openid = { issuer: provider.issuer, client: CLIENT.id, secret: CLIENT.secret, people: ['*'] };
    const where = await onServer();
    const fleet = await fleetOn(where, { openid });
    const on = await openDatabase(where);
    onTestFinished(() => on.close());
    const people = [browser(fleet), browser(fleet)];
    for (const person of people) await person.viaProvider();
    await on.query("UPDATE session SET asked_at = asked_at - interval '6 minutes'");
    let release = () => {};
    provider.hangs = new Promise((resolve) => {
      release = resolve;
    });
    let waiting = people.length;
    const asking = people.map(async (person) => {
      const { status } = await person.go('GET', '/api/session');
      waiting -= 1;
      return status;
    });
    await until(() => provider.exchanges.length === 2 * people.length);
    for (const Cookie of ['', `tillnode-fleet=${SOMETHING}`])
      expect((await fleet.call('GET', '/api/session', undefined, { Authorization: '', Cookie })).body.role).toBe(null);
    expect(waiting).toBe(people.length);
    release();
    expect(await Promise.all(asking)).toEqual([200, 200]);
  },
);

const from = (ip: string) => ({ ip, socket: { destroyed: false } });

it('who has gone has no turn, and of one address a hundred wait', async () => {
  const places = new Places(1, 1);
  const ends: (() => void)[] = [];
  let worked = 0;
  void places.within(from('192.0.2.1'), () => new Promise<void>((resolve) => ends.push(resolve)));
  const askers = Array.from({ length: 150 }, () => from('192.0.2.1'));
  const waiting = askers.map((asker) =>
    places.within(asker, async () => {
      worked += 1;
    }),
  );
  const crowd = await Promise.allSettled(waiting.slice(100));
  expect(crowd.filter(({ status }) => status === 'rejected')).toHaveLength(50);
  for (const { socket } of askers.slice(0, 90)) socket.destroyed = true;
  const later = places.within(from('192.0.2.1'), async () => worked);
  for (const end of ends) end();
  const left = await Promise.allSettled(waiting.slice(0, 100));
  expect(left.filter(({ status }) => status === 'rejected')).toHaveLength(90);
  expect(await later).toBe(10);
});

it('places are given to addresses in turn, a few to one, and to who was right at once', async () => {
  const places = new Places(3, 2);
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const come = (address: string, name: string) =>
    void places.within(from(address), () => {
      order.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const leave = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (const name of ['a1', 'a2', 'a3', 'a4']) come('192.0.2.1', name);
  for (const name of ['b1', 'b2']) come('192.0.2.2', name);
  come('192.0.2.3', 'c1');
  await leave('');
  expect(order).toEqual(['a1', 'a2', 'b1']);
  await leave('a1');
  expect(order.slice(3)).toEqual(['a3']);
  await leave('b1');
  expect(order.slice(4)).toEqual(['b2']);
  await leave('a2');
  expect(order.slice(5)).toEqual(['c1']);
  // All places are taken; who is known needs none.
  const known = new Places(1, 1);
  const ask = (answer: string | undefined) => known.ofShown(from('192.0.2.1'), 'token', async () => answer);
  expect(await ask('ada')).toBe('ada');
  void known.within(from('192.0.2.1'), () => new Promise(() => {}));
  expect(await ask('ada')).toBe('ada');
  expect(await ask(undefined)).toBeUndefined();
  const again = ask('ada').then(() => 'answered');
  expect(await Promise.race([again, leave('').then(() => 'waits')])).toBe('waits');
});
