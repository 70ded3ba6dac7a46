/** Everything on the twin's counter, as a programmer finds it. */
import { afterEach, describe, expect, it } from 'vitest';
import { twinDevices } from '../../devices.ts';
import { until } from '../../node.ts';
import { type Counter, startCounter } from './counter.ts';

let node: Counter;
afterEach(() => node.stop());

describe("the twin's counter", () => {
  it('has the device of each room bound, by its recipe row', async () => {
    node = await startCounter();
    const { composition } = node.kernel;
    const endpoints = composition.plugins
      .filter(({ name }) => name in twinDevices)
      .flatMap((plugin) => plugin.endpoints?.map(({ id }) => id) ?? []);
    expect(endpoints).toContain('receipt');
    // The printer is silent until it has been read once.
    await until(async () => (await node.peripheral('receipt'))?.condition === 'bound');
    const { peripherals } = await node.status();
    expect(peripherals.map(({ endpoint, condition, recipe }) => [endpoint, condition, recipe]).sort()).toEqual(
      endpoints
        .map((endpoint) => [endpoint, 'bound', expect.objectContaining({ tier: 'builtin', codec: expect.any(String) })])
        .sort(),
    );
  });

  it('takes a device that is attached twice for one', async () => {
    node = await startCounter();
    await node.attach('04b8:0e28');
    await node.attach('04b8:0e28');
    expect((await node.status()).rejections).toEqual([]);
  });
});
