/** The tare key of the virtual scale, which the bench of the twin presses. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { NodeClient } from '../../../runtime/client/client.ts';
import { onTwin } from '../../cli/on-twin.ts';
import { startCounter } from '../twin/counter.ts';

it('makes what lies there count as zero, until the scale loses its power', async () => {
  const node = await startCounter();
  onTestFinished(node.stop);
  const client = new NodeClient({ url: node.url });
  const weighs = (weight: number) => expect.poll(async () => (await client.scale()).weight).toBe(weight);
  await client.twin.scale({ grams: 200 });
  await weighs(200);
  expect((await client.twin.act({ device: 'scale', action: 'tare' })).state).toEqual({ grams: 200, status: 'reading' });
  await weighs(0);
  await client.twin.scale({ grams: 250 });
  await weighs(50);
  await client.twin.scale({ attached: false });
  await client.twin.scale({ attached: true });
  await weighs(250);
});

describe('tillnode act', () => {
  const twin = onTwin();

  it('lists what can be done with the devices of the twin, does it, and says what it came to', async () => {
    expect((await twin.run('act')).out).toMatch(/^scale +tare +Press the tare key$/m);
    await twin.client.twin.scale({ grams: 5 });
    expect(await twin.run('act', 'scale', 'tare')).toMatchObject({ code: 0, out: '{"grams":5,"status":"reading"}\n' });
    expect(await twin.run('act', 'scale', 'jump')).toMatchObject({ code: 1, err: expect.stringContaining('has tare') });
    expect(await twin.run('act', 'scale')).toMatchObject({ code: 2 });
  });
});
