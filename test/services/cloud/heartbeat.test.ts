import { describe, expect, it, onTestFinished } from 'vitest';
import { createAjv } from '../../../runtime/base/ajv.ts';
import { DEFAULTS } from '../../../runtime/fleet/settings/settings.ts';
import { Outbound } from '../../../runtime/http/outbound.ts';
import { silentLogger } from '../../../runtime/kernel/log.ts';
import { HeartbeatEvent, HeartbeatMessage } from '../../../runtime/services/cloud/contract.ts';
import { DEADLINE_MS, Heartbeat } from '../../../runtime/services/cloud/heartbeat.ts';
import {
  HEARTBEAT_RETRY_MS,
  pauseMs,
  Recurring,
  type RecurringParts,
  SLOWEST_HEARTBEAT_MS,
} from '../../../runtime/services/cloud/recurring.ts';
import { answer, type Behaviour, drip, hang, pour, say, startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { heartbeat } from './beat.ts';
import { type CloudNode, reply, startCloudNode, TOKEN } from './node.ts';

/** The pauses of heartbeats after failures. */
const PAUSES = { retryMs: HEARTBEAT_RETRY_MS, slowestMs: SLOWEST_HEARTBEAT_MS };

const heartbeats = ({ events }: CloudNode) => events.filter(({ type }) => type === 'heartbeat');

describe('a heartbeat', () => {
  it('is a POST to url/heartbeat with the token as a bearer, and an event with its seq and status', async () => {
    const cloud = await startReceiver(answer(204));
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', { url: `${cloud.url}/till/`, token: TOKEN });
    await until(() => heartbeats(node).length === 1);
    const sent = cloud.received.find(({ method }) => method === 'POST') ?? expect.fail();
    expect([sent.target, sent.headers['authorization']]).toEqual(['/till/heartbeat', `Bearer ${TOKEN}`]);
    const message = JSON.parse(sent.body) as HeartbeatMessage;
    expect(createAjv().validate(HeartbeatMessage, message)).toBe(true);
    const { identity } = (await node.call('GET', '/status')).body as { identity: Record<string, unknown> };
    expect(message).toMatchObject({
      node: identity['deviceId'],
      seq: 1,
      variant: 'twin',
      firmwareVersion: '0.0.0-test',
      slot: 'a',
    });
    expect(message.peripherals).toContainEqual({ endpoint: 'receipt', kind: 'printer', condition: 'bound' });
    expect(message.codecs).toEqual(expect.arrayContaining(['escpos', 'hid-keyboard', 'hid-scale']));
    expect(message).not.toHaveProperty('name');
    expect(heartbeats(node)).toEqual([{ type: 'heartbeat', seq: 1, status: 204 }]);
    expect(createAjv().validate(HeartbeatEvent, heartbeats(node)[0])).toBe(true);
  });

  it('carries the name of the node, once it has one', async () => {
    const cloud = await startReceiver(answer(204));
    const node = await startCloudNode();
    await node.kernel.settings.update((draft) => {
      draft.name = 'Café, till 2';
    });
    expect((await heartbeat(node, cloud)).name).toBe('Café, till 2');
  });

  it('goes to heartbeatUrl where that is set, also without a cloud and without a token', async () => {
    const own = await startReceiver();
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', { heartbeatUrl: `${own.url}/alive?shop=1` });
    await until(() => heartbeats(node).length === 1);
    expect(own.received.map(({ target, headers }) => [target, headers['authorization']])).toEqual([
      ['/alive?shop=1', undefined],
    ]);
  });

  it('comes again after a restart of the node, which begins to count anew', async () => {
    const cloud = await startReceiver();
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', { heartbeatUrl: cloud.url });
    await until(() => heartbeats(node).length === 1);
    await node.stop();
    const again = await startCloudNode({ storage: node.storage });
    await until(() => heartbeats(again).length === 1);
    expect(heartbeats(again)).toEqual([{ type: 'heartbeat', seq: 1, status: 200 }]);
  });

  it('stops when the URLs are taken away', async () => {
    const cloud = await startReceiver(hang);
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', { url: cloud.url });
    await until(() => cloud.received.length === 2);
    await node.call('PUT', '/cloud', { url: '' });
    await until(() => cloud.sockets.every(({ destroyed }) => destroyed));
    expect(heartbeats(node)).toEqual([]);
  });

  it('is answered by whatever it likes: no setting changes, and the connection is let go', async () => {
    const wish = { url: 'http://evil.example', token: 'theirs', config: { apiMode: 'strict' }, printWidthCols: 16 };
    const cloud = await startReceiver(reply(200, wish, 'X-NODE-Api-Key: a', 'Set-Cookie: a=b'));
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', { heartbeatUrl: cloud.url });
    const before = [await node.call('GET', '/cloud'), await node.call('GET', '/config')];
    const file = await node.storage.read('settings.a');
    await until(() => heartbeats(node).length === 1);
    expect([await node.call('GET', '/cloud'), await node.call('GET', '/config')]).toEqual(before);
    expect(await node.storage.read('settings.a')).toEqual(file);
  });

  it('to the node itself is an attempt without a status', async () => {
    const node = await startCloudNode();
    await node.call('PUT', '/cloud', { heartbeatUrl: `${node.url}/restart` });
    await until(() => heartbeats(node).length === 1);
    expect([heartbeats(node)[0]?.['status'], node.boot.restarts]).toEqual([-1, 0]);
    expect(node.logged.join()).toContain('refused');
  });

  it.each<[string, Behaviour, number]>([
    ['hangs', hang, -1],
    ['drips its head', drip('HTTP/1.1 200 OK\r\nA: ', 'b'), -1],
    ['speaks something else', say('SSH-2.0-x\r\n'), -1],
    ['redirects', answer(307, 'Location: http://127.0.0.1:1/'), 307],
    ['answers a hundred megabytes', pour('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(65_536)), 200],
    [
      'sends a gigabyte of gzip',
      pour('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n', '\x1f\x8b'.repeat(32_768)),
      200,
    ],
    ['drips its body', drip('HTTP/1.1 200 OK\r\n\r\n', 'x'), 200],
    ['refuses', answer(503), 503],
  ])('to a receiver that %s ends in time', async (_name, behave, status) => {
    const cloud = await startReceiver(behave);
    const node = await startCloudNode();
    await node.kernel.settings.update((draft) => {
      draft['cloud'] = { heartbeatUrl: cloud.url, token: TOKEN };
    });
    const outbound = new Outbound({ refuses: () => false });
    onTestFinished(() => outbound.close());
    const beat = new Heartbeat(node.kernel, outbound, 300).beat(new AbortController().signal);
    if (status === 200) await beat;
    else await expect(beat).rejects.toThrow(/no answer|answered|Parse/);
    expect(heartbeats(node)).toEqual([{ type: 'heartbeat', seq: 1, status }]);
    await until(() => cloud.sockets.every((socket) => socket.destroyed || status > 200));
  });
});

describe('what comes again', () => {
  const recur = (parts: Partial<RecurringParts>) => {
    const recurring = new Recurring({
      name: 'work',
      work: async () => {},
      everyMs: () => 1,
      log: silentLogger,
      random: () => 0,
      ...parts,
    });
    onTestFinished(() => recurring.stop());
    return recurring;
  };

  it('keeps its rhythm while it succeeds, and waits twice as long with each failure, an hour at most', () => {
    const seconds = (everyS: number) =>
      [0, 1, 2, 3, 20, 2000].map((failures) => pauseMs(everyS * 1000, failures, () => 0) / 1000);
    expect(seconds(60)).toEqual([60, 120, 240, 480, 3600, 3600]);
    expect(seconds(3600)).toEqual([3600, 3600, 3600, 3600, 3600, 3600]);
    expect(seconds(86_400)).toEqual([86_400, 86_400, 86_400, 86_400, 86_400, 86_400]);
  });

  it('with a shorter time to the first retry doubles that, up to its own interval', () => {
    const minutes = [0, 1, 2, 3, 6, 7, 2000].map(
      (failures) => pauseMs(3_600_000, failures, () => 0, { retryMs: 60_000 }) / 60_000,
    );
    expect(minutes).toEqual([60, 1, 2, 4, 32, 60, 60]);
  });

  it('waits up to a tenth longer by chance, and never less', () => {
    expect([0, 0.5, 1].map((chance) => pauseMs(1000, 0, () => chance))).toEqual([1000, 1050, 1100]);
  });

  it('asks at most once an hour and a few times more in a day without internet', () => {
    let [now, tries, failures] = [0, 0, 0];
    for (; now < 86_400_000; tries += 1) now += pauseMs(60_000, failures++, () => 0);
    expect(tries).toBeLessThanOrEqual(24 + 6);
  });

  it('is there again, however long a fleet was away, before silence there means offline', () => {
    const longest = (everyS: number) => pauseMs(1000 * everyS, 1000, () => 1, PAUSES) + DEADLINE_MS;
    for (const everyS of [5, 60, 80]) expect(longest(everyS)).toBeLessThan(1000 * DEFAULTS.rules.offline.afterSeconds);
    // What is rarer anyway stays so.
    expect(pauseMs(900_000, 1000, () => 0, PAUSES)).toBe(900_000);
  });

  it('is there again where one was lost, and the next one, before silence means offline', () => {
    const silent = (everyS: number) =>
      [0, 1, 2].reduce((ms, failures) => ms + pauseMs(1000 * everyS, failures, () => 1, PAUSES) + DEADLINE_MS, 0);
    for (const everyS of [10, 60, 80]) expect(silent(everyS)).toBeLessThan(1000 * DEFAULTS.rules.offline.afterSeconds);
    expect([1, 2, 3, 4, 5].map((failures) => pauseMs(60_000, failures, () => 0, PAUSES) / 1000)).toEqual([
      15, 30, 60, 120, 120,
    ]);
  });

  it('runs again and again, never two at a time', async () => {
    let [runs, underWay, most] = [0, 0, 0];
    const work = async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 3));
      underWay -= 1;
      runs += 1;
    };
    recur({ work }).start(0);
    await until(() => runs >= 5);
    expect(most).toBe(1);
  });

  it('begun anew breaks off what is under way, whose end then starts nothing', async () => {
    const signals: AbortSignal[] = [];
    const ends: (() => void)[] = [];
    const work = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const recurring = recur({ work });
    recurring.start(0);
    await until(() => signals.length === 1);
    recurring.start(0);
    await until(() => signals.length === 2);
    ends[0]?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    ends[1]?.();
    await until(() => signals.length === 3);
  });

  it('says a fault once, until there is another', async () => {
    const said: unknown[] = [];
    const faults = ['a', 'a', 'b', '', 'b'];
    let runs = 0;
    const work = async () => {
      const fault = faults[runs++];
      if (fault) throw new Error(fault);
    };
    const log = {
      ...silentLogger,
      warn: (fields: unknown) => void said.push(fields),
    } as unknown as typeof silentLogger;
    recur({ work, log }).start(0);
    await until(() => runs >= 6);
    expect(said).toEqual([{ reason: 'a' }, { reason: 'b' }, { reason: 'b' }]);
  });

  it('does nothing where there is nothing to do', async () => {
    let runs = 0;
    recur({
      everyMs: () => undefined,
      work: async () => {
        runs += 1;
      },
    }).start(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(runs).toBe(0);
  });
});
