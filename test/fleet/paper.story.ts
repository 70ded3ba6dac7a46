/** Paper out for ten minutes, which at ten times speed are one, at one of ten thousand nodes. */
import { expect, it, onTestFinished } from 'vitest';
import { NONE } from '../../runtime/fleet/simulate/faults.ts';
import { Simulation } from '../../runtime/fleet/simulate/simulation.ts';
import { answer, startReceiver } from '../http/receiver.ts';
import { until } from '../node.ts';
import { callsOf, databases, ENGINES, MASTER } from './fleet.ts';
import { startFleetProcess } from './process.ts';

const NODES = 10_000;
const SPEED = 10;

const database = databases(ENGINES[1]);

it('paper out for ten minutes at one of ten thousand nodes is one alert and one all-clear', async () => {
  const receiver = await startReceiver(answer(204));
  const fleet = await startFleetProcess(await database(), MASTER);
  onTestFinished(fleet.stop);
  const { call } = callsOf(fleet.url);
  const settings = {
    rules: { no_paper: { afterSeconds: 600 / SPEED } },
    alerts: { webhook: { url: receiver.url, secret: 'sesame' } },
  };
  expect((await call('PUT', '/api/settings', settings)).status).toBe(200);
  const simulation = new Simulation({ url: fleet.url, token: MASTER, nodes: NODES, speed: SPEED, faults: NONE });
  onTestFinished(() => simulation.close());
  simulation.start();
  onTestFinished(() => simulation.stop());
  await until(() => simulation.ledger.heard === NODES);
  const [, , node = expect.fail(), another = expect.fail()] = simulation.nodes;
  const told = (what: 'begun' | 'ended'): object[] =>
    receiver.received
      .flatMap(({ body }) => JSON.parse(body)[what])
      .filter(({ rule }: { rule: string }) => rule === 'no_paper');

  node.paperOut = true;
  // Not for long enough.
  another.paperOut = true;
  const beats = () => simulation.ledger.accounts.get(another.id)?.sent ?? 0;
  const before = beats();
  await until(() => beats() > before + 2);
  another.paperOut = false;

  await until(() => told('begun').length > 0);
  expect((await call('GET', '/api/nodes?state=no_paper')).body.nodes).toMatchObject([{ id: node.id }]);
  const now = beats();
  await until(() => beats() > now + 2);
  node.paperOut = false;
  await until(() => told('ended').length > 0);
  expect(told('begun')).toMatchObject([{ subject: node.id, ended: null }]);
  expect(told('ended')).toMatchObject([{ subject: node.id, ended: expect.any(String) }]);
  expect((await call('GET', '/api/alerts?rule=no_paper')).body.total).toBe(1);
});
