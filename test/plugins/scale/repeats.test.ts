/** Readings that a scale repeats are counted in the diagnostic ring. */
import { expect, it, onTestFinished } from 'vitest';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { until } from '../../node.ts';
import { wifiPlugins } from '../../plugins.ts';

const READINGS = 30;

const startWith = async (scale: VirtualScale) => {
  const node = await startTestNode({ plugins: wifiPlugins, devices: { scale: () => scale } });
  onTestFinished(() => node.stop());
  const send = (method: string, path: string, body?: object) =>
    fetch(node.url + path, { method, ...(body && { body: JSON.stringify(body) }) });
  const text = async () => (await send('GET', '/capture')).text();
  const lines = async () =>
    (await text()).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
  return { send, lines };
};
const counted = (lines: readonly Record<string, unknown>[]) =>
  lines.filter(({ pipe }) => pipe !== undefined).reduce((sum, { repeats }) => sum + 1 + Number(repeats ?? 0), 0);

it('what a scale at rest repeats is one line, and a mark stands where it was made', async () => {
  const { send, lines } = await startWith(new VirtualScale({ reportMs: 10 }));
  await send('PUT', '/config', { capture: true });
  await until(async () => counted(await lines()) >= READINGS);
  const before = (await lines()).filter(({ pipe }) => pipe !== undefined);
  expect(before.length).toBeLessThan(5);
  expect(before.at(-1)?.['lastTMs']).toBeGreaterThan(Number(before.at(-1)?.['tMs']));
  await send('POST', '/capture/mark', { text: 'still empty' });
  await until(async () => (await lines()).at(-1)?.['repeats'] !== undefined && (await lines()).length > before.length);
  const after = await lines();
  const mark = after.findIndex(({ direction }) => direction === 'mark');
  expect(after.slice(mark + 1).some(({ pipe }) => pipe !== undefined)).toBe(true);
});
