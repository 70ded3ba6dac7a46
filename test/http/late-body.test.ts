/** A body that is long on its way: keys and mode hold as they are when it is there, not when its request began. */
import { expect, it } from 'vitest';
import settings from '../../runtime/services/settings/index.ts';
import { startWith } from './late-body.ts';

const OLD = 'the key of last year';
const NEW = 'the key of this year';
const THIRD = 'the key of somebody else';

it('a request is locked by a mode that was set meanwhile', async () => {
  const { put, begin } = await startWith([settings]);
  const end = await begin('PUT /config', { hosts: [] });
  expect(await put('/config', { apiKey: NEW, apiMode: 'admin' })).toBe(200);
  expect(await end()).toEqual({ status: 401, error: 'api_locked' });
});

it.each(['open', 'admin'])('a key that was replaced meanwhile replaces no key, in mode %s', async (apiMode) => {
  const { put, begin } = await startWith([settings]);
  expect(await put('/config', { apiKey: OLD, apiMode })).toBe(200);
  const end = await begin('PUT /config', { apiKey: THIRD }, `X-NODE-Api-Key: ${OLD}`);
  expect(await put('/config', { apiKey: NEW }, OLD)).toBe(200);
  expect(await end()).toEqual({ status: 401, error: 'api_locked' });
  expect(await put('/config', { apiKey: NEW }, NEW)).toBe(200);
});
