/** Shops and names: what operators say of nodes, and how lists are filtered by it. */
import { describe, expect, it } from 'vitest';
import { isWithin, spansOf } from '../../runtime/fleet/sites/hours.ts';
import { answer, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { databases, EITHER, ENGINES, fleetOn, heartbeat, printer, type RunningFleet } from './fleet.ts';

const idsOf = async (fleet: RunningFleet, filter: string): Promise<string> => {
  const { body } = await fleet.call('GET', `/api/nodes?${new URLSearchParams({ filter })}`);
  return body.error ?? body.nodes.map(({ id }: { id: string }) => id).join(' ');
};
const one = databases(EITHER[0]!);
const audit = async (fleet: RunningFleet) => (await fleet.call('GET', '/api/audit')).body.entries;

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('a node has the name it calls itself by, until an operator gives it another', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat({ name: 'Till 1' }));
    const node = async () => (await fleet.call('GET', '/api/nodes/0a1b2c3d')).body;
    expect(await node()).toMatchObject({ name: 'Till 1', site: null, tags: [], notes: '' });
    const put = { name: 'Bar', site: 'Graben 7', tags: ['pilot'], notes: 'behind the door' };
    expect((await fleet.call('PUT', '/api/nodes/0a1b2c3d', put)).body).toMatchObject({ ...put, saidName: 'Till 1' });
    await fleet.beat(heartbeat({ seq: 2, name: 'Till 2' }));
    expect(await node()).toMatchObject({ ...put, saidName: 'Till 2' });
    expect((await fleet.call('PUT', '/api/nodes/0a1b2c3d', { name: null })).body.name).toBe('Till 2');
    for (const wrong of [{ name: '' }, { name: ' a' }, { site: 'a\u0007b' }, { tags: ['a b'] }, { mutedUntil: 'now' }])
      expect((await fleet.call('PUT', '/api/nodes/0a1b2c3d', wrong)).status, JSON.stringify(wrong)).toBe(422);
    expect((await fleet.call('PUT', '/api/nodes/0a1b2c3d', { mutedUntil: '2026-99-99T00:00:00Z' })).status).toBe(422);
    expect((await fleet.call('PUT', '/api/nodes/nobody', put)).status).toBe(404);
    expect(await node()).toMatchObject({ site: 'Graben 7', mutedUntil: null });
    const [first] = (await audit(fleet)).filter(({ what }: { what: string }) => what === 'node changed').reverse();
    expect(first).toMatchObject({ who: 'token', subject: '0a1b2c3d' });
    expect(first.detail).toEqual({ before: { name: null, site: null, tags: [], notes: '' }, after: put });
  });

  it('one language filters by what nodes are and what was said of them', async () => {
    const fleet = await fleetOn(await database());
    const nodes = { a1: 'Vienna, Graben 7', a2: 'Vienna, Ring', b1: 'Graz', c1: '' };
    for (const [node, site] of Object.entries(nodes)) {
      const version = node === 'a2' ? '0.10.0' : '0.2.0';
      await fleet.beat(heartbeat({ node, firmwareVersion: version, name: `Kasse ${node}` }));
      if (site !== '')
        await fleet.call('PUT', `/api/nodes/${node}`, { site, tags: [site[0] === 'V' ? 'at.w' : 'at.g'] });
    }
    await fleet.call('PUT', '/api/nodes/b1', { mutedUntil: '2100-01-01T00:00:00Z' });
    for (const [filter, ids] of Object.entries({
      '': 'a1 a2 b1 c1',
      'site:Graz': 'b1',
      'site:graz': '',
      'site:"Vienna, Graben 7"': 'a1',
      'site:"Vienna, Graben 7",Graz': 'a1 b1',
      'site:Vienna*': 'a1 a2',
      'site:""': 'c1',
      '-site:""': 'a1 a2 b1',
      'site:V_enna*': '',
      '-site:Vienna*': 'b1 c1',
      'site:*': 'a1 a2 b1 c1',
      'tag:at.w version:0.2.0': 'a1',
      'tag:at.*': 'a1 a2 b1',
      '-tag:*': 'c1',
      'version:<0.10.0': 'a1 b1 c1',
      'version:>=0.10.0': 'a2',
      'muted:yes': 'b1',
      '-muted:yes -tag:at.w': 'c1',
      'KASSE -graben': 'a2 b1 c1',
      'name:"Kasse a*"': 'a1 a2',
      '-name:"Kasse a*"': 'b1 c1',
      'state:fine variant:wifi': 'a1 a2 b1 c1',
      'state:offline,no_paper': '',
      'id:a1,c1': 'a1 c1',
      'Site:Graz': 'b1',
      '-SITE:Graz': 'a1 a2 c1',
      '"site:Graz"': '',
      '"fe::1"': '',
      "x' OR true --": '',
    }))
      expect([filter, await idsOf(fleet, filter)]).toEqual([filter, ids]);
    for (const wrong of [
      'color:red',
      'state:tired',
      'version:<x',
      'muted:maybe',
      'site:',
      'a"b',
      'constructor:a',
      'Color:red',
      'fe::1',
      '--tag:at.w',
    ])
      expect([wrong, await idsOf(fleet, wrong)]).toEqual([wrong, 'invalid_request']);
    expect(await idsOf(fleet, 'a '.repeat(33))).toBe('invalid_request');
    const summary = (await fleet.call('GET', '/api/summary?filter=tag:at.w')).body;
    expect(summary).toMatchObject({ total: 2, versions: [{ version: '0.10.0' }, { version: '0.2.0' }] });
  });

  it('sites are filtered by their nodes: one of them fits all terms, and none what stands behind a minus', async () => {
    const fleet = await fleetOn(await database());
    await fleet.call('PUT', '/api/settings', { rules: { no_paper: { afterSeconds: 0 } } });
    const nodes = { a1: 'Graz', a2: 'Graz', b1: 'Vienna, Ring', c1: 'Wels', d1: '' };
    for (const [node, site] of Object.entries(nodes)) {
      const printers = [printer({ paperOut: node === 'a1' })];
      await fleet.beat(heartbeat({ node, printers, firmwareVersion: node === 'a2' ? '0.3.0' : '0.2.0' }));
      if (site !== '') await fleet.call('PUT', `/api/nodes/${node}`, { site, tags: node === 'c1' ? [] : ['at.s'] });
    }
    await fleet.call('PUT', '/api/sites/Linz', { notes: 'begins in May' });
    await until(async () => (await fleet.call('GET', '/api/nodes?filter=state:no_paper')).body.total === 1);
    const sitesOf = async (filter: string, more = {}) => {
      const { body } = await fleet.call('GET', `/api/sites?${new URLSearchParams({ filter, ...more })}`);
      return body.error ?? `${body.sites.map(({ name }: { name: string }) => name).join(' | ')} of ${body.total}`;
    };
    for (const [filter, sites] of Object.entries({
      '': 'Graz | Linz | Vienna, Ring | Wels of 4',
      'site:Graz,Linz': 'Graz | Linz of 2',
      'site:"Vienna, Ring"': 'Vienna, Ring of 1',
      'site:*n*': 'Linz | Vienna, Ring of 2',
      'site:""': ' of 0',
      GRAZ: 'Graz of 1',
      lin: 'Linz of 1',
      '-lin': 'Graz | Vienna, Ring | Wels of 3',
      'state:no_paper': 'Graz of 1',
      '-state:no_paper': 'Linz | Vienna, Ring | Wels of 3',
      // Not of one node both.
      'state:no_paper version:0.3.0': ' of 0',
      'state:fine version:0.3.0': 'Graz of 1',
      'version:<0.3.0': 'Graz | Vienna, Ring | Wels of 3',
      'version:<0.3.0 -version:0.3.0': 'Vienna, Ring | Wels of 2',
      'version:<0.3.0 -version:0.3.0 -tag:at.s': 'Wels of 1',
      'tag:at.*': 'Graz | Vienna, Ring of 2',
      '-tag:at.s': 'Linz | Wels of 2',
      'id:a1,c1': 'Graz | Wels of 2',
      '-variant:*': 'Linz of 1',
      'muted:yes': ' of 0',
      "x' OR true --": ' of 0',
    }))
      expect([filter, await sitesOf(filter)]).toEqual([filter, sites]);
    for (const wrong of ['color:red', 'state:tired', 'open:yes', 'fe::1', 'a '.repeat(33)])
      expect([wrong, await sitesOf(wrong)]).toEqual([wrong, 'invalid_request']);
    expect(await sitesOf('tag:at.*', { search: 'ring' })).toBe('Vienna, Ring of 1');
    expect(await sitesOf('-id:b1', { limit: 1, after: 'Graz' })).toBe('Linz of 3');
    expect(await sitesOf('-id:b1', { limit: 1, offset: 2 })).toBe('Wels of 3');
    // What is counted of a site is of all its nodes, whatever the filter.
    const [graz] = (await fleet.call('GET', '/api/sites?filter=version:0.3.0')).body.sites;
    expect(graz).toMatchObject({ name: 'Graz', nodes: 2, states: { no_paper: 1 } });
  });

  it('no name is a step of a path, which would never get to what it names', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat());
    for (const name of ['.', '..']) {
      expect((await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: name })).status).toBe(422);
      expect((await fleet.beat(heartbeat({ node: name }))).status).toBe(422);
    }
    expect((await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: '...' })).status).toBe(200);
    expect((await fleet.call('PUT', '/api/sites/...', { name: '..' })).status).toBe(422);
  });

  it('a site has hours, and its nodes counted by state; it follows a new name, and goes once it is empty', async () => {
    const fleet = await fleetOn(await database());
    await fleet.call('PUT', '/api/settings', { rules: { no_paper: { afterSeconds: 0 } } });
    await fleet.beat(heartbeat({ printers: [printer({ paperOut: true })] }));
    await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: 'A/B 1' });
    await until(async () => (await fleet.call('GET', '/api/sites')).body.sites[0].states.no_paper === 1);
    const hours = 'Mo-Fr 08:00-20:00; Sa 09:00-13:00';
    const put = await fleet.call('PUT', '/api/sites/A%2FB%201', { zone: 'Europe/Vienna', hours, name: 'Graz' });
    expect(put.body).toMatchObject({ name: 'Graz', zone: 'Europe/Vienna', hours, notes: '', nodes: 1 });
    expect(await idsOf(fleet, 'site:Graz')).toBe('0a1b2c3d');
    expect((await fleet.call('GET', '/api/sites?search=gra')).body).toMatchObject({ total: 1, sites: [{ nodes: 1 }] });
    for (const wrong of [
      { zone: 'Mars/X' },
      { hours: 'always' },
      { hours: 'MoTu 08:00-20:00' },
      { hours: 'Mo 25:00-26:00' },
      { name: 'a\nb' },
    ])
      expect((await fleet.call('PUT', '/api/sites/Graz', wrong)).status, JSON.stringify(wrong)).toBe(422);
    for (const wrong of ['a\nb', ' a', 'a"b', '\u202ea', 'a'.repeat(65)])
      expect((await fleet.call('PUT', `/api/sites/${encodeURIComponent(wrong)}`, {})).status, wrong).toBe(422);
    expect((await fleet.call('DELETE', '/api/sites/Graz')).body).toMatchObject({ error: 'conflict' });
    await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: null });
    expect((await fleet.call('DELETE', '/api/sites/Graz')).status).toBe(204);
    expect((await fleet.call('GET', '/api/sites')).body).toEqual({ sites: [], total: 0 });
    expect((await fleet.call('GET', '/api/sites/Graz')).status).toBe(404);
  });

  it('a new box takes over name, site and tags of one that is forgotten; one that is deleted comes back as a stranger', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat({ name: 'Bar', custodyHold: true }));
    await fleet.beat(heartbeat({ node: 'new', name: 'node-new' }));
    await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: 'Graz', tags: ['pilot'] });
    await until(async () => (await fleet.call('GET', '/api/alerts?open=true')).body.total === 1);
    const { status, body } = await fleet.call('POST', '/api/nodes/0a1b2c3d/replace', { by: 'new' });
    expect([status, body]).toMatchObject([200, { id: 'new', name: 'Bar', site: 'Graz', tags: ['pilot'] }]);
    expect(await idsOf(fleet, '')).toBe('new');
    await until(async () => (await fleet.call('GET', '/api/alerts?open=true')).body.total === 0);
    await fleet.beat(heartbeat({ node: 'bare' }));
    const kept = await fleet.call('POST', '/api/nodes/bare/replace', { by: 'new' });
    expect(kept.body).toMatchObject({ id: 'new', name: 'Bar', site: 'Graz', tags: ['pilot'] });
    expect((await fleet.call('POST', '/api/nodes/new/replace', { by: 'nobody' })).status).toBe(404);
    expect((await fleet.call('DELETE', '/api/nodes/new')).status).toBe(204);
    expect((await fleet.call('DELETE', '/api/nodes/new')).status).toBe(404);
    await fleet.beat(heartbeat({ node: 'new', seq: 2 }));
    expect((await fleet.call('GET', '/api/nodes/new')).body).toMatchObject({ name: '', site: null, heartbeats: 1 });
  });
});

describe('alerts of shops', () => {
  // One engine tells: the SQL is the same, and a look takes two seconds.
  const database = databases(EITHER[0]);

  it('tell nobody that a shop is offline that is closed, nor in the time of the rule after it opened', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat());
    await fleet.beat(heartbeat({ node: 'other' }));
    await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: 'Graz' });
    await fleet.call('PUT', '/api/sites/Graz', { hours: 'Mo-Su off' });
    await until(async () => (await fleet.call('GET', '/api/sites/Graz')).body.open === false);
    await fleet.call('PUT', '/api/settings', { rules: { offline: { afterSeconds: 2 } } });
    await until(async () => (await fleet.call('GET', '/api/alerts')).body.total === 1);
    await until(async () => (await idsOf(fleet, 'state:offline')) === '0a1b2c3d other');
    const subjects = async () =>
      (await fleet.call('GET', '/api/alerts')).body.alerts.map((each: { subject: string }) => each.subject);
    expect(await subjects()).toEqual(['other']);
    const opened = Date.now();
    await fleet.call('PUT', '/api/sites/Graz', { hours: '' });
    await until(async () => (await subjects()).length === 2);
    const { alerts } = (await fleet.call('GET', '/api/alerts?filter=site:Graz')).body;
    expect(alerts).toMatchObject([{ rule: 'offline', subject: '0a1b2c3d', site: 'Graz', name: '' }]);
    // PostgreSQL in the process has the clock of the test.
    expect(Date.parse(alerts[0].began) - opened).toBeGreaterThanOrEqual(2000);
  });

  it('tell nobody of a muted node, and show who looks after it', async () => {
    const receiver = await startReceiver(answer(204));
    const fleet = await fleetOn(await database());
    await fleet.call('PUT', '/api/settings', { alerts: { webhook: { url: receiver.url, secret: 's' } } });
    await fleet.beat(heartbeat({ name: 'Bar', custodyHold: true }));
    await until(() => receiver.received.length === 1);
    expect(JSON.parse(receiver.received[0]?.body ?? '').begun).toMatchObject([{ name: 'Bar', site: null }]);
    const { status, body } = await fleet.call('POST', '/api/alerts/1/acknowledge');
    expect([status, body.acknowledgedBy]).toEqual([200, 'token']);
    expect((await fleet.call('GET', '/api/alerts?acknowledged=false')).body.total).toBe(0);
    expect((await fleet.call('POST', '/api/alerts/2/acknowledge')).status).toBe(404);
    await fleet.call('PUT', '/api/nodes/0a1b2c3d', { mutedUntil: '2100-01-01T00:00:00Z' });
    await until(async () => (await fleet.call('GET', '/api/alerts?open=true')).body.total === 0);
    await fleet.beat(heartbeat({ node: 'other', custodyHold: true }));
    await until(async () => (await fleet.call('GET', '/api/alerts?open=true')).body.total === 1);
    expect((await fleet.call('GET', '/api/alerts?subject=0a1b2c3d')).body.total).toBe(1);
    await fleet.call('PUT', '/api/nodes/0a1b2c3d', { mutedUntil: null });
    await until(async () => (await fleet.call('GET', '/api/alerts?subject=0a1b2c3d')).body.total === 2);
  });
});

it.each(['delete', 'replace'])(
  'the alert of a node that goes (%s) ends with the name and site that it began with',
  async (way) => {
    const receiver = await startReceiver(answer(204));
    const fleet = await fleetOn(await one());
    await fleet.call('PUT', '/api/settings', { alerts: { webhook: { url: receiver.url, secret: 's' } } });
    await fleet.beat(heartbeat({ name: 'Bar', custodyHold: true }));
    await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: 'Graz' });
    await fleet.beat(heartbeat({ node: 'other' }));
    await until(() => receiver.received.length === 1);
    if (way === 'delete') await fleet.call('DELETE', '/api/nodes/0a1b2c3d');
    else await fleet.call('POST', '/api/nodes/0a1b2c3d/replace', { by: 'other' });
    await until(() => receiver.received.length === 2);
    const told = { subject: '0a1b2c3d', name: 'Bar', site: 'Graz' };
    expect(JSON.parse(receiver.received[1]?.body ?? '').ended).toMatchObject([told]);
    expect((await fleet.call('GET', '/api/alerts')).body.alerts).toMatchObject([told]);
  },
);

describe.each(ENGINES)('on %s', (engine) => {
  const own = databases(engine);

  it('a zone is one that the database knows as well, by the same name and with the same hours', async () => {
    const where = await own();
    const fleet = await fleetOn(where);
    await fleet.beat(heartbeat());
    const put = async (zone: string) => (await fleet.call('PUT', '/api/sites/Graz', { zone })).status;
    await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: 'Graz' });
    // Node takes all of these; PostgreSQL does not know the first ones, and has another clock for the rest.
    for (const zone of ['ACT', 'NST', 'IST', 'CET', 'EST', '+02:00'])
      expect([zone, await put(zone)]).toEqual([zone, 422]);
    for (const zone of [
      'Europe/Vienna',
      'Asia/Kolkata',
      'UTC',
      'Etc/GMT-3',
      'Africa/Casablanca',
      'America/Argentina/Buenos_Aires',
    ]) {
      expect([zone, await put(zone)]).toEqual([zone, 200]);
      expect((await fleet.call('GET', '/api/nodes/0a1b2c3d/days')).status).toBe(200);
    }
  });
});

it('hours of a week are read as OpenStreetMap writes them, by the clocks of their zone', () => {
  const at = (time: string) => new Date(time);
  for (const [hours, zone, time, within] of [
    ['', 'UTC', '2026-11-26T03:00Z', true],
    ['24/7', 'UTC', '2026-11-26T03:00Z', true],
    ['Mo-Fr 08:00-20:00', 'Europe/Vienna', '2026-11-26T07:00Z', true],
    ['Mo-Fr 08:00-20:00', 'UTC', '2026-11-26T07:59Z', false],
    ['Mo-Fr 08:00-20:00', 'UTC', '2026-11-26T20:00Z', false],
    ['Mo-Fr 08:00-20:00', 'UTC', '2026-11-28T10:00Z', false],
    ['08:00-12:00,13:00-20:00', 'UTC', '2026-11-28T12:30Z', false],
    ['Mo-Su 08:00-20:00; We,Th off', 'UTC', '2026-11-26T12:00Z', false],
    ['Sa-Mo 08:00-20:00', 'UTC', '2026-11-30T12:00Z', true],
    ['Su 18:00-02:00', 'UTC', '2026-11-30T01:59Z', true],
    ['Su 18:00-02:00', 'UTC', '2026-11-29T01:00Z', false],
    ['Fr 00:00-24:00', 'UTC', '2026-11-27T23:59Z', true],
  ] as const)
    expect([hours, time, isWithin(hours, zone, at(time))]).toEqual([hours, time, within]);
  for (const wrong of ['x', 'Mo', 'Mo 8-20', 'Mo 24:01-25:00', 'Mo-Fr', '08:00-', 'Xx 08:00-09:00', 'Mo 30:00-31:00'])
    expect([wrong, spansOf(wrong)]).toEqual([wrong, undefined]);
  // Days of which none would be meant.
  for (const days of ['MoTu', 'Mo-FrSa', 'MoTuWeThFrSaSu', 'Mo-Tu-We', 'Mo,TuWe', ',Mo', 'Mo,,Tu', ',', 'Mo-', 'mo-fr'])
    for (const hours of [`${days} 08:00-20:00`, `Sa 08:00-12:00; ${days} off`])
      expect([hours, spansOf(hours)]).toEqual([hours, undefined]);
  for (const hours of ['Mo,Tu-Th,Su 08:00-20:00', 'Mo-Fr, 08:00-20:00', 'off', 'Mo-Su off; Sa 08:00-09:00'])
    expect([hours, spansOf(hours)]).toEqual([hours, expect.any(Array)]);
});
