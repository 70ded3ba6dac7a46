import { expect, it } from 'vitest';
import { createVirtualDevice as scale } from '../../../plugins/scale/virtual.ts';
import { startWithClient } from '../../client/node.ts';
import { until } from '../../node.ts';

it('the client reads what the bench laid on the scale', async () => {
  const { client, node } = await startWithClient({ scale });
  await client.twin.scale({ grams: 250 });
  await until(async () => (await client.scale()).weight === 250);
  expect((await client.scale()).unit).toBe('g');
  await node.stop();
});
