/** The provider is asked about who made tokens, also where nobody opens the page. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { until } from '../node.ts';
import { browser } from './browser.ts';
import { databases, ENGINES, fleetOn, heartbeat } from './fleet.ts';
import { startProvider } from './provider.ts';
import { CLIENT, isIn, openidOf } from './signing-in.ts';

describe.skipIf(ENGINES.length < 2)('tokens of somebody whom a provider knows', () => {
  const database = databases(ENGINES.at(-1)!);
  const person = { sub: 'a', email: 'ada@example.org', email_verified: true };
  /** Two processes, and an owner who made a token at one of them. */
  const started = async (scope = 'read') => {
    const provider = Object.assign(await startProvider(CLIENT), { renews: true, person });
    const where = await database();
    const openid = openidOf(provider);
    const [fleet, other] = [await fleetOn(where, { openid }), await fleetOn(where, { openid })];
    const ada = browser(fleet);
    await ada.viaProvider();
    const { token } = (await ada.go('POST', '/api/tokens', { name: 'a', scope, days: 9 })).body;
    const tables = await openDatabase(where);
    onTestFinished(() => tables.close());
    const minutes = (many: number) =>
      tables.query(`UPDATE session SET asked_at = asked_at - interval '${many} minutes'`);
    const headers = { Authorization: `Bearer ${token}` };
    const read = async () =>
      Promise.all([fleet, other].map(async (at) => (await at.call('GET', '/api/nodes', undefined, headers)).status));
    return { provider, fleet, other, ada, tables, minutes, headers, read };
  };

  it('count no more within five minutes after it has removed him, whether his session is open, over or ended by hand', async () => {
    for (const end of ['open', 'over', 'by hand', 'told']) {
      const { provider, fleet, ada, tables, minutes, read } = await started();
      if (end === 'over') await tables.query("UPDATE session SET expires_at = now() - interval '1 hour'");
      if (end === 'by hand') await ada.go('DELETE', '/api/session');
      if (end !== 'open') {
        // Whoever signs in has what is over forgotten.
        provider.person = { ...person, sub: 'b', email: 'eve@example.org' };
        await browser(fleet).viaProvider();
        provider.person = person;
        expect([end, await isIn(ada)]).toEqual([end, end === 'told']);
      }
      await minutes(5);
      await until(async () => provider.exchanges.length > (end === 'open' ? 1 : 2));
      expect([end, await read()]).toEqual([end, [200, 200]]);
      provider.removed.add('a');
      if (end === 'told') {
        const token = `logout_token=${encodeURIComponent(provider.logout({ sub: 'a' }))}`;
        const form = { Authorization: '', 'Content-Type': 'application/x-www-form-urlencoded' };
        expect((await fleet.call('POST', '/sign-in/openid/logout', token, form)).status).toBe(200);
        expect(await isIn(ada)).toBe(false);
      } else await minutes(5);
      await until(async () => (await read()).every((status) => status === 401));
    }
  });

  it('take messages no more then, and count again once he signs in again', async () => {
    const { provider, fleet, other, ada, minutes, headers } = await started('ingest');
    let seq = 0;
    const beat = async () => {
      seq += 1;
      return Promise.all(
        [fleet, other].map(async (at, nth) => {
          const message = heartbeat({ node: `n${nth}`, seq });
          return (await at.call('POST', '/heartbeat', message, headers)).status;
        }),
      );
    };
    expect(await beat()).toEqual([204, 204]);
    provider.removed.add('a');
    await minutes(5);
    await until(async () => (await beat()).every((status) => status === 401));
    provider.removed.clear();
    await ada.viaProvider();
    await until(async () => (await beat()).every((status) => status === 204));
  });

  it('are asked about once in that time by all processes, his session goes on by what came, and nobody is asked about who made none', async () => {
    const { provider, fleet, ada, tables, minutes, read } = await started();
    provider.person = { ...person, sub: 'b', email: 'eve@example.org' };
    await browser(fleet).viaProvider();
    provider.person = person;
    for (const times of [3, 4]) {
      await minutes(5);
      await until(async () => provider.exchanges.length >= times);
      expect(await isIn(ada)).toBe(true);
    }
    expect([provider.exchanges.length, await read()]).toEqual([4, [200, 200]]);
    const kept = JSON.stringify(await tables.query('SELECT * FROM session'));
    for (const each of provider.exchanges.slice(2)) expect(kept).not.toContain(each.get('refresh_token'));
  });

  it('count on while the provider is away, and end as soon as it is there and knows him no more', async () => {
    const { provider, tables, minutes, read } = await started();
    await tables.query("UPDATE session SET expires_at = now() - interval '1 day', told_at = now() - interval '1 day'");
    provider.removed.add('a');
    provider.broken = 503;
    await minutes(5);
    await until(async () => provider.exchanges.length === 2);
    expect(await read()).toEqual([200, 200]);
    provider.broken = 0;
    await minutes(5);
    await until(async () => (await read()).every((status) => status === 401));
  });
});
