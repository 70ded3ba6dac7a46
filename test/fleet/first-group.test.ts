/** What holds a rollout up until one node is healthy with its version: whatever somebody does with those of its first groups. */
import { describe, expect, it } from 'vitest';
import { until } from '../node.ts';
import { databases, EITHER, fleetOn, type RunningFleet } from './fleet.ts';
import { begin, node, rollout, upload } from './rollout.ts';

type Node = ReturnType<typeof node>;
const act = (fleet: RunningFleet, what: string, body: object = {}) =>
  fleet.call('POST', `/api/rollouts/1/${what}`, body);
const stuck = async (fleet: RunningFleet) =>
  (await fleet.call('GET', '/api/alerts?open=true&rule=rollout_stuck')).body.total;

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);
  const started = async (ids: readonly string[], groups: readonly string[], more: object = {}) => {
    const fleet = await fleetOn(await database());
    const nodes = ids.map((id) => node(fleet, id));
    for (const each of nodes) await each.beat();
    await upload(fleet);
    await begin(fleet, { groups, healthyAfterSeconds: 60, ...more });
    return { fleet, nodes };
  };

  it('a rollout whose first group has failed is not resumed, and goes on by a node of it that is healthy after all', async () => {
    const { fleet, nodes } = await started(['first', 'second'], ['id:first', '100%']);
    const [first, second] = nodes as [Node, Node];
    await first.update((await first.offer()).body);
    await first.crash();
    await until(async () => (await rollout(fleet)).state === 'halted');
    const refused = { status: 409, body: { error: 'conflict', detail: expect.stringContaining('retry a node') } };
    expect(await act(fleet, 'resume')).toMatchObject(refused);
    expect(await act(fleet, 'skip', { node: 'first' })).toMatchObject(refused);
    expect(await rollout(fleet)).toMatchObject({ state: 'halted', openGroup: 0, groups: [{ failed: 1 }, {}] });
    await act(fleet, 'stop');
    expect(await act(fleet, 'resume')).toMatchObject(refused);
    expect((await act(fleet, 'retry')).body.state).toBe('stopped');
    expect((await act(fleet, 'resume')).body).toMatchObject({ state: 'running', openGroup: 0 });
    expect(await act(fleet, 'skip')).toMatchObject(refused);
    expect((await second.offer()).status).toBe(204);
    await first.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).groups[0].taken === 1);
    await first.beat({ uptimeSeconds: 62 });
    await until(async () => (await rollout(fleet)).openGroup === 1);
    expect((await second.offer()).status).toBe(200);
  });

  it('of a first group in which some failed, a resumed rollout waits for the others', async () => {
    const { fleet, nodes } = await started(['bad', 'good', 'other'], ['id:bad,good', '100%']);
    const [bad, good, other] = nodes as [Node, Node, Node];
    const offer = (await good.offer()).body;
    await bad.update((await bad.offer()).body);
    await bad.crash();
    await until(async () => (await rollout(fleet)).state === 'halted');
    expect((await act(fleet, 'resume')).body).toMatchObject({ openGroup: 0, groups: [{ excused: 1, offered: 1 }, {}] });
    // Who cannot be reached holds up nobody otherwise.
    await good.beat({ updatePolicy: 'off' });
    expect((await act(fleet, 'skip', { node: 'good' })).status).toBe(409);
    expect((await other.offer()).status).toBe(204);
    await good.update(offer);
    await good.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).openGroup === 1);
  });

  it('the last node of the first group that could be healthy is not taken out, and of one whose nodes were all deleted an alert tells at once', async () => {
    const { fleet, nodes } = await started(['a', 'b', 'c'], ['id:a,b', '100%'], { stuckAfterSeconds: 86_400 });
    expect((await act(fleet, 'skip', { node: 'a' })).status).toBe(200);
    expect((await act(fleet, 'skip', { node: 'b' })).status).toBe(409);
    // Of a group that has not begun nobody has to stay.
    expect((await act(fleet, 'skip', { node: 'c' })).status).toBe(200);
    expect((await fleet.call('DELETE', '/api/nodes/b')).status).toBe(204);
    await until(async () => (await stuck(fleet)) === 1);
    expect(await rollout(fleet)).toMatchObject({
      openGroup: 0,
      reason: 'group 1 is stuck; 1 were deleted before they ran it: b; 1 were taken out: a',
      groups: [{ skipped: 2 }, { skipped: 1 }],
    });
    expect((await act(fleet, 'skip')).status).toBe(409);
    expect((await act(fleet, 'retry', { node: 'a' })).body).toMatchObject({ reason: null, openGroup: 0 });
    await nodes[0]?.update((await nodes[0].offer()).body);
    await nodes[0]?.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).openGroup === 1);
    expect(await stuck(fleet)).toBe(0);
  });

  it('nor is a version that nobody has run that of all nodes', async () => {
    const { fleet, nodes } = await started(['one'], ['100%']);
    await nodes[0]?.take((await nodes[0].offer()).body);
    await nodes[0]?.crash('rollback');
    await until(async () => (await rollout(fleet)).state === 'halted');
    expect((await act(fleet, 'resume')).status).toBe(409);
    await act(fleet, 'retry');
    expect((await fleet.call('DELETE', '/api/nodes/one')).status).toBe(204);
    await until(async () => (await stuck(fleet)) === 1);
    expect((await rollout(fleet)).state).toBe('running');
  });

  it('the next group begins before its time where somebody says so once a node is healthy, and no group after the last', async () => {
    const { fleet, nodes } = await started(['a', 'b', 'c'], ['id:a,b', '100%']);
    const [a, , c] = nodes as [Node, Node, Node];
    expect((await act(fleet, 'skip')).status).toBe(409);
    await a.update((await a.offer()).body);
    await a.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).groups[0].healthy === 1);
    expect((await c.offer()).status).toBe(204);
    expect((await act(fleet, 'skip')).body).toMatchObject({ openGroup: 1, state: 'running' });
    expect((await c.offer()).status).toBe(200);
    expect((await act(fleet, 'skip')).status).toBe(409);
    expect((await act(fleet, 'skip', { node: 'nobody' })).status).toBe(409);
    expect((await act(fleet, 'skip', { group: 1 })).status).toBe(422);
    expect((await fleet.call('POST', '/api/rollouts/9/skip', {})).status).toBe(404);
    await act(fleet, 'stop');
    expect((await act(fleet, 'skip')).status).toBe(409);
    // What was offered before it stopped is not offered again.
    expect((await c.offer()).status).toBe(204);
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    expect(entries[1]).toMatchObject({ what: 'rollout skipped', subject: 'rollout 1: wifi 0.2.0' });
  });

  it('two who leave a group at once leave that one alone', async () => {
    const { fleet, nodes } = await started(['a', 'b', 'c', 'd'], ['id:a,b', 'id:c', '100%']);
    await nodes[0]?.update((await nodes[0].offer()).body);
    await nodes[0]?.beat({ uptimeSeconds: 61 });
    await until(async () => (await rollout(fleet)).groups[0].healthy === 1);
    const answers = await Promise.all([act(fleet, 'skip', { openGroup: 0 }), act(fleet, 'skip', { openGroup: 0 })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await rollout(fleet)).openGroup).toBe(1);
  });
});
