/** Ten thousand nodes at ten times speed: one of them has no paper for ten minutes, while a bad release is rolled out. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answer, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { callsOf, databases, ENGINES, MASTER } from './fleet.ts';
import { startFleetProcess } from './process.ts';
import { NONE } from './simulate/faults.ts';
import { Simulation } from './simulate/simulation.ts';

const NODES = 10_000;
const SPEED = 10;
const BAD = '0.2.0';
/** Most of it is the time that nodes take; beside other work it took five minutes (load 8). */
const PATIENCE_MS = 900_000;

/**
 * Waits for what the fleet says, and asks it seldom: its answers about thousands of nodes are work for it. It may be too
 * busy to take the connection.
 */
const untilSaid = (ask: () => Promise<unknown>): Promise<unknown> =>
  until(async () => {
    await pause(500);
    return ask().catch(() => false);
  });

/** Switches all nodes on, at a fleet of this engine that tells alerts. */
async function start(database: ReturnType<typeof databases>) {
  const receiver = await startReceiver(answer(204));
  const fleet = await startFleetProcess(await database(), MASTER);
  onTestFinished(fleet.stop);
  const { call } = callsOf(fleet.url);
  const settings = {
    rules: { no_paper: { afterSeconds: 600 / SPEED } },
    alerts: { webhook: { url: receiver.url, secret: 'sesame' } },
  };
  expect((await call('PUT', '/api/settings', settings)).status).toBe(200);
  const faults = { ...NONE, spoiled: 0.05 };
  const simulation = new Simulation({ url: fleet.url, token: MASTER, nodes: NODES, speed: SPEED, faults });
  onTestFinished(() => simulation.close());
  simulation.start();
  onTestFinished(() => simulation.stop());
  const told = (what: 'begun' | 'ended'): object[] =>
    receiver.received
      .flatMap(({ body }) => JSON.parse(body)[what])
      .filter(({ rule }: { rule: string }) => rule === 'no_paper');
  return { call, simulation, told };
}
type Running = Awaited<ReturnType<typeof start>>;

/** At two nodes, of which one gets another roll before ten minutes are over. */
async function paperRunsOut({ call, simulation, told }: Running): Promise<void> {
  const [, , node = expect.fail(), another = expect.fail()] = simulation.nodes;
  const since = async ({ id }: { id: string }) => (await call('GET', `/api/nodes/${id}`)).body.paperOutSince;
  node.paperOut = true;
  another.paperOut = true;
  await untilSaid(() => since(another));
  another.paperOut = false;
  await until(() => told('begun').length > 0);
  expect((await call('GET', '/api/nodes?filter=state:no_paper')).body.nodes).toMatchObject([{ id: node.id }]);
  // It says so again, which is told to nobody.
  const { heartbeats } = (await call('GET', `/api/nodes/${node.id}`)).body;
  await untilSaid(async () => (await call('GET', `/api/nodes/${node.id}`)).body.heartbeats > heartbeats + 1);
  node.paperOut = false;
  await until(() => told('ended').length > 0);
  expect(await since(another)).toBe(null);
  expect(told('begun')).toMatchObject([{ subject: node.id, ended: null }]);
  expect(told('ended')).toMatchObject([{ subject: node.id, ended: expect.any(String) }]);
  expect((await call('GET', '/api/alerts?rule=no_paper')).body.total).toBe(1);
}

async function badReleaseIsHalted({ call, simulation }: Running): Promise<void> {
  await untilSaid(async () => (await call('GET', '/api/summary')).body.total === NODES);
  const { groups } = await simulation.rollOut(BAD, { healthyAfterSeconds: 180 / SPEED });
  expect(groups.map(({ size }) => size)).toEqual([1, 99, 900, 9000]);
  const rollout = () => simulation.rollout();
  await untilSaid(async () => (await rollout())?.state !== 'running');
  expect(await rollout()).toMatchObject({ state: 'halted', reason: expect.stringMatching(/^\d+ of the \d+ nodes/) });
  // Many ask after that.
  const checks = () => simulation.ledger.answers.get('update check')?.get('204') ?? 0;
  const asked = checks();
  await until(() => checks() > asked + NODES / 5);
  const had = simulation.nodes.filter((node) => node.hasRun(BAD)).length;
  expect(had).toBeGreaterThan(0);
  expect(had).toBeLessThan(0.02 * NODES);
}

describe.each(ENGINES)('on %s', (engine) => {
  const database = databases(engine);

  it(
    'no paper for ten minutes at one node is one alert and one all-clear; a release that crashes on 5 % is halted before 2 % have had it',
    async () => {
      const running = await start(database);
      await Promise.all([paperRunsOut(running), badReleaseIsHalted(running)]);
    },
    PATIENCE_MS,
  );
});
