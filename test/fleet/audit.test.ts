/** The audit: who did what, with what was before and after. */
import { expect, it } from 'vitest';
import { databases, EITHER, fleetOn, heartbeat } from './fleet.ts';
import { begin, upload } from './rollout.ts';

const database = databases(EITHER[0]);
const table = (maker: string) => `{\n  "maker": "${maker}",\n  "rows": []\n}\n`;

it('recipes, releases, rollouts and tokens have what was before and after, as all else has', async () => {
  const fleet = await fleetOn(await database());
  for (const id of ['0a1b2c3d', 'other']) await fleet.beat(heartbeat({ node: id }));
  for (const note of ['first', 'second']) await fleet.call('PUT', '/api/recipes', { text: table(''), note });
  await fleet.call('POST', '/api/recipes/versions/1/restore');
  await upload(fleet);
  await begin(fleet, { groups: ['2', '100%'] });
  await fleet.call('POST', '/api/rollouts/1/skip', { node: 'other' });
  await fleet.call('POST', '/api/rollouts/1/stop');
  await fleet.call('POST', '/api/tokens', { name: 'a', scope: 'read', days: 1 });
  await fleet.call('DELETE', '/api/tokens/1');
  const { entries } = (await fleet.call('GET', '/api/audit')).body;
  const told = entries.reverse().map(({ what, detail }: { what: string; detail?: object }) => [what, detail]);
  expect(told).toEqual([
    [
      'recipes changed',
      { before: { version: 0, note: '', etag: '"0"' }, after: { version: 1, note: 'first', etag: expect.any(String) } },
    ],
    ['recipes changed', { before: { version: 1, note: 'first' }, after: { version: 2, note: 'second' } }],
    ['recipes restored', { before: { version: 2, note: 'second' }, after: { version: 3, note: 'as version 1' } }],
    [
      'release uploaded',
      { before: {}, after: { sha256: expect.any(String), length: expect.any(Number), floor: expect.any(Number) } },
    ],
    ['rollout started', { before: {}, after: { variant: 'wifi', version: '0.2.0', groups: ['2', '100%'] } }],
    ['rollout skipped', { node: 'other', before: { nodeState: 'waiting' }, after: { nodeState: 'skipped' } }],
    ['rollout stopped', { before: { state: 'running' }, after: { state: 'stopped' } }],
    ['token made', { before: {}, after: { name: 'a', scope: 'read', days: 1 } }],
    ['token revoked', { before: { name: 'a', scope: 'read' }, after: {} }],
  ]);
});
