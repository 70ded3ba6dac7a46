/** The simulated fleet, in small: real messages, and a rollout. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../node.ts';
import { databases, EITHER, fleetOn, MASTER, type RunningFleet } from './fleet.ts';
import { FAULTS, type Faults, NONE } from './simulate/faults.ts';
import { Simulation } from './simulate/simulation.ts';

const NODES = 40;

function simulate(fleet: RunningFleet, speed: number, faults: Faults): Simulation {
  const simulation = new Simulation({ url: fleet.url, token: MASTER, nodes: NODES, speed, faults });
  onTestFinished(() => simulation.close());
  simulation.start();
  onTestFinished(() => simulation.stop());
  return simulation;
}

describe.each(EITHER)('on %s', (engine) => {
  const database = databases(engine);

  it('what simulated nodes were answered is stored, once each, however often they crash and messages come twice', async () => {
    const fleet = await fleetOn(await database());
    const often = {
      crashEvery: FAULTS.crashEvery / 100,
      jobEvery: FAULTS.jobEvery / 5,
      twice: 0.3,
      held: 0.5,
      skewed: 1,
    };
    const simulation = simulate(fleet, 60, { ...FAULTS, ...often });
    await until(() => simulation.ledger.answered > 5 * NODES);
    simulation.stop();
    expect(await simulation.ledger.settle()).toBe(0);
    const { sent, ...rest } = await simulation.compare();
    expect(rest).toEqual({ answered: sent, stored: sent, lost: [], twice: [] });
    expect([...simulation.ledger.answers.keys()].sort()).toEqual(['heartbeat', 'update check', 'webhook']);
    for (const answers of simulation.ledger.answers.values()) expect(answers.get('204')).toBeGreaterThan(0);
    const { body } = await fleet.call('GET', '/api/oddities');
    const kinds = body.oddities.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toContain('replay');
    const held = async () => (await fleet.call('GET', '/api/nodes?filter=state:custody_hold')).body.nodes;
    const ids = simulation.nodes.filter(({ isHeld }) => isHeld).map(({ id }) => id);
    await until(async () => (await held()).map(({ id }: { id: string }) => id).join() === ids.sort().join());
    const { transitions } = (await fleet.call('GET', `/api/nodes/${simulation.nodes[0]?.id}`)).body;
    expect(transitions).toEqual(expect.arrayContaining([expect.objectContaining({ kind: 'first_heard' })]));
  });

  it.each([
    ['crashes everywhere is halted at its first node', 1, 'halted', 1],
    ['runs well comes to all', 0, 'done', NODES],
  ])('a release that %s', async (_, spoiled, state, nodes) => {
    const fleet = await fleetOn(await database());
    const simulation = simulate(fleet, 200, { ...NONE, spoiled });
    await until(() => simulation.ledger.heard === NODES);
    await simulation.rollOut('0.2.0', { groups: ['1', '25%', '100%'], healthyAfterSeconds: 1 });
    await until(async () => (await simulation.rollout())?.state !== 'running');
    expect((await simulation.rollout())?.state).toBe(state);
    // A group is healthy with 95 of a hundred: who comes later is offered the release of one that is done, too.
    await until(
      () => simulation.nodes.filter((node) => node.hasRun('0.2.0')).length,
      (run) => run >= nodes,
    );
    expect(simulation.nodes.filter((node) => node.hasRun('0.2.0'))).toHaveLength(nodes);
  });
});
