/** Silence of nodes that are there: heartbeats that are lost on their way to the fleet, and those that come seldom. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../runtime/fleet/database/open.ts';
import { until } from '../node.ts';
import { databases, ENGINES, fleetOn, heartbeat, MASTER } from './fleet.ts';
import { hasListened } from './rollout.ts';
import { NONE } from './simulate/faults.ts';
import { Simulation } from './simulate/simulation.ts';

const database = databases(ENGINES.at(-1)!);
const NODES = 20;
const SPEED = 20;
const RULE_SECONDS = 180 / SPEED;
/** By their number since the node was started. */
const LOST = [3, 4];

/** A way to the fleet on which some heartbeats of each node are lost; `came`: the last of each that was answered. */
async function wayTo(fleet: string): Promise<{ readonly url: string; readonly came: ReadonlyMap<string, number> }> {
  const came = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { node = '', seq = 0 } = request.url === '/heartbeat' ? JSON.parse(body.toString()) : {};
    if (LOST.includes(seq)) {
      request.socket.destroy();
      return;
    }
    const { method = '', url = '', headers } = request;
    const answer = await fetch(`${fleet}${url}`, {
      method,
      headers: { Authorization: headers.authorization ?? '' },
      ...(method === 'POST' && { body: new Uint8Array(body) }),
    });
    if (answer.ok) came.set(node, seq);
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, came };
}

it('a node of which a heartbeat is lost, and the next one, is back before anybody is told that it is offline', async () => {
  const where = await database();
  const on = await openDatabase(where);
  await hasListened(on);
  await on.close();
  const fleet = await fleetOn(where);
  await fleet.call('PUT', '/api/settings', { rules: { offline: { afterSeconds: RULE_SECONDS } } });
  const way = await wayTo(fleet.url);
  const simulation = new Simulation({ url: way.url, token: MASTER, nodes: NODES, speed: SPEED, faults: NONE });
  onTestFinished(() => simulation.close());
  onTestFinished(() => simulation.stop());
  simulation.start();
  const offline = async () => (await fleet.call('GET', '/api/alerts?rule=offline')).body.total;
  await until(() => [...way.came.values()].filter((seq) => seq > Math.max(...LOST)).length === NODES);
  expect(await offline()).toBe(0);
  // And one that is gone is.
  simulation.stop();
  await until(async () => (await offline()) === NODES);
});

it('a node that comes seldom is offline where it is silent for twice as long as from one heartbeat to the next, also after a restart', async () => {
  const where = await database();
  const on = await openDatabase(where);
  await hasListened(on);
  await on.close();
  const fleet = await fleetOn(where);
  await fleet.call('PUT', '/api/settings', { rules: { offline: { afterSeconds: 2 } } });
  await fleet.call('PUT', '/api/sites/Graz', { hours: 'Mo-Su 00:00-24:00' });
  for (const [node, pace] of [
    ['often', 1],
    ['seldom', 4],
    ['anew', 4],
  ] as const) {
    // One in between was lost.
    for (const [seq, times] of [
      [1, 0],
      [3, 2],
    ] as const)
      await fleet.beat(heartbeat({ node, seq, uptimeSeconds: 60 + times * pace }));
    await fleet.call('PUT', `/api/nodes/${node}`, { site: 'Graz' });
  }
  await fleet.beat(heartbeat({ node: 'anew', bootId: 'b0000002', uptimeSeconds: 1 }));
  const silentMs = async () => {
    const { alerts } = (await fleet.call('GET', '/api/alerts?rule=offline')).body;
    const { nodes } = (await fleet.call('GET', '/api/nodes')).body;
    const seen = new Map(nodes.map(({ id, lastSeen }: Record<string, string>) => [id, Date.parse(lastSeen ?? '')]));
    return new Map<string, number>(
      alerts.map(({ subject, began }: Record<string, string>) => [
        subject,
        Date.parse(began ?? '') - Number(seen.get(subject)),
      ]),
    );
  };
  await until(async () => (await silentMs()).size === 3);
  const silent = await silentMs();
  expect(silent.get('often')).toBeGreaterThanOrEqual(2000);
  for (const node of ['seldom', 'anew']) expect(silent.get(node)).toBeGreaterThanOrEqual(8000);
  expect(silent.get('often')).toBeLessThan(Number(silent.get('seldom')));
});
