/** Heartbeats and webhooks, as they come in over HTTP and are read again. */
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, heartbeat, MASTER, printer, type RunningFleet } from './fleet.ts';

const NODE = '0a1b2c3d';
const one = async (fleet: RunningFleet, id = NODE) => (await fleet.call('GET', `/api/nodes/${id}`)).body;
const kinds = async (fleet: RunningFleet): Promise<string[]> =>
  (await fleet.call('GET', '/api/oddities')).body.oddities.map(({ kind }: { kind: string }) => kind).sort();
const counts = async (fleet: RunningFleet): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await fleet.call('GET', '/api/oddities')).body.oddities.map((each: { kind: string; count: number }) => [
      each.kind,
      each.count,
    ]),
  );

describe.each(ENGINES)('on %s', (engine) => {
  const database = databases(engine);

  it('a heartbeat is there once it is answered, and after a restart', async () => {
    const fleet = await fleetOn(await database());
    expect((await fleet.beat(heartbeat())).status).toBe(204);
    const { body } = await fleet.call('GET', '/api/nodes');
    const said = { name: '', site: null, tags: [], mutedUntil: null };
    const node = { id: NODE, ...said, variant: 'wifi', firmwareVersion: '0.1.0', states: [], heartbeats: 1 };
    expect(body).toEqual({ nodes: [{ ...node, lastSeen: expect.stringMatching(/^\d{4}-.*Z$/) }], total: 1 });
    await fleet.stop();
    const again = await fleetOn(fleet.where);
    expect((await again.call('GET', '/api/nodes')).body).toEqual(body);
  });

  it('a heartbeat that comes again is answered, and counts once', async () => {
    const fleet = await fleetOn(await database());
    const beats = [1, 2, 2, 4, 3, 3, 4, 1].map((seq) => heartbeat({ seq }));
    for (const beat of beats) expect((await fleet.beat(beat)).status).toBe(204);
    expect((await one(fleet)).heartbeats).toBe(4);
    expect(await kinds(fleet)).toContain('replay');
    // The number begins anew with the boot, and one of the boot before may still come.
    await fleet.beat(heartbeat({ bootId: 'b0000002', uptimeSeconds: 3 }));
    await fleet.beat(heartbeat({ seq: 5 }));
    await fleet.beat(heartbeat({ seq: 4 }));
    expect((await one(fleet)).heartbeats).toBe(6);
  });

  it('a heartbeat that comes again after many restarts counts once, and one that was late for as long counts', async () => {
    const fleet = await fleetOn(await database());
    const boot = (at: number) => `b${String(at).padStart(7, '0')}`;
    const beat = async (at: number, seq: number) =>
      expect((await fleet.beat(heartbeat({ bootId: boot(at), seq, uptimeSeconds: seq }))).status).toBe(204);
    for (let at = 1; at <= 12; at += 1) for (const seq of [1, 3]) await beat(at, seq);
    for (let again = 0; again < 2; again += 1)
      for (const at of [1, 6, 7, 12]) for (const seq of [1, 3]) await beat(at, seq);
    expect((await one(fleet)).heartbeats).toBe(24);
    // Those of the old boots put newer ones out of the row of the node, and these come back with what they had.
    for (const at of [1, 2, 3, 4, 5, 1]) await beat(at, 2);
    for (const at of [12, 11, 8]) await beat(at, 3);
    expect((await one(fleet)).heartbeats).toBe(29);
    // All of it in one batch.
    const beats = Array.from({ length: 20 }, (_, at) => heartbeat({ bootId: boot(20 + (at % 10)), seq: 1 }));
    await Promise.all(beats.map((each) => fleet.beat(each)));
    for (let at = 20; at < 30; at += 1) await beat(at, 1);
    expect((await one(fleet)).heartbeats).toBe(39);
  });

  it('many heartbeats at once are each stored once, whatever comes in one batch', async () => {
    const fleet = await fleetOn(await database());
    const beats = Array.from({ length: 300 }, (_, at) =>
      heartbeat({ node: `node-${at % 30}`, seq: 1 + Math.floor(at / 30), uptimeSeconds: 60 * at }),
    );
    const answers = await Promise.all([...beats, ...beats.slice(0, 100)].map((beat) => fleet.beat(beat)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    const { nodes, total } = (await fleet.call('GET', '/api/nodes')).body;
    expect([total, ...new Set(nodes.map((node: { heartbeats: number }) => node.heartbeats))]).toEqual([30, 10]);
  });

  it('the token is the master token or that of the node; another one is counted and changes nothing', async () => {
    const fleet = await fleetOn(await database());
    expect((await fleet.beat(heartbeat({ seq: 1 }), tokenOf(MASTER, NODE))).status).toBe(204);
    expect((await fleet.beat(heartbeat({ seq: 2 }), tokenOf(MASTER, 'another'))).status).toBe(401);
    expect((await fleet.beat(heartbeat({ seq: 2 }), 'x')).status).toBe(401);
    expect((await one(fleet)).heartbeats).toBe(1);
    await until(async () => (await kinds(fleet)).includes('foreign_token'));
  });

  it('a body that is wrong is refused, counted, and keeps nothing of the others out', async () => {
    const fleet = await fleetOn(await database());
    const wrong = [
      ['not JSON', '{"node":'],
      ['no node', '{"seq":1}'],
      ['a node that is a path', JSON.stringify(heartbeat({ node: 'a/b' }))],
      ['a number that is none', JSON.stringify(heartbeat({ seq: 'x' }))],
      ['text that no database holds', JSON.stringify(heartbeat({ slot: 'a\0b' }))],
      ['half a character', JSON.stringify(heartbeat({ slot: '\ud800' }))],
      ['a body that is too long', JSON.stringify(heartbeat({ more: 'x'.repeat(20_000) }))],
    ] as const;
    const [right, ...answers] = await Promise.all([
      fleet.beat(heartbeat()),
      ...wrong.map(([, body]) => fleet.call('POST', '/heartbeat', body)),
    ]);
    expect(right.status).toBe(204);
    for (const [at, { status, body }] of answers.entries())
      expect([wrong[at]?.[0], [400, 413, 422].includes(status), body.ok]).toEqual([wrong[at]?.[0], true, false]);
    await until(async () => (await counts(fleet))['bad_body'] === wrong.length);
    // Letters that look like an escape of such text are none.
    expect((await fleet.beat(heartbeat({ seq: 2, slot: 'a\\u0000' }))).status).toBe(204);
    for (const path of ['/api/nodes/%00', '/api/nodes?filter=version:%00', '/api/alerts?before=99999999999999999999'])
      expect([path, (await fleet.call('GET', path)).status]).toEqual([path, 422]);
    expect((await fleet.call('GET', '/api/nodes')).body.total).toBe(1);
  });

  it('heartbeats and receipts are summed by hours', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    const beat = (seq: number, prints: number, bootId = 'b0000001') =>
      fleet.beat(heartbeat({ seq, bootId, counters: { prints } }));
    await beat(1, 100);
    await beat(2, 103);
    await beat(1, 2, 'b0000002');
    const hours = async () => (await fleet.call('GET', `/api/nodes/${NODE}/hours`)).body.hours;
    expect(await hours()).toEqual([{ at: expect.stringMatching(/:00:00.000Z$/), heartbeats: 3, prints: 5 }]);
    await fleet.stop();
    const on = await openDatabase(where);
    await on.query("UPDATE node SET hour_at = hour_at - interval '2 hours'");
    await on.close();
    const again = await fleetOn(where);
    await again.beat(heartbeat({ seq: 2, bootId: 'b0000002', counters: { prints: 3 } }));
    const { hours: both } = (await again.call('GET', `/api/nodes/${NODE}/hours`)).body;
    expect(both).toMatchObject([
      { heartbeats: 1, prints: 1 },
      { heartbeats: 3, prints: 5 },
    ]);
    expect(Date.parse(both[0].at) - Date.parse(both[1].at)).toBe(7_200_000);
    expect((await again.call('GET', '/api/nodes/nobody/hours')).status).toBe(404);
  });

  it('changes of printer, paper, version and crash are kept', async () => {
    const fleet = await fleetOn(await database());
    const crash = { bootId: 'b0000001', reason: 'watchdog', uptimeSeconds: 99 };
    await fleet.beat(heartbeat());
    await fleet.beat(heartbeat({ seq: 2, printers: [printer({ paperOut: true })] }));
    await fleet.beat(heartbeat({ bootId: 'b0000002', firmwareVersion: '0.2.0', crash, custodyHold: true }));
    await fleet.beat(heartbeat({ seq: 2, bootId: 'b0000002', firmwareVersion: '0.2.0', crash, custodyHold: true }));
    const { transitions, crash: last, paperOutSince } = await one(fleet);
    // The watch, which looks each two seconds, adds the state that it finds.
    const short = transitions
      .filter(({ kind }: { kind: string }) => kind !== 'state')
      .map(({ kind, before = '', after = '' }: Record<string, string>) => `${kind} ${before}>${after}`);
    expect(short.reverse()).toEqual([
      'first_heard >0.1.0',
      'printer >online',
      'paper >ok',
      'paper ok>out',
      'version 0.1.0>0.2.0',
      'crash >watchdog',
      'paper out>ok',
      'custody >held',
    ]);
    expect([last, paperOutSince]).toEqual([crash, null]);
  });

  it('two printers that have no paper one after the other have been without it since the second one said so', async () => {
    const fleet = await fleetOn(await database());
    const outs = (receipt: boolean, kitchen: boolean) => [
      printer({ paperOut: receipt }),
      printer({ endpoint: 'kitchen', paperOut: kitchen }),
    ];
    const since = async (seq: number, printers: object[]) => {
      await fleet.beat(heartbeat({ seq, printers }));
      return Date.parse((await one(fleet)).paperOutSince);
    };
    const first = await since(1, outs(true, false));
    const second = await since(2, outs(false, true));
    expect(second).toBeGreaterThan(first);
    expect(await since(3, outs(true, true))).toBe(second);
    expect(await since(4, outs(false, false))).toBe(Number.NaN);
  });

  it('without ids of boots, a late heartbeat is none of a new boot', async () => {
    const fleet = await fleetOn(await database());
    const beat = (seq: number, uptimeSeconds: number) =>
      fleet.beat(heartbeat({ seq, uptimeSeconds, bootId: undefined }));
    for (const seq of [1, 2, 3, 5, 4, 5, 4, 5]) expect((await beat(seq, 100 + seq * 10)).status).toBe(204);
    expect((await one(fleet)).heartbeats).toBe(5);
    await beat(1, 0);
    expect((await one(fleet)).heartbeats).toBe(6);
  });

  it('a printer that says nothing has not said that there is paper again', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat({ printers: [printer({ paperOut: true })] }));
    const { paperOutSince } = await one(fleet);
    await fleet.beat(heartbeat({ seq: 2, printers: [printer({ known: false })] }));
    expect((await one(fleet)).paperOutSince).toBe(paperOutSince);
    await fleet.beat(heartbeat({ seq: 3, printers: [] }));
    expect((await one(fleet)).paperOutSince).toBe(paperOutSince);
    await fleet.beat(heartbeat({ seq: 4 }));
    expect((await one(fleet)).paperOutSince).toBe(null);
  });

  it('a node that is heard from two addresses in turn, and a clock that lies, are counted', async () => {
    const fleet = await fleetOn(await database(), { behindProxy: true });
    const from = (address: string, beat: object) =>
      fleet.call('POST', '/heartbeat', beat, { 'X-Forwarded-For': address });
    for (const [at, address] of ['192.0.2.1', '192.0.2.2', '192.0.2.1'].entries())
      await from(address, heartbeat({ seq: 1 + at, uptimeSeconds: 60 + at }));
    expect(await kinds(fleet)).toEqual(['two_addresses']);
    const crash = { bootId: 'b0000000', reason: 'crash', uptimeSeconds: 1, time: '2097-01-01T00:00:00.000Z' };
    await from('192.0.2.1', heartbeat({ seq: 4, crash }));
    expect(await kinds(fleet)).toEqual(['clock', 'two_addresses']);
  });

  it('a node that hears another with its id says so, also where both have one address here', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat());
    expect(await kinds(fleet)).toEqual([]);
    for (const seq of [2, 3]) await fleet.beat(heartbeat({ seq, duplicate: true }));
    await fleet.beat(heartbeat({ seq: 4 }));
    expect((await one(fleet)).oddities).toMatchObject([{ kind: 'duplicate', node: NODE, count: 2 }]);
  });

  it('two boxes with one id and one address here are told by their boots, and a heartbeat that comes after a restart is none', async () => {
    const fleet = await fleetOn(await database());
    const of = (bootId: string, seq: number) => fleet.beat(heartbeat({ bootId, seq, uptimeSeconds: 60 * seq }));
    // The third one of the first boot was under way as the node restarted.
    for (const [boot, seq] of [
      ['b1', 1],
      ['b1', 2],
      ['b2', 1],
      ['b1', 3],
      ['b2', 2],
      ['b2', 3],
    ] as const)
      await of(boot, seq);
    expect(await kinds(fleet)).toEqual([]);
    for (const seq of [4, 5]) for (const boot of ['b1', 'b2']) await of(boot, seq);
    expect((await one(fleet)).oddities).toMatchObject([{ kind: 'duplicate', node: NODE, count: 4 }]);
  });

  describe('a webhook', () => {
    const event = (seq: number, uptimeMs: number, more: object = printer()) => ({
      node: NODE,
      seq,
      uptimeMs,
      event: more,
    });

    it('is taken with a signature of the node or the master token, and changes the state at once', async () => {
      const fleet = await fleetOn(await database());
      await fleet.beat(heartbeat());
      expect((await fleet.webhook(event(1, 61_000, printer({ paperOut: true })), tokenOf(MASTER, NODE))).status).toBe(
        204,
      );
      expect((await one(fleet)).printers[0].paperOut).toBe(true);
      expect((await fleet.webhook(event(2, 62_000))).status).toBe(204);
      expect((await one(fleet)).printers[0].paperOut).toBe(false);
      for (const secret of ['wrong', tokenOf(MASTER, 'another')])
        expect((await fleet.webhook(event(3, 63_000, printer({ paperOut: true })), secret)).status).toBe(401);
      const unsigned = await fleet.call('POST', '/events', event(3, 63_000), { 'X-NODE-Signature': 'sha256=' });
      expect(unsigned.status).toBe(401);
      expect((await one(fleet)).printers[0].paperOut).toBe(false);
      await until(async () => (await kinds(fleet)).includes('bad_signature'));
    });

    it('shows what came of a job', async () => {
      const fleet = await fleetOn(await database());
      const result = { type: 'command_result', ok: false, commandId: 'c1', endpoint: 'receipt', error: 'no_printer' };
      await fleet.webhook(event(1, 1000, result));
      expect((await one(fleet)).jobs).toMatchObject([{ ok: false, commandId: 'c1', error: 'no_printer' }]);
    });

    it('that comes again is dropped also where it is so early in its boot that it could be of the next one', async () => {
      const fleet = await fleetOn(await database());
      const result = { type: 'command_result', ok: true, commandId: 'c1', endpoint: 'receipt', outcome: 'confirmed' };
      await fleet.beat(heartbeat());
      for (let sent = 0; sent < 2; sent += 1) expect((await fleet.webhook(event(1, 0, result))).status).toBe(204);
      expect((await one(fleet)).jobs).toHaveLength(1);
      expect(await counts(fleet)).toEqual({ replay: 1 });
    });

    it('that somebody recorded is dropped, with all behind it, also when the node was silent and the first said nothing new', async () => {
      const fleet = await fleetOn(await database());
      const result = (seq: number) => ({ type: 'command_result', ok: true, commandId: `c${seq}`, endpoint: 'receipt' });
      const recorded = [event(1, 600), ...[2, 3, 4].map((seq) => event(seq, 600 + seq, result(seq)))];
      await fleet.beat(heartbeat({ uptimeSeconds: 0 }));
      const send = async () => {
        for (const message of recorded) expect((await fleet.webhook(message)).status).toBe(204);
        return one(fleet);
      };
      const { lastSeen } = await send();
      // Silent for longer than the first one says that its boot was old.
      await until(() => Date.now() - Date.parse(lastSeen) > 700);
      // The first may be of a new boot; those behind it are not, and nor is it when it comes once more.
      expect((await send()).jobs).toHaveLength(3);
      expect(await counts(fleet)).toEqual({ replay: 3 });
      const heard = (await one(fleet)).lastSeen;
      await until(() => Date.now() - Date.parse(heard) > 700);
      expect(await send()).toMatchObject({ lastSeen: heard, jobs: { length: 3 } });
      expect(await counts(fleet)).toEqual({ replay: 7 });
    });

    it('is of the boot that is known also when its time has begun at 0 again', async () => {
      const fleet = await fleetOn(await database());
      const scan = { type: 'scan_read', endpoint: 'scanner', value: '1', seq: 1 };
      await fleet.beat(heartbeat({ uptimeSeconds: Math.ceil(2 ** 32 / 1000) + 5000 }));
      for (const seq of [1, 2]) expect((await fleet.webhook(event(seq, 5_000_000, scan))).status).toBe(204);
      expect(await counts(fleet)).toEqual({});
    });

    it('that comes again is dropped also where the first heartbeat of its boot came late, between the two', async () => {
      const fleet = await fleetOn(await database());
      const result = { type: 'command_result', ok: true, commandId: 'c1', endpoint: 'receipt', outcome: 'confirmed' };
      await fleet.beat(heartbeat({ uptimeSeconds: 4000 }));
      expect((await fleet.webhook(event(1, 3780, result))).status).toBe(204);
      // Sent before the event, as far as the node says, and taken in behind it.
      await fleet.beat(heartbeat({ seq: 1, bootId: 'b0000002', uptimeSeconds: 0 }));
      expect((await fleet.webhook(event(1, 3780, result))).status).toBe(204);
      expect((await fleet.webhook(event(2, 3900, { ...result, commandId: 'c2' }))).status).toBe(204);
      expect((await one(fleet)).jobs).toHaveLength(2);
      expect(await counts(fleet)).toEqual({ replay: 1 });
      // From the next heartbeat on they are told by their numbers.
      await fleet.beat(heartbeat({ seq: 2, bootId: 'b0000002', uptimeSeconds: 5 }));
      expect((await fleet.webhook(event(3, 5100, { ...result, commandId: 'c3' }))).status).toBe(204);
      for (const [seq, at] of [
        [1, 3780],
        [2, 3900],
      ] as const)
        expect((await fleet.webhook(event(seq, at, result))).status).toBe(204);
      expect((await one(fleet)).jobs).toHaveLength(3);
      expect(await counts(fleet)).toEqual({ replay: 3 });
    });

    it('that comes again, now or later, is dropped; the numbers of the next boot are not', async () => {
      const fleet = await fleetOn(await database());
      const scan = { type: 'scan_read', endpoint: 'scanner', value: '1', seq: 1 };
      const sent = async (message: object) => {
        expect((await fleet.webhook(message)).status).toBe(204);
        return (await one(fleet)).oddities.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
      };
      await fleet.beat(heartbeat({ uptimeSeconds: 4000 }));
      expect(await sent(event(1, 4_000_500, scan))).toBe(0);
      expect(await sent(event(2, 4_000_600, scan))).toBe(0);
      expect(await sent(event(2, 4_000_600, scan))).toBe(1);
      expect(await sent(event(1, 4_000_500, scan))).toBe(2);
      await fleet.beat(heartbeat({ seq: 1, bootId: 'b0000002', uptimeSeconds: 0 }));
      expect(await sent(event(1, 4_000_500, scan))).toBe(3);
      expect(await sent(event(1, 10, scan))).toBe(3);
      expect(await sent(event(2, 20, scan))).toBe(3);
    });
  });
});
