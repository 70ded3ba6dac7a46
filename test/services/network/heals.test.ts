/** A join is made once, and what cannot begin is said at once, whatever the radio is busy with. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RadioError } from '../../../runtime/bindings/network.ts';
import { radioInShop, SHOP, type TestRadio } from '../../bindings/test-radio.ts';
import { until } from '../../node.ts';
import { startNetworkNode } from './node.ts';

const ANSWER_MS = 100;

/** Makes joins of that radio wait. */
function heldBack(radio: TestRadio) {
  const { join } = radio;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = 0;
  radio.join = async (...rest) => {
    begun += 1;
    await released;
    return join.call(radio, ...rest);
  };
  return { begun: () => begun, release: () => release() };
}

it.each(['/network', '/provision'])(
  'POST %s is 500 save_failed where a join could not begin, and stores nothing',
  async (path) => {
    const radio = radioInShop();
    const node = await startNetworkNode({ radio });
    await until(() => radio.is('setup'));
    for (const fault of ['unmanaged', 'no_radio', 'timeout', 'failed'] as const) {
      radio.fault = new RadioError(fault, 'nmcli ended with SIGSYS');
      const { status, body } = await node.send('POST', path, SHOP);
      expect([status, body['error'], body['detail']]).toEqual([
        500,
        'save_failed',
        expect.stringContaining('nothing is stored'),
      ]);
    }
    expect(node.kernel.settings.read('wifi')).toBeUndefined();
    radio.fault = undefined;
    expect((await node.send('POST', path, SHOP)).status).toBe(200);
  },
);

it('a node joins once where setup ended by itself while the answer was on its way', async () => {
  const radio = radioInShop();
  const node = await startNetworkNode({ radio, timings: { answerMs: ANSWER_MS } });
  await until(() => radio.is('setup'));
  const joins = heldBack(radio);
  await node.send('POST', '/provision', SHOP);
  await radio.leave();
  await until(() => joins.begun() === 1);
  await delay(2 * ANSWER_MS);
  joins.release();
  await until(() => node.logged.some((line) => line.startsWith('joined')));
  for (let look = 0; look < 5; look += 1) await node.get('/network');
  expect([joins.begun(), await radio.is('station')]).toEqual([1, true]);
});

it('a node joins once where the same credentials come again meanwhile', async () => {
  const radio = radioInShop();
  const node = await startNetworkNode({ radio, timings: { answerMs: ANSWER_MS } });
  await until(() => radio.is('setup'));
  const joins = heldBack(radio);
  await node.send('POST', '/network', SHOP);
  await until(() => joins.begun() === 1);
  expect((await node.get('/network')).body['trying']).toEqual({ to: 'join', ssid: SHOP.ssid, attempt: 1 });
  expect((await node.send('POST', '/network', SHOP)).status).toBe(200);
  await delay(2 * ANSWER_MS);
  joins.release();
  await until(() => node.logged.some((line) => line.startsWith('joined')));
  for (let look = 0; look < 5; look += 1) await node.get('/network');
  expect([joins.begun(), await radio.is('station')]).toEqual([1, true]);
});

it('a node does not take one look that took long for a setup network that is gone', async () => {
  const radio = radioInShop();
  const settleMs = 20;
  const node = await startNetworkNode({ radio, timings: { settleMs } });
  await until(() => node.logged.some((line) => line.startsWith('setup open ')));
  let looks = 0;
  const { read } = radio;
  radio.read = async () => {
    looks += 1;
    if (looks > 1) return read.call(radio);
    await delay(3 * settleMs);
    return { mode: 'offline', mac: '' };
  };
  radio.news();
  await until(() => looks > 1);
  for (let look = 0; look < 5; look += 1) await node.get('/network');
  expect([radio.calls.includes('leave'), radio.count('openSetup')]).toEqual([false, 1]);
});
