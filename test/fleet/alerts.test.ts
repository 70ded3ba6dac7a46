/** States of nodes, and alerts: one when a state begins, one when it ends, told by webhook and by mail. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RULES } from '../../runtime/fleet/alerts/contract.ts';
import { mailOf } from '../../runtime/fleet/alerts/mail.ts';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { answer, hang, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { databases, EITHER, fleetOn, heartbeat, printer, type RunningFleet } from './fleet.ts';

const statesOf = async (fleet: RunningFleet, id = '0a1b2c3d') =>
  (await fleet.call('GET', `/api/nodes/${id}`)).body.states as string[];
const crash = (n: number) => ({ bootId: `b000000${n}`, reason: 'crash', uptimeSeconds: n });

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('a node that is no longer heard is offline, and online with the next heartbeat', async () => {
    const fleet = await fleetOn(await database());
    await fleet.call('PUT', '/api/settings', { rules: { offline: { afterSeconds: 1 } } });
    await fleet.beat(heartbeat());
    await until(async () => (await statesOf(fleet)).includes('offline'));
    expect((await fleet.call('GET', '/api/nodes?filter=state:offline')).body.total).toBe(1);
    const { alerts } = (await fleet.call('GET', '/api/alerts')).body;
    expect(alerts).toMatchObject([{ rule: 'offline', subject: '0a1b2c3d', ended: null }]);
    await fleet.call('PUT', '/api/settings', { rules: { offline: { afterSeconds: 600 } } });
    await fleet.beat(heartbeat({ seq: 2 }));
    await until(async () => (await fleet.call('GET', '/api/nodes?filter=state:offline')).body.total === 0);
    const { transitions } = (await fleet.call('GET', '/api/nodes/0a1b2c3d')).body;
    expect(transitions.filter(({ kind }: { kind: string }) => kind === 'state')).toMatchObject([
      { before: 'offline' },
      { after: 'offline' },
    ]);
  });

  it('while a process of the fleet hangs, nobody is offline; that is one alert of its own', async () => {
    const where = await database();
    const fleet = await fleetOn(where);
    await fleet.call('PUT', '/api/settings', {
      rules: { offline: { afterSeconds: 1 }, no_paper: { afterSeconds: 3 } },
    });
    await fleet.beat(heartbeat({ node: 'before' }));
    await until(async () => (await statesOf(fleet, 'before')).includes('offline'));
    await fleet.stop();
    const on = await openDatabase(where);
    await on.query("INSERT INTO listener (name, at) VALUES ('another process', now() - interval '1 minute')");
    await on.close();
    const again = await fleetOn(where);
    await again.beat(heartbeat({ node: 'meanwhile' }));
    const open = async (rule: string) => (await again.call('GET', `/api/alerts?open=true&rule=${rule}`)).body;
    await until(async () => (await open('ingest_refused')).total === 1);
    // Three seconds and a look later it would be, with the rule of one second.
    let seq = 0;
    await until(async () => {
      seq += 1;
      await again.beat(heartbeat({ node: 'heard', seq, printers: [printer({ paperOut: true })] }));
      return (await statesOf(again, 'heard')).includes('no_paper');
    });
    expect(await statesOf(again, 'meanwhile')).toEqual([]);
    expect((await open('ingest_refused')).alerts).toMatchObject([{ subject: 'fleet' }]);
    // What was so before stays so.
    expect(await statesOf(again, 'before')).toEqual(['offline']);
    await again.stop();
    const over = await openDatabase(where);
    await over.query('DELETE FROM listener');
    await over.close();
    const last = await fleetOn(where);
    await until(async () => (await statesOf(last, 'meanwhile')).includes('offline'));
    expect((await last.call('GET', '/api/alerts?open=true&rule=ingest_refused')).body.total).toBe(0);
  });

  it('without paper is what its printer has said for long enough; it is told once as it begins and once as it ends', async () => {
    const receiver = await startReceiver(answer(204));
    const fleet = await fleetOn(await database());
    const put = { rules: { no_paper: { afterSeconds: 1 } }, alerts: { webhook: { url: receiver.url, secret: 's' } } };
    expect((await fleet.call('PUT', '/api/settings', put)).status).toBe(200);
    const out = { printers: [printer({ paperOut: true })] };
    await fleet.beat(heartbeat(out));
    await fleet.beat(heartbeat({ node: 'another' }));
    let seq = 1;
    await until(async () => {
      seq += 1;
      await fleet.beat(heartbeat({ ...out, seq }));
      return (await statesOf(fleet)).includes('no_paper');
    });
    await until(() => receiver.received.length === 1);
    await fleet.beat(heartbeat({ seq: seq + 1 }));
    await until(() => receiver.received.length === 2);
    const told = receiver.received.map(({ body }) => JSON.parse(body));
    const about = (alert: object) => [expect.objectContaining({ rule: 'no_paper', subject: '0a1b2c3d', ...alert })];
    expect(told).toMatchObject([
      { begun: about({ ended: null }), ended: [], more: 0 },
      { begun: [], ended: about({ ended: expect.any(String) }), more: 0 },
    ]);
    const [{ body = '', headers = {} } = {}] = receiver.received;
    const signature = createHmac('sha256', 's').update(body).digest('hex');
    expect(headers['x-node-signature']).toBe(`sha256=${signature}`);
    expect((await fleet.call('GET', '/api/alerts')).body.total).toBe(1);
  });

  it('three crashes within the time of the rule are a loop; custody hold is a state as long as it is told', async () => {
    const fleet = await fleetOn(await database());
    await fleet.beat(heartbeat({ custodyHold: true }));
    for (const n of [1, 2, 3]) await fleet.beat(heartbeat({ bootId: `b000001${n}`, crash: crash(n) }));
    await until(async () => (await statesOf(fleet)).join() === 'crash_loop');
    await fleet.call('PUT', '/api/settings', { rules: { crash_loop: { withinSeconds: 0 } } });
    await fleet.beat(heartbeat({ bootId: 'b0000013', seq: 2, crash: crash(3), custodyHold: true }));
    await until(async () => (await statesOf(fleet)).join() === 'custody_hold');
  });

  it('a node that says this and then that is told of a few times, and then each ten minutes; what is so for good is told', async () => {
    const where = await database();
    let fleet = await fleetOn(where);
    let seq = 0;
    const say = async (custodyHold: boolean) => {
      seq += 1;
      await fleet.beat(heartbeat({ seq, custodyHold }));
      await until(async () => (await statesOf(fleet)).includes('custody_hold') === custodyHold);
    };
    const alerts = async (query = '') => (await fleet.call('GET', `/api/alerts?rule=custody_hold${query}`)).body.total;
    for (let times = 1; times <= 6; times += 1) {
      await say(true);
      await until(async () => (await alerts()) === times);
      await say(false);
      await until(async () => (await alerts('&open=true')) === 0);
    }
    // Nothing more of it is kept than of what else a node says, either.
    const rows = async () =>
      (await fleet.call('GET', '/api/nodes/0a1b2c3d')).body.transitions.filter(
        ({ kind }: { kind: string }) => kind === 'state',
      ).length;
    expect(await rows()).toBe(12);
    await fleet.stop();
    const on = await openDatabase(where);
    await on.query(
      `UPDATE node SET budget = json_build_object('at', (extract(epoch FROM now()) * 1000)::bigint, 'rows', 0, 'events', 0, 'folded', 0)`,
    );
    await on.close();
    fleet = await fleetOn(where);
    await say(true);
    await fleet.beat(heartbeat({ node: 'another', custodyHold: true }));
    await until(async () => (await alerts()) > 6);
    expect([await alerts('&subject=0a1b2c3d'), await rows()]).toEqual([6, 12]);
    await fleet.stop();
    const again = await openDatabase(where);
    await again.query("UPDATE alert SET began = began - interval '10 minutes'");
    await again.close();
    fleet = await fleetOn(where);
    await until(async () => (await alerts('&open=true&subject=0a1b2c3d')) === 1);
  });

  it('an end is told after its beginning, also where the receiver was away for that', async () => {
    let away = true;
    const receiver = await startReceiver((...call) => answer(away ? 503 : 204)(...call));
    const where = await database();
    const fleet = await fleetOn(where);
    await fleet.call('PUT', '/api/settings', { alerts: { webhook: { url: receiver.url, secret: '' } } });
    await fleet.beat(heartbeat({ custodyHold: true }));
    await until(() => receiver.received.length === 1);
    await fleet.beat(heartbeat({ seq: 2 }));
    await until(async () => (await fleet.call('GET', '/api/alerts?open=false')).body.total === 1);
    away = false;
    await until(() => receiver.received.length === 3);
    const told = receiver.received.slice(1).map(({ body }) => JSON.parse(body));
    expect(told).toMatchObject([{ begun: [{ rule: 'custody_hold' }] }, { ended: [{ rule: 'custody_hold' }] }]);
  }, 90_000);

  it('a clock that was set back stops no look', async () => {
    const where = await database();
    const first = await fleetOn(where);
    await first.beat(heartbeat());
    await until(async () => (await first.call('GET', '/api/nodes')).body.total === 1);
    await first.stop();
    const on = await openDatabase(where);
    await on.query("UPDATE duty SET done_at = now() + interval '30 days', since = now() + interval '29 days'");
    await on.query("UPDATE node SET last_seen = now() + interval '30 days'");
    await on.close();
    const again = await fleetOn(where);
    await again.call('PUT', '/api/settings', { rules: { offline: { afterSeconds: 1 } } });
    await until(async () => (await statesOf(again)).includes('offline'));
  });

  it('a rule that tells nothing still shows the state', async () => {
    const fleet = await fleetOn(await database());
    await fleet.call('PUT', '/api/settings', { rules: { custody_hold: { alert: false } } });
    await fleet.beat(heartbeat({ custodyHold: true }));
    await until(async () => (await statesOf(fleet)).length === 1);
    expect((await fleet.call('GET', '/api/alerts')).body.total).toBe(0);
  });

  it('after a time in which the fleet itself was away, nobody is offline who could not be heard', async () => {
    const fleet = await fleetOn(await database());
    await fleet.call('PUT', '/api/settings', { rules: { offline: { afterSeconds: 3 } } });
    await fleet.beat(heartbeat());
    await fleet.stop();
    // As after an hour.
    const tables = await openDatabase(fleet.where);
    await tables.query("UPDATE node SET last_seen = now() - interval '1 hour'");
    await tables.query("UPDATE duty SET since = now() - interval '1 day', done_at = now() - interval '1 hour'");
    const [{ now } = expect.fail()] = await tables.query<{ now: Date }>('SELECT now() AS now');
    await tables.close();
    const again = await fleetOn(fleet.where);
    await until(async () => (await statesOf(again)).includes('offline'));
    const { transitions } = (await again.call('GET', '/api/nodes/0a1b2c3d')).body;
    expect(Date.parse(transitions[0].at) - now.getTime()).toBeGreaterThanOrEqual(3000);
  });
});

describe('a mail', () => {
  const database = databases(EITHER[0]);

  it.each(RULES)('says %s in words', (rule) => {
    const alert = { id: 1, rule, subject: 'rollout 1', began: '', ended: null, name: '', site: null };
    const begun = [{ ...alert, acknowledgedAt: null, acknowledgedBy: null }];
    const message = { id: 1, at: '2026-01-01T00:00:00Z', begun, ended: [], more: 0 };
    expect(mailOf(message, { from: 'a@b', to: [], language: 'en' }).subject).toMatch(/^(rollout 1|the fleet) [a-z ]+$/);
  });

  it('says it in the language of the settings, of nodes and of what is no node', () => {
    const alert = { id: 1, rule: 'offline', subject: '0a1b2c3d', name: 'Kasse 1', site: 'Graz' };
    const rest = { began: '2026-01-01T00:00:00Z', ended: null, acknowledgedAt: null, acknowledgedBy: null };
    const rollout = { ...alert, rule: 'rollout_stuck', subject: 'rollout 7', name: '', site: null };
    const message = {
      id: 1,
      at: rest.began,
      begun: [
        { ...alert, ...rest },
        { ...rollout, ...rest },
      ],
      ended: [],
      more: 3,
    };
    const { subject, text } = mailOf(message, { from: 'a@b', to: [], language: 'de' });
    expect(subject).toBe('Kasse 1 (0a1b2c3d) in Graz ist offline und 4 weitere');
    expect(text).toBe(
      [
        'seit 2026-01-01T00:00:00Z: Kasse 1 (0a1b2c3d) in Graz ist offline',
        'seit 2026-01-01T00:00:00Z: Rollout 7 kommt nicht weiter',
        'und 3 weitere\n',
      ].join('\n'),
    );
  });

  it('tells the same, by a server that may have the password only where it is safe', async () => {
    const said: string[] = [];
    const server = createServer((socket) => {
      socket.write('220 mail.example\r\n');
      let data = false;
      let held = '';
      socket.on('data', (chunk) => {
        held += chunk;
        for (let end = held.indexOf('\r\n'); end >= 0; end = held.indexOf('\r\n')) {
          const line = held.slice(0, end);
          held = held.slice(end + 2);
          said.push(line);
          if (data && line !== '.') continue;
          data = line === 'DATA';
          const code = /^EHLO/.test(line)
            ? '250-mail.example\r\n250 AUTH PLAIN'
            : /^AUTH/.test(line)
              ? 235
              : /gone/.test(line)
                ? 550
                : data
                  ? 354
                  : 250;
          socket.write(`${code}${typeof code === 'number' ? ' so' : ''}\r\n`);
        }
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const fleet = await fleetOn(await database());
    const mail = {
      server: `smtp://127.0.0.1:${port}`,
      user: 'u',
      password: 'p',
      from: 'fleet@a.example',
      to: ['b@c.example', 'gone@c.example'],
    };
    const stored = await fleet.call('PUT', '/api/settings', { alerts: { mail } });
    expect(stored.body.alerts.mail).toEqual({
      server: mail.server,
      user: 'u',
      from: mail.from,
      to: mail.to,
      language: 'en',
      passwordSet: true,
    });
    for (const alerts of [{ webhook: { url: 'http://[' } }, { mail: { server: 'smtp://[' } }])
      expect((await fleet.call('PUT', '/api/settings', { alerts })).body).toMatchObject({ error: 'invalid_request' });
    // A receiver that never answers holds up neither the mail nor the end of the fleet.
    const hangs = await startReceiver(hang);
    await fleet.call('PUT', '/api/settings', { alerts: { webhook: { url: hangs.url, secret: '' } } });
    await fleet.beat(heartbeat({ custodyHold: true }));
    await until(() => said.includes('.') && hangs.received.length === 1);
    await fleet.beat(heartbeat({ seq: 2 }));
    await until(() => said.filter((line) => line === '.').length === 2);
    expect(said).toEqual(
      expect.arrayContaining([
        `AUTH PLAIN ${Buffer.from('\0u\0p').toString('base64')}`,
        'MAIL FROM:<fleet@a.example>',
        'RCPT TO:<b@c.example>',
        'Subject: 0a1b2c3d is in custody hold',
      ]),
    );
    const moved = await fleet.call('PUT', '/api/settings', {
      alerts: { mail: { server: 'smtp://elsewhere.example' } },
    });
    expect(moved.body.alerts.mail.passwordSet).toBe(false);
    await fleet.stop();
    expect(hangs.received).toHaveLength(1);
  });
});
