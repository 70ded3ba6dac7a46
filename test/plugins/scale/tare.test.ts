/** The tare key of the virtual scale, which the bench of the twin presses. */
import { beforeEach, expect, it } from 'vitest';
import { onTwin } from '../../cli/on-twin.ts';

const twin = onTwin();
const weighs = (weight: number) => expect.poll(async () => (await twin.client.scale()).weight).toBe(weight);
/** Unplugs the scale and plugs it in again: it keeps its tare as long as it has power. */
async function losesPower() {
  await twin.client.twin.scale({ attached: false });
  await twin.client.twin.scale({ attached: true });
}
beforeEach(losesPower);

it('the tare key makes what lies there count as zero, until the scale loses its power', async () => {
  await twin.client.twin.scale({ grams: 200 });
  await weighs(200);
  const pressed = await twin.client.twin.act({ device: 'scale', action: 'tare' });
  expect(pressed.state).toEqual({ grams: 200, status: 'reading' });
  await weighs(0);
  await twin.client.twin.scale({ grams: 250 });
  await weighs(50);
  await losesPower();
  await weighs(250);
});

it('the tare key is among what tillnode act lists, which presses it and says what it came to', async () => {
  const listed = { code: 0, err: '', out: expect.stringMatching(/^scale +tare +Press the tare key$/m) };
  expect(await twin.run('act')).toEqual(listed);
  await twin.client.twin.scale({ grams: 5 });
  expect(await twin.run('act', 'scale', 'tare')).toMatchObject({ code: 0, out: '{"grams":5,"status":"reading"}\n' });
  expect(await twin.run('act', 'scale', 'jump')).toMatchObject({ code: 1, err: expect.stringContaining('has tare') });
  expect(await twin.run('act', 'scale')).toMatchObject({ code: 2 });
});
