/** Releases and rollouts, as nodes and operators see them. */
import { createHash, createHmac } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { rangeOf } from '../../runtime/fleet/firmware/range.ts';
import { upTo } from '../../runtime/fleet/rollouts/groups.ts';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { makeImage } from '../made-images.ts';
import { until } from '../node.ts';
import { type Answer, databases, EITHER, ENGINES, fleetOn, heartbeat, MASTER } from './fleet.ts';
import { begin, hasListened, IMAGE, ids, node, rollout, upload } from './rollout.ts';

const server = databases(ENGINES.at(-1)!);
const SHA256 = createHash('sha256').update(IMAGE).digest('hex');

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('an image is uploaded once, offered to nobody before a rollout, and sent whole or in part', async () => {
    const fleet = await fleetOn(await database());
    const { status, body } = await upload(fleet);
    expect([status, body]).toMatchObject([
      200,
      { variant: 'wifi', version: '0.2.0', sha256: SHA256, length: IMAGE.length },
    ]);
    expect((await upload(fleet)).status).toBe(200);
    expect((await upload(fleet, makeImage({ variant: 'wifi', version: '0.2.0' }))).status).toBe(409);
    expect((await upload(fleet, IMAGE.subarray(0, 5000))).status).toBe(422);
    expect((await upload(fleet, Buffer.from('no image'))).status).toBe(422);
    expect((await upload(fleet, makeImage({ variant: 'wifi', version: '1.0.0-rc.1' }))).status).toBe(422);
    expect((await fleet.call('GET', '/api/releases')).body.releases).toHaveLength(1);

    expect(await begin(fleet)).toMatchObject({ error: 'conflict' });
    await fleet.beat(heartbeat({ node: 'a' }));
    expect((await node(fleet, 'a').offer()).status).toBe(204);
    await begin(fleet, { groups: ['100%'] });
    expect((await node(fleet, 'unheard').offer()).status).toBe(200);
    const offer = (await node(fleet, 'a').offer()).body;
    expect(offer).toEqual({
      version: '0.2.0',
      length: IMAGE.length,
      sha256: SHA256,
      url: `firmware/${SHA256}`,
    });
    const get = async (headers: Record<string, string> = {}) => {
      const response = await fetch(`${fleet.url}/${offer.url}`, {
        headers,
      });
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    expect((await get()).bytes.equals(IMAGE)).toBe(true);
    const part = await get({ Range: 'bytes=262000-600000' });
    expect([part.response.status, part.response.headers.get('content-range')]).toEqual([
      206,
      `bytes 262000-600000/${IMAGE.length}`,
    ]);
    expect(part.bytes.equals(IMAGE.subarray(262_000, 600_001))).toBe(true);
    expect((await get({ Range: `bytes=${IMAGE.length}-` })).response.status).toBe(416);
    for (const Range of ['bytes=0-9', `bytes=${IMAGE.length}-`]) {
      const head = await fetch(`${fleet.url}/${offer.url}`, { method: 'HEAD', headers: { Range } });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(IMAGE.length)]);
    }
    expect((await get({ Range: 'bytes=0-9', 'If-Range': '"another"' })).response.status).toBe(200);
    expect((await get()).response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    for (const path of [`firmware/${'0'.repeat(64)}`, 'firmware/..%2fsettings', 'firmware/upload-x'])
      expect([path, (await fetch(`${fleet.url}/${path}`)).status]).toEqual([path, 404]);
    expect((await get({ 'If-None-Match': part.response.headers.get('etag') ?? '' })).response.status).toBe(304);
  });

  it('an address has a few downloads at a time; the next is told when to come again, and heartbeats are taken', async () => {
    const fleet = await fleetOn(await database());
    const large = makeImage({ variant: 'wifi', version: '0.2.0', bytes: 12_000_000 });
    const { sha256 } = (await upload(fleet, large)).body;
    const answers: ServerResponse[] = [];
    const note = (message: unknown) => void answers.push((message as { response: ServerResponse }).response);
    subscribe('http.server.request.start', note);
    onTestFinished(() => void unsubscribe('http.server.request.start', note));
    // Nobody reads what comes, so that none ends.
    const slow = await Promise.all(Array.from({ length: 4 }, () => fetch(`${fleet.url}/firmware/${sha256}`)));
    expect(slow.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const others = await Promise.all(Array.from({ length: 40 }, () => fetch(`${fleet.url}/firmware/${sha256}`)));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([503]));
    for (const { headers } of others) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
      expect([headers.get('cache-control'), headers.get('connection')]).toEqual(['no-store', 'close']);
    }
    expect((await fleet.beat(heartbeat())).status).toBe(204);
    expect((await fetch(`${fleet.url}/firmware/${sha256}`, { method: 'HEAD' })).status).toBe(200);
    // Node warns of a leak beyond ten, and traces have theirs.
    for (const each of answers) expect(each.listenerCount('close')).toBeLessThan(10);
    for (const each of slow) await each.body?.cancel();
    await until(async () => (await fetch(`${fleet.url}/firmware/${sha256}`)).status === 200);
  });

  it('nodes are pointed to another origin, which the settings name, by an offer that is signed with their token', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat({ node: 'a' }));
    await upload(fleet);
    await begin(fleet, { groups: ['100%'] });
    await fleet.call('PUT', '/api/settings', { firmware: { origin: 'https://images.example/fleet/' } });
    const token = tokenOf(MASTER, 'a');
    const asked = await fetch(`${fleet.url}/firmware?variant=wifi&version=0.1.0&node=a`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const body = await asked.text();
    expect(JSON.parse(body).url).toBe(`https://images.example/fleet/firmware/${SHA256}`);
    expect(asked.headers.get('x-node-signature')).toBe(
      `sha256=${createHmac('sha256', token).update(body).digest('hex')}`,
    );
    await until(async () => (await rollout(fleet)).groups[0].taken === 1);
  });

  it('images that an earlier version kept in the database go to the folder', async () => {
    const where = await database();
    const on = await openDatabase(where);
    const pieces = Array.from({ length: 3 }, (_, at) => IMAGE.subarray(at * 262_144, (at + 1) * 262_144));
    for (const [at, bytes] of pieces.entries())
      await on.query('INSERT INTO image_piece (sha256, piece, bytes) VALUES ($1, $2, $3)', [SHA256, at, bytes]);
    await on.query("INSERT INTO image_piece (sha256, piece, bytes) VALUES ('upload-x', 0, 'x')");
    await on.query(
      `INSERT INTO release (variant, version, version_order, sha256, length, floor, who)
       VALUES ('wifi', '0.2.0', '', $1, $2, 3, '')`,
      [SHA256, IMAGE.length],
    );
    await on.close();
    for (const again of [1, 2]) {
      const fleet = await fleetOn(where);
      const got = await fetch(`${fleet.url}/firmware/${SHA256}`);
      expect([again, Buffer.from(await got.arrayBuffer()).equals(IMAGE)]).toEqual([again, true]);
      await fleet.stop();
    }
    const after = await openDatabase(where);
    await expect(after.query('SELECT FROM image_piece')).rejects.toThrow(/image_piece/);
    await after.close();
  });

  it('an image that two upload at once is there once', async () => {
    const fleet = await fleetOn(await database());
    const answers = await Promise.all([1, 2, 3].map(() => upload(fleet)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await fleet.call('GET', '/api/releases')).body.releases).toHaveLength(1);
  });

  it('a node whose first boot of the image crashes before it is heard has failed, though it says so with its version', async () => {
    const fleet = await fleetOn(await database());
    const one = node(fleet, 'one');
    await one.beat();
    await upload(fleet);
    await begin(fleet, { groups: ['100%'], healthyAfterSeconds: 60 });
    const offer = await one.offer();
    const crash = { bootId: 'b9999999', reason: 'crash', uptimeSeconds: 3 };
    await one.update(offer.body, { crash });
    await until(async () => (await rollout(fleet)).state === 'halted');
    const { nodes } = (await fleet.call('GET', '/api/rollouts/1/nodes')).body;
    expect(nodes).toMatchObject([{ node: 'one', state: 'failed', reason: 'crash' }]);
    expect((await fleet.call('GET', '/api/rollouts/2/nodes')).status).toBe(404);
  });

  it('a node that takes the image and never runs it has failed', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    const stuck = node(fleet, 'stuck');
    await stuck.beat();
    await upload(fleet);
    await begin(fleet, { groups: ['100%'], lostAfterSeconds: 60 });
    await stuck.take((await stuck.offer()).body);
    await until(async () => (await rollout(fleet)).groups[0].taken === 1);
    await fleet.stop();
    const on = await openDatabase(where);
    await on.query("UPDATE rollout_node SET taken_at = taken_at - interval '61 seconds'");
    await hasListened(on);
    await on.close();
    const again = await fleetOn(where);
    await again.beat(heartbeat({ node: 'stuck', seq: 2 }));
    await until(async () => (await rollout(again)).state === 'halted');
    expect((await again.call('GET', '/api/rollouts/1/nodes')).body.nodes).toMatchObject([
      { state: 'failed', reason: 'took the image and does not run it' },
    ]);
  });

  it('a rollout goes from group to group as nodes come back healthy, and then is the version of all', async () => {
    const fleet = await fleetOn(await database());
    const nodes = ids(10).map((id) => node(fleet, id));
    for (const each of nodes) await each.beat();
    await fleet.beat(heartbeat({ node: 'by-hand', updatePolicy: 'off' }));
    await upload(fleet);
    const begun = await begin(fleet, { groups: ['1', '30%', '100%'], healthyAfterSeconds: 60 });
    expect(begun).toMatchObject({ state: 'running', openGroup: 0, groups: [{ size: 1 }, { size: 2 }, { size: 7 }] });
    expect(await begin(fleet)).toMatchObject({ error: 'conflict' });

    for (const [group, size] of [1, 2, 7].entries()) {
      await until(async () => (await rollout(fleet)).openGroup === group);
      const offers = await Promise.all(nodes.map(async (each) => ({ each, offer: await each.offer() })));
      const fresh = offers.filter(({ offer }) => offer.status === 200);
      expect(fresh).toHaveLength(size);
      for (const { each, offer } of fresh) {
        await each.update(offer.body);
        await each.beat({ uptimeSeconds: 61 });
      }
    }
    await until(async () => (await rollout(fleet)).state === 'done');
    // Also one that asks before its first heartbeat.
    expect((await node(fleet, 'later').offer()).body.version).toBe('0.2.0');
    const late = node(fleet, 'late');
    await late.beat();
    expect((await late.offer()).body.version).toBe('0.2.0');
    // A later rollout of it that is stopped takes it back from all.
    const { id } = await begin(fleet);
    expect((await fleet.call('POST', `/api/rollouts/${id}/stop`)).status).toBe(200);
    expect([(await late.offer()).status, (await node(fleet, 'later').offer()).status]).toEqual([204, 204]);
  });

  it('a rollout halts where too many crash, is told, and goes on when somebody says so', async () => {
    const fleet = await fleetOn(await database());
    const nodes = ids(20).map((id) => node(fleet, id));
    for (const each of nodes) await each.beat();
    await upload(fleet);
    await begin(fleet, { groups: ['50%', '100%'], errorPercent: 20, healthyAfterSeconds: 60 });
    const offers = await Promise.all(nodes.map(async (each) => ({ each, offer: await each.offer() })));
    const first = offers.filter(({ offer }) => offer.status === 200);
    expect(first).toHaveLength(10);
    for (const { each, offer } of first) await each.update(offer.body);
    await first[0]?.each.crash();
    await until(async () => (await rollout(fleet)).groups[0].failed === 1);
    expect((await rollout(fleet)).state).toBe('running');
    await first[1]?.each.crash('rollback');
    await until(async () => (await rollout(fleet)).state === 'halted');
    expect(await rollout(fleet)).toMatchObject({
      reason: '2 of the 10 nodes of group 1 failed',
      cause: { group: 0, failed: 2, size: 10, held: [] },
    });
    expect((await nodes[0]?.offer())?.status).toBe(204);
    const open = async () => (await fleet.call('GET', '/api/alerts?open=true&rule=rollout_halted')).body.total;
    expect(await open()).toBe(1);
    expect((await fleet.call('GET', '/api/rollouts/1/nodes?state=failed')).body.nodes).toHaveLength(2);

    expect((await fleet.call('POST', '/api/rollouts/1/resume')).body.groups[0]).toMatchObject({
      failed: 0,
      excused: 2,
    });
    expect(await open()).toBe(0);
    expect((await fleet.call('POST', '/api/rollouts/1/stop')).body.state).toBe('stopped');
    expect((await fleet.call('POST', '/api/rollouts/1/stop')).status).toBe(409);
    for (const each of nodes) expect((await each.offer()).status).toBe(204);
    const { entries } = (await fleet.call('GET', '/api/audit')).body;
    expect(entries.map(({ what }: { what: string }) => what)).toEqual([
      'rollout stopped',
      'rollout resumed',
      'rollout started',
      'release uploaded',
    ]);
  });
});

it.skipIf(ENGINES.length < 2)('an answer that is none is not kept by a cache, whatever was asked for', async () => {
  const where = await server();
  const fleet = await fleetOn(where, { report: () => {} });
  await fleet.beat(heartbeat({ node: 'a' }));
  await upload(fleet);
  const of = ({ status, headers }: Answer) => [status, headers.get('cache-control'), headers.get('etag')];
  const image = (headers: Record<string, string>) => fleet.call('GET', `/firmware/${SHA256}`, undefined, headers);
  expect(of(await image({ Range: `bytes=${IMAGE.length}-` }))).toEqual([416, 'no-store', null]);
  // The tables are away: the node that asks cannot be noted, and no recipes be read.
  const on = await openDatabase(where);
  for (const table of ['release', 'recipe_table', 'site'])
    await on.query(`ALTER TABLE ${table} RENAME TO away_${table}`);
  await on.close();
  expect(of(await image({ 'X-NODE-Id': 'a' }))).toEqual([500, 'no-store', null]);
  for (const path of [
    '/recipes?node=a',
    '/api/recipes',
    '/firmware?variant=wifi&version=0.1.0&node=a',
    '/api/sites/Graz/export',
  ])
    expect([path, ...of(await fleet.call('GET', path))]).toEqual([path, 500, 'no-store', null]);
});

describe('groups', () => {
  it.each([
    [['1', '1%', '10%', '100%'], 10_000, [1, 100, 1000, 10_000]],
    [['1', '1%', '10%', '100%'], 3, [1, 1, 1, 3]],
    [['5', '1%', '100%'], 2, [2, 2, 2]],
    [['100%'], 7, [7]],
  ])('%j of %i nodes are up to %j', (groups, total, wanted) => {
    let before = 0;
    const reached = groups.map((group) => {
      before = upTo(group, total, before);
      return before;
    });
    expect(reached).toEqual(wanted);
  });
});

describe('a range', () => {
  it.each([
    ['bytes=0-', { first: 0, last: 99 }],
    ['bytes=10-19', { first: 10, last: 19 }],
    ['Bytes=10-19', { first: 10, last: 19 }],
    ['bytes=90-900', { first: 90, last: 99 }],
    ['bytes=-10', { first: 90, last: 99 }],
    ['bytes=-900', { first: 0, last: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-4', undefined],
    ['bytes=0-1,3-4', undefined],
    ['lines=0-1', undefined],
    ['', undefined],
  ])('is read from %j for an image of 100 bytes', (field, wanted) => {
    expect(rangeOf(field, 100)).toEqual(wanted);
  });
});
