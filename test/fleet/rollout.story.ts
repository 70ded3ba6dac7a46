/** A release that crashes on a part of ten thousand nodes. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { NONE } from '../../runtime/fleet/simulate/faults.ts';
import { Simulation } from '../../runtime/fleet/simulate/simulation.ts';
import { until } from '../node.ts';
import { databases, ENGINES, MASTER } from './fleet.ts';
import { startFleetProcess } from './process.ts';

const NODES = 10_000;
const SPEED = 10;
const BAD = '0.2.0';

describe.each(ENGINES)('on %s', (engine) => {
  const database = databases(engine);

  it('a release that crashes on 5 % of nodes is halted before 2 % have had it', async () => {
    const fleet = await startFleetProcess(await database(), MASTER);
    onTestFinished(fleet.stop);
    const faults = { ...NONE, spoiled: 0.05 };
    const simulation = new Simulation({ url: fleet.url, token: MASTER, nodes: NODES, speed: SPEED, faults });
    onTestFinished(() => simulation.close());
    simulation.start();
    onTestFinished(() => simulation.stop());
    await until(() => simulation.ledger.heard === NODES);
    const { groups } = await simulation.rollOut(BAD, { healthyAfterSeconds: 180 / SPEED });
    expect(groups.map(({ size }) => size)).toEqual([1, 99, 900, 9000]);
    const rollout = () => simulation.rollout();
    await until(async () => (await rollout())?.state !== 'running');
    expect(await rollout()).toMatchObject({ state: 'halted', reason: expect.stringMatching(/^\d+ of the \d+ nodes/) });
    // Many ask after that.
    const checks = () =>
      [...(simulation.ledger.answers.get('update check')?.values() ?? [])].reduce((a, b) => a + b, 0);
    const asked = checks();
    await until(() => checks() > asked + NODES / 5);
    const had = simulation.nodes.filter((node) => node.hasRun(BAD)).length;
    expect(had).toBeGreaterThan(0);
    expect(had).toBeLessThan(0.02 * NODES);
  });
});
