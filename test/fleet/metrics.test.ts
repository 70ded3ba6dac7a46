/** What Prometheus reads, and the alert rules for it, as its own tool takes them. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../node.ts';
import { noPromtool, promtool } from '../promtool.ts';
import { databases, EITHER, fleetOn, folder, heartbeat } from './fleet.ts';

const RULES = resolve('runtime/fleet/metrics/prometheus-rules.yml');
const database = databases(EITHER[0]);

it.skipIf(noPromtool)('Prometheus reads how many nodes are in which state, and which alerts go on', async () => {
  const fleet = await fleetOn(await database());
  await fleet.beat(heartbeat({ name: 'Bar', custodyHold: true }));
  await fleet.call('PUT', '/api/nodes/0a1b2c3d', { site: 'Graz' });
  await fleet.beat(heartbeat({ node: 'a"b\\c', variant: 'un\nusual' }));
  await until(async () => (await fleet.call('GET', '/api/alerts')).body.total === 1);
  const { headers, body } = await fleet.call('GET', '/metrics');
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).toContain('\ntillnode_fleet_nodes_in_state{state="custody_hold"} 1\n');
  expect(body).toMatch(
    /\ntillnode_fleet_alert\{rule="custody_hold",subject="0a1b2c3d",name="Bar",site="Graz"\} \d+\.\d+\n/,
  );
  expect(promtool(['check', 'metrics'], body)).toEqual({ status: 0, said: '' });
  expect((await fleet.call('GET', '/metrics', undefined, { Authorization: '' })).status).toBe(401);
});

it('counters never fall, whatever is forgotten; and alerts that go on are counted, of which a closed shop has none', async () => {
  const where = await database();
  const fleet = await fleetOn(where);
  const numbers = async () => {
    const { body } = await fleet.call('GET', '/metrics');
    return Object.fromEntries(
      [...body.matchAll(/^tillnode_fleet_(\S+) (\d+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
  };
  for (const seq of [1, 1, 1]) await fleet.beat(heartbeat({ node: 'goes', seq }));
  await fleet.beat(heartbeat(), 'a'.repeat(43));
  const counted = {
    heartbeats_total: 1,
    'oddities_total{kind="replay"}': 2,
    'oddities_total{kind="foreign_token"}': 1,
  };
  await until(async () => (await numbers())['oddities_total{kind="foreign_token"}'] === 1);
  expect(await numbers()).toMatchObject(counted);
  await fleet.call('PUT', '/api/settings', { rules: { offline: { afterSeconds: 1 } } });
  await fleet.call('PUT', '/api/sites/Shut', { hours: 'off' });
  await fleet.beat(heartbeat({ node: 'shut' }));
  await fleet.call('PUT', '/api/nodes/shut', { site: 'Shut' });
  await until(async () => (await numbers())['alerts_open{rule="offline"}'] === 1);
  await until(async () => (await numbers())['nodes_in_state{state="offline"}'] === 2);
  await fleet.call('DELETE', '/api/nodes/goes');
  await until(async () => (await numbers())['alerts_open{rule="offline"}'] === 0);
  expect(await numbers()).toMatchObject({ ...counted, heartbeats_total: expect.any(Number) });
});

it.skipIf(noPromtool)('the alert rules begin and end with what the metrics say', () => {
  expect(promtool(['check', 'rules', RULES]).said).toContain('SUCCESS');
  const series = (name: string, values: string) => ({ series: `tillnode_fleet_${name}`, values });
  const alert = (minutes: number, alertname: string, labels: object | undefined, summary = '') => ({
    eval_time: `${minutes}m`,
    alertname,
    exp_alerts: labels === undefined ? [] : [{ exp_labels: labels, exp_annotations: { summary } }],
  });
  const subject = '0a1b2c3d';
  const ofNode = (rule: string, severity: string) => ({ rule, subject, severity });
  const halted = { rule: 'rollout_halted', subject: 'rollout 3', severity: 'critical' };
  const tests = [
    {
      interval: '1m',
      input_series: [
        ...['offline', 'no_paper', 'crash_loop', 'custody_hold'].map((rule) =>
          series(`alert{rule="${rule}",subject="${subject}"}`, '1760000000x3 stale'),
        ),
        // Of a fleet of two processes.
        ...['a', 'b'].map((instance) =>
          series(`alert{rule="rollout_halted",subject="rollout 3",instance="${instance}"}`, '1760000000x3 stale'),
        ),
        series('alert{rule="rollout_stuck",subject="rollout 4"}', '1760000000x3 stale'),
        series('alert{rule="ingest_refused",subject="fleet"}', '1760000000x3 stale'),
        series('alert{rule="offline_not_judged",subject="fleet"}', '1760000000x3 stale'),
        // A night in which most shops are closed, and then as many nodes as that are missed.
        series('nodes_in_state{state="offline",instance="a"}', '90x30'),
        series('alerts_open{rule="offline",instance="a"}', '5x9 6x20'),
        series('nodes{instance="a"}', '100x30'),
        series('process_messages_refused_total{instance="a"}', '0x9 0+10x20'),
        series('process_disk_full{instance="a"}', '0x9 1x20'),
        series('process_bucket_failures_total{instance="a"}', '0x9 1x20'),
        series('oddities_total{kind="foreign_token",instance="a"}', '0x9 0+10x20'),
        { series: 'up{job="tillnode-fleet",instance="a"}', values: '1x9 0x20' },
      ],
      alert_rule_test: [
        alert(2, 'NodeOffline', ofNode('offline', 'warning'), `Node ${subject} is offline`),
        alert(2, 'NodeWithoutPaper', ofNode('no_paper', 'warning'), `Node ${subject} has no paper`),
        alert(2, 'NodeCrashLoop', ofNode('crash_loop', 'critical'), `Node ${subject} crashes again and again`),
        alert(2, 'NodeCustodyHold', ofNode('custody_hold', 'warning'), `Node ${subject} is in custody hold`),
        alert(2, 'RolloutHalted', halted, 'rollout 3 was halted by its error threshold'),
        alert(
          2,
          'RolloutStuck',
          { rule: 'rollout_stuck', subject: 'rollout 4', severity: 'warning' },
          'No node of rollout 4 comes further',
        ),
        alert(
          2,
          'FleetInTrouble',
          { severity: 'critical' },
          'A process of the fleet refuses messages, hangs, is missed or keeps beginning',
        ),
        alert(
          2,
          'OfflineNotJudged',
          { severity: 'warning' },
          'Whether nodes are offline is not judged: short trouble comes again and again',
        ),
        ...['RolloutStuck', 'FleetInTrouble', 'OfflineNotJudged'].map((name) => alert(5, name, undefined)),
        alert(5, 'NodeOffline', undefined),
        alert(5, 'NodeWithoutPaper', undefined),
        alert(9, 'ManyNodesOffline', undefined),
        alert(
          16,
          'ManyNodesOffline',
          { severity: 'critical' },
          'More than one node in twenty is offline, of shops that are open',
        ),
        alert(9, 'FleetRefusesMessages', undefined),
        alert(
          20,
          'FleetRefusesMessages',
          { instance: 'a', severity: 'critical' },
          'The fleet at a answers 503 to nodes',
        ),
        alert(9, 'FleetDiskFull', undefined),
        alert(
          10,
          'FleetDiskFull',
          { instance: 'a', severity: 'critical' },
          'The disk of the fleet at a is full: it takes nothing in',
        ),
        alert(9, 'FleetBucketFails', undefined),
        alert(
          12,
          'FleetBucketFails',
          { instance: 'a', severity: 'warning' },
          'Requests of the fleet at a to its bucket of images fail',
        ),
        alert(28, 'FleetBucketFails', undefined),
        alert(12, 'ForeignTokens', undefined),
        alert(
          29,
          'ForeignTokens',
          { kind: 'foreign_token', severity: 'warning' },
          'Many requests with a wrong token or signature in the last hour',
        ),
        alert(9, 'FleetDown', undefined),
        alert(
          13,
          'FleetDown',
          { job: 'tillnode-fleet', instance: 'a', severity: 'critical' },
          'The fleet at a does not answer',
        ),
      ],
    },
  ];
  const file = join(folder(), 'rules.test.json');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  const { status, said } = promtool(['test', 'rules', file]);
  expect([status, said]).toEqual([0, expect.stringContaining('SUCCESS')]);
});
