/** `tillnode scan`. */
import { expect, it } from 'vitest';
import { onTwin } from '../../cli/on-twin.ts';

const twin = onTwin();

it('tillnode scan lists the reads', async () => {
  const bound = async () =>
    (await twin.client.status()).peripherals.some((each) => each.endpoint === 'scanner' && each.condition === 'bound');
  await expect.poll(bound, { timeout: 20_000 }).toBe(true);
  await twin.client.twin.scan({ value: '4006381333931' });
  await expect
    .poll(async () => (await twin.run('scan')).out, { timeout: 20_000 })
    .toMatch(/accepted +ean13 +4006381333931$/m);
  expect((await twin.run('help')).out).toMatch(/^ {2}scan\b/m);
});

it('tillnode config has the key of the scanner', async () => {
  expect((await twin.run('config', 'scanner.layout', 'de')).out).toBe('"de"\n');
});
