/** The nodes that are offered an image, and when: waves by filter, site and hours, and what people do to a rollout. */
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { secondsUntil } from '../../runtime/fleet/sites/hours.ts';
import { until } from '../node.ts';
import { databases, EITHER, fleetOn, heartbeat, type RunningFleet } from './fleet.ts';
import { begin, hasListened, ids, node, rollout, upload } from './rollout.ts';

/** Hours of each day, from so many hours after this one, by the clocks of UTC. */
const hoursFrom = (from: number, to: number) => {
  const at = (hours: number) => `${String((new Date().getUTCHours() + hours + 24) % 24).padStart(2, '0')}:00`;
  return `${at(from)}-${at(to)}`;
};
const OPEN = () => hoursFrom(-1, 2);
const LATER = () => hoursFrom(3, 6);

const groupsOf = async (fleet: RunningFleet, id = 1) => {
  const { nodes } = (await fleet.call('GET', `/api/rollouts/${id}/nodes`)).body;
  return Object.fromEntries(nodes.map((each: { node: string; group: number }) => [each.node, each.group]));
};
const act = (fleet: RunningFleet, what: string, body: object = {}) =>
  fleet.call('POST', `/api/rollouts/1/${what}`, body);
const stuck = async (fleet: RunningFleet) =>
  (await fleet.call('GET', '/api/alerts?open=true&rule=rollout_stuck')).body.alerts;

/** Two looks of the watch are over: one saw a state begin, the next one saw it end. */
const looks = async (fleet: RunningFleet) => {
  looked += 1;
  const id = `looked-${looked}`;
  await fleet.beat(heartbeat({ node: id, variant: 'other', custodyHold: true }));
  const told = async () => (await fleet.call('GET', `/api/alerts?subject=${id}`)).body.total;
  await until(async () => (await told()) === 1);
  await fleet.beat(heartbeat({ node: id, variant: 'other', seq: 2 }));
  await until(async () => (await fleet.call('GET', `/api/alerts?open=true&subject=${id}`)).body.total === 0);
};
let looked = 0;

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('groups are filters and numbers in turn; who fits several is in the first, and who fits none in the last', async () => {
    const fleet = await fleetOn(await database());
    for (const id of ids(10)) await fleet.beat(heartbeat({ node: id }));
    await fleet.call('PUT', '/api/nodes/node-003', { tags: ['pilot'], site: 'Graz' });
    for (const id of ['node-004', 'node-005']) await fleet.call('PUT', `/api/nodes/${id}`, { site: 'Graz' });
    await upload(fleet);
    for (const groups of [['tag:pilot'], ['10 %', '100%'], ['color:red', '100%'], ['site:', '100%'], ['', '100%']])
      expect([groups, (await begin(fleet, { groups })).error]).toEqual([groups, 'invalid_request']);
    // Of a word that nobody has, all would be the first who run it.
    for (const first of ['tag:pilto', '-id:node*', 'state:offline', '0%'])
      expect(await begin(fleet, { groups: [first, '100%'] })).toMatchObject({
        error: 'invalid_request',
        detail: `groups: no node that lacks the version is in the first one, ${JSON.stringify(first)}`,
      });
    const begun = await begin(fleet, { groups: ['tag:pilot', 'site:"Graz",Linz', '50%', '100%'] });
    expect(begun.groups.map(({ size }: { size: number }) => size)).toEqual([1, 2, 2, 5]);
    expect(await groupsOf(fleet, begun.id)).toMatchObject({ 'node-003': 0, 'node-004': 1, 'node-005': 1 });
    expect((await node(fleet, 'node-003').offer()).status).toBe(200);
    expect((await node(fleet, 'node-004').offer()).status).toBe(204);
  });

  it('a group by number takes all nodes of a site together where that is asked for', async () => {
    const fleet = await fleetOn(await database());
    for (const [at, id] of ids(12).entries()) {
      await fleet.beat(heartbeat({ node: id }));
      await fleet.call('PUT', `/api/nodes/${id}`, { site: `site-${at % 3}` });
    }
    await upload(fleet);
    const begun = await begin(fleet, { groups: ['1', '50%', '100%'], bySite: true });
    expect(begun.groups.map(({ size }: { size: number }) => size)).toEqual([4, 4, 4]);
    const groups = await groupsOf(fleet);
    for (const [at, id] of ids(12).entries()) expect(groups[id]).toBe(groups[`node-00${at % 3}`]);
  });

  it('an image is offered within the window of its site alone, and a node is told when to ask again', async () => {
    const fleet = await fleetOn(await database());
    const [a, b] = [node(fleet, 'a'), node(fleet, 'b')];
    for (const each of [a, b]) await each.beat();
    await upload(fleet);
    for (const window of ['open', '25:00-26:00', 'Closed'])
      expect([window, (await begin(fleet, { window })).error]).toEqual([window, 'invalid_request']);
    await begin(fleet, { groups: ['100%'], window: LATER() });
    const early = await a.offer();
    expect(early.status).toBe(204);
    const wait = Number(early.headers.get('retry-after'));
    expect([wait > 2 * 3600 - 1, wait <= 3 * 3600]).toEqual([true, true]);
    expect((await rollout(fleet)).groups[0]).toMatchObject({ waiting: 2, silent: 1 });
    await act(fleet, 'stop');
    await begin(fleet, { groups: ['100%'], window: OPEN() });
    expect((await a.offer()).status).toBe(200);

    // Three hours ahead of the fleet, it is behind the window.
    await fleet.call('PUT', '/api/sites/Far', { zone: 'Etc/GMT-3' });
    await fleet.call('PUT', '/api/nodes/b', { site: 'Far' });
    expect((await b.offer()).status).toBe(204);
  });

  it('an image may wait for a site to close, also when it is the version of all', async () => {
    const fleet = await fleetOn(await database());
    const at = async (id: string, hours?: string) => {
      await fleet.beat(heartbeat({ node: id }));
      if (hours === undefined) return;
      await fleet.call('PUT', `/api/sites/of-${id}`, { hours });
      await fleet.call('PUT', `/api/nodes/${id}`, { site: `of-${id}` });
    };
    await at('open', OPEN());
    await at('shut', LATER());
    await at('always', '24/7');
    await at('unknown');
    await upload(fleet);
    await begin(fleet, { groups: ['id:shut', '100%'], window: 'closed', healthyAfterSeconds: 0 });
    const shut = node(fleet, 'shut');
    await shut.update((await shut.offer()).body);
    await shut.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).openGroup === 1);
    const statuses = async () => {
      const answers = await Promise.all(['open', 'always', 'unknown'].map((id) => node(fleet, id).offer()));
      return answers.map(({ status, headers }) => [status, headers.has('retry-after')]);
    };
    const wanted = [
      [204, true],
      [204, false],
      [200, false],
    ];
    expect(await statuses()).toEqual(wanted);
    const unknown = node(fleet, 'unknown');
    await unknown.update((await unknown.offer()).body);
    for (const id of ['open', 'always']) expect((await act(fleet, 'skip', { node: id })).status).toBe(200);
    await unknown.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).state === 'done');
    await at('later', OPEN());
    expect((await node(fleet, 'later').offer()).status).toBe(204);
    await fleet.call('PUT', '/api/sites/of-later', { hours: LATER() });
    expect((await node(fleet, 'later').offer()).status).toBe(200);
    // Taken out is taken out.
    await fleet.call('PUT', '/api/sites/of-open', { hours: LATER() });
    expect((await node(fleet, 'open').offer()).status).toBe(204);
    expect((await act(fleet, 'retry', { node: 'open' })).body).toMatchObject({ state: 'done' });
    expect((await node(fleet, 'open').offer()).status).toBe(200);
  });

  it('nodes that failed are offered the image again where somebody says so, and the rollout that halted goes on', async () => {
    const fleet = await fleetOn(await database());
    const [bad, good] = [node(fleet, 'bad'), node(fleet, 'good')];
    for (const each of [bad, good]) await each.beat();
    await upload(fleet);
    await begin(fleet, { groups: ['id:bad', '100%'], healthyAfterSeconds: 60 });
    expect((await act(fleet, 'retry')).status).toBe(409);
    const offer = (await bad.offer()).body;
    await bad.take(offer);
    await bad.crash('rollback');
    await until(async () => (await rollout(fleet)).state === 'halted');
    expect((await bad.offer()).status).toBe(204);
    expect((await act(fleet, 'retry')).body).toMatchObject({
      state: 'running',
      groups: [{ waiting: 1, failed: 0 }, {}],
    });
    expect((await fleet.call('GET', '/api/alerts?open=true&rule=rollout_halted')).body.total).toBe(0);
    await bad.update((await bad.offer()).body);
    await bad.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).openGroup === 1);
    expect((await good.offer()).status).toBe(200);
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    expect(entries[0]).toMatchObject({
      what: 'rollout retried',
      detail: { before: { state: 'halted' }, after: { state: 'running', again: 1 } },
    });
  });

  it('a rollout that somebody stopped stays so where a node is to try again, which waits until it is resumed', async () => {
    const fleet = await fleetOn(await database());
    const bad = node(fleet, 'bad');
    await bad.beat();
    await upload(fleet);
    await begin(fleet, { groups: ['100%'] });
    await bad.take((await bad.offer()).body);
    await bad.crash('rollback');
    await until(async () => (await rollout(fleet)).state === 'halted');
    await act(fleet, 'stop');
    for (const body of [{ node: 'bad' }, {}]) {
      const { status, body: after } = await act(fleet, 'retry', body);
      if (status === 200) expect(after).toMatchObject({ state: 'stopped', groups: [{ waiting: 1 }] });
      expect((await rollout(fleet)).endedBy).toBe('token');
    }
    expect((await bad.offer()).status).toBe(204);
    expect((await act(fleet, 'resume')).body.state).toBe('running');
    expect((await bad.offer()).status).toBe(200);
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    expect(entries.slice(0, 3).map(({ what, detail }: { what: string; detail: object }) => [what, detail])).toEqual([
      ['rollout resumed', { before: { state: 'stopped' }, after: { state: 'running' } }],
      ['rollout retried', { node: 'bad', before: { nodeState: 'failed' }, after: { nodeState: 'waiting' } }],
      ['rollout stopped', { before: { state: 'halted' }, after: { state: 'stopped' } }],
    ]);
  });

  it.each(
    ['deleted', 'replaced'].flatMap((what) =>
      ['took the image', 'said that it has it just now'].map((has) => [has, what]),
    ),
  )('a node that %s and is %s has failed: nobody ran it', async (has, what) => {
    // A node may say so between two looks.
    const fleet = await fleetOn(await database(), { lookMs: 1000 });
    const [canary, second] = [node(fleet, 'canary'), node(fleet, 'second')];
    for (const each of [canary, second]) await each.beat();
    await fleet.beat(heartbeat({ node: 'new-box', firmwareVersion: '0.2.0' }));
    await upload(fleet);
    await begin(fleet, { groups: ['id:canary', '100%'], healthyAfterSeconds: 0 });
    const { body: offer } = await canary.offer();
    if (has === 'took the image') await canary.take(offer);
    else await canary.beat({ firmwareVersion: '0.2.0' });
    if (what === 'deleted') expect((await fleet.call('DELETE', '/api/nodes/canary')).status).toBe(204);
    else expect((await fleet.call('POST', '/api/nodes/canary/replace', { by: 'new-box' })).status).toBe(200);
    await until(async () => (await rollout(fleet)).state === 'halted');
    expect(await rollout(fleet)).toMatchObject({ openGroup: 0, groups: [{ size: 1, failed: 1 }, {}] });
    expect((await second.offer()).status).toBe(204);
    // Nor does a retry make the group one that has nobody in it.
    expect((await act(fleet, 'retry')).status).toBe(200);
    await looks(fleet);
    expect(await rollout(fleet)).toMatchObject({ state: 'running', openGroup: 0, groups: [{ skipped: 1 }, {}] });
    expect((await second.offer()).status).toBe(204);
  });

  it('a node that waits and is replaced hands its place on, and one that is deleted leaves its group without news', async () => {
    const where = await database();
    let fleet = await fleetOn(where);
    for (const id of ['old', 'new', 'second', 'gone', 'third']) await fleet.beat(heartbeat({ node: id }));
    await upload(fleet);
    const groups = ['id:old', 'id:gone', '100%'];
    await begin(fleet, { groups, healthyAfterSeconds: 0, stuckAfterSeconds: 3600 });
    expect((await fleet.call('POST', '/api/nodes/old/replace', { by: 'new' })).status).toBe(200);
    await looks(fleet);
    expect([(await rollout(fleet)).openGroup, (await groupsOf(fleet))['new']]).toEqual([0, 0]);
    const box = node(fleet, 'new');
    for (let seq = 1; seq < 3; seq += 1) await box.beat();
    await box.update((await box.offer()).body);
    await box.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).openGroup === 1);
    expect((await fleet.call('DELETE', '/api/nodes/gone')).status).toBe(204);
    await looks(fleet);
    expect(await rollout(fleet)).toMatchObject({ state: 'running', openGroup: 1 });
    expect((await node(fleet, 'third').offer()).status).toBe(204);
    await fleet.stop();
    const on = await openDatabase(where);
    await on.query(`UPDATE rollout SET moved_at = moved_at - interval '2 hours'`);
    await on.query(
      `UPDATE rollout_node SET taken_at = taken_at - interval '2 hours', ended_at = ended_at - interval '2 hours'`,
    );
    await on.query(`UPDATE rollout_node SET offered_at = offered_at - interval '2 hours'`);
    await hasListened(on);
    await on.close();
    fleet = await fleetOn(where);
    await until(async () => (await stuck(fleet)).length === 1);
    expect((await rollout(fleet)).reason).toBe('group 2 is stuck; 1 were deleted before they ran it: gone');
    // It comes back: its place is the one that it had.
    const back = node(fleet, 'gone');
    await back.beat({ bootId: 'b0000009' });
    await back.update((await back.offer()).body);
    await back.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).openGroup === 2);
  });

  it('silence in which the fleet itself was away is not that of its nodes: none has failed by it, and no rollout is stuck', async () => {
    const where = await database();
    let fleet = await fleetOn(where);
    const [took, waits] = [node(fleet, 'took'), node(fleet, 'waits')];
    for (const each of [took, waits]) await each.beat();
    await upload(fleet);
    await begin(fleet, { groups: ['100%'], lostAfterSeconds: 60, stuckAfterSeconds: 3600 });
    await took.take((await took.offer()).body);
    await until(async () => (await rollout(fleet)).groups[0].taken === 1);
    await fleet.stop();
    const on = await openDatabase(where);
    const ago = (...columns: string[]) => columns.map((each) => `${each} = ${each} - interval '2 hours'`).join(', ');
    await on.query(`UPDATE rollout SET ${ago('started_at', 'moved_at')}`);
    await on.query(`UPDATE rollout_node SET ${ago('asked_at', 'offered_at', 'taken_at')}`);
    await on.query(`UPDATE node SET look = true, ${ago('first_seen', 'last_seen')}`);
    await on.query(`UPDATE duty SET ${ago('since', 'done_at')} WHERE name = 'watch'`);
    await on.close();
    fleet = await fleetOn(where);
    await looks(fleet);
    const stands = { state: 'running', reason: null, groups: [{ taken: 1, waiting: 1, failed: 0 }] };
    expect(await rollout(fleet)).toMatchObject(stands);
    expect(await stuck(fleet)).toEqual([]);
    // Nor where somebody looks.
    await act(fleet, 'stop');
    expect((await act(fleet, 'resume')).body).toMatchObject(stands);
  });

  it('a rollout of which nothing comes further is an alert that names who never asked, until one does', async () => {
    const where = await database();
    let fleet = await fleetOn(where);
    for (const id of ['asks', 'silent', 'deaf']) await fleet.beat(heartbeat({ node: id }));
    await upload(fleet);
    await begin(fleet, { groups: ['100%'], stuckAfterSeconds: 3600 });
    await node(fleet, 'asks').offer();
    await fleet.call('GET', '/api/rollouts/1');
    expect(await stuck(fleet)).toEqual([]);
    await fleet.stop();
    const on = await openDatabase(where);
    await on.query(`UPDATE rollout SET moved_at = moved_at - interval '3601 seconds'`);
    await on.query(`UPDATE rollout_node SET offered_at = offered_at - interval '3601 seconds'`);
    await hasListened(on);
    await on.close();
    fleet = await fleetOn(where);
    await until(async () => (await stuck(fleet)).length === 1);
    expect((await stuck(fleet))[0]).toMatchObject({ subject: 'rollout 1' });
    expect(await rollout(fleet)).toMatchObject({
      reason: 'group 1 is stuck; 2 never asked: deaf, silent; 1 did not take it: asks',
      cause: {
        group: 0,
        held: [
          { what: 'never_asked', nodes: 2, some: ['deaf', 'silent'] },
          { what: 'offered', nodes: 1, some: ['asks'] },
        ],
      },
    });
    const never = (await fleet.call('GET', '/api/rollouts/1/nodes?asked=never')).body.nodes;
    expect(never.map((each: { node: string }) => each.node)).toEqual(['deaf', 'silent']);
    await node(fleet, 'silent').offer();
    await until(async () => (await stuck(fleet)).length === 0);
    expect(await rollout(fleet)).toMatchObject({
      state: 'running',
      reason: null,
      cause: null,
      groups: [{ silent: 1, offered: 2 }],
    });
  });
});

describe('the time until hours begin or end', () => {
  // A Thursday, 12:30 UTC.
  const at = new Date('2026-11-26T12:30:00Z');
  it.each([
    ['12:00-13:00', 'UTC', true, 0],
    ['13:00-14:00', 'UTC', true, 1800],
    ['12:00-13:00', 'Europe/Vienna', true, 22.5 * 3600],
    ['We 12:00-13:00', 'UTC', true, (6 * 24 - 0.5) * 3600],
    ['22:00-13:00', 'UTC', true, 0],
    ['off', 'UTC', true, undefined],
    ['12:00-13:00', 'UTC', false, 1800],
    ['12:00-13:00,13:00-14:00', 'UTC', false, 5400],
    ['Mo-Sa 08:00-20:00', 'UTC', false, 7.5 * 3600],
    ['24/7', 'UTC', false, undefined],
    ['off', 'UTC', false, 0],
  ])('%s in %s, within: %s', (hours, zone, within, seconds) => {
    expect(secondsUntil(hours, zone, at, within)).toBe(seconds);
  });
});
