/** Requests to the update room with a body that is long on its way. */
import { expect, it } from 'vitest';
import settings from '../../../runtime/services/settings/index.ts';
import update from '../../../runtime/services/update/index.ts';
import { startWith } from '../../http/late-body.ts';

it.each([
  ['PUT /update', { policy: 'off' }],
  ['POST /restart', { type: 'restart', id: '1' }],
])('%s is locked by a mode that was set meanwhile', async (route, patch) => {
  const { put, begin } = await startWith([settings, update]);
  const end = await begin(route, patch);
  expect(await put('/config', { apiKey: 'the key of this year', apiMode: 'admin' })).toBe(200);
  expect(await end()).toEqual({ status: 401, error: 'api_locked' });
});
