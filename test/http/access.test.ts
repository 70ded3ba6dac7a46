import { describe, expect, it } from 'vitest';
import { API_KEY, startFront, UPDATE_KEY } from './kernel.ts';

const BODY = '{"value":"x"}';
const GATED = [
  { method: 'GET', path: '/echo', gatedFrom: 'never' },
  { method: 'DELETE', path: '/echo/1', gatedFrom: 'admin' },
  { method: 'POST', path: '/echo', gatedFrom: 'strict' },
] as const;
const OPEN_TO: Record<string, readonly string[]> = {
  open: ['never', 'admin', 'strict'],
  admin: ['never', 'strict'],
  strict: ['never'],
};
const ask = (url: string, { method, path }: { method: string; path: string }, headers: Record<string, string> = {}) =>
  fetch(url + path, { method, headers, ...(method === 'POST' ? { body: BODY } : {}) });

describe.each(['open', 'admin', 'strict'] as const)('in mode %s', (apiMode) => {
  it.each(GATED)('$method $path (gated from: $gatedFrom) asks for the key as its tier says', async (route) => {
    const { url } = await startFront({ apiMode });
    const expected = OPEN_TO[apiMode]?.includes(route.gatedFrom) ? 200 : 401;
    const refused = await ask(url, route);
    expect(refused.status).toBe(expected);
    if (expected === 401) expect(await refused.json()).toEqual({ ok: false, error: 'api_locked' });
    for (const wrong of ['', API_KEY.slice(0, -1), `${API_KEY}x`, API_KEY.toUpperCase()]) {
      expect((await ask(url, route, { 'X-NODE-Api-Key': wrong })).status).toBe(expected);
    }
    expect((await ask(url, route, { Authorization: `Bearer ${API_KEY}` })).status).toBe(expected);
    expect((await ask(url, route, { 'X-NODE-Api-Key': API_KEY })).status).toBe(200);
  });
});

it('tells the handler whether the right key was shown, also where none is needed', async () => {
  const { url } = await startFront({ apiMode: 'open' });
  const shown = async (headers: Record<string, string>) => (await fetch(`${url}/echo`, { headers })).json();
  expect(await shown({ 'X-NODE-Api-Key': API_KEY })).toMatchObject({ hasApiKey: true });
  expect(await shown({ 'X-NODE-Api-Key': 'x'.repeat(16) })).toMatchObject({ hasApiKey: false });
  expect(await shown({})).toMatchObject({ hasApiKey: false });
});

it('an empty key is never the right one, even where no key is stored', async () => {
  const { url } = await startFront();
  const answer = await fetch(`${url}/echo`, { headers: { 'X-NODE-Api-Key': '' } });
  expect(await answer.json()).toMatchObject({ hasApiKey: false });
});

describe('the update tier', () => {
  const upload = (url: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/image`, { method: 'POST', body: 'image', headers });

  it('is locked to everyone while no update key is stored', async () => {
    const { url } = await startFront();
    const answer = await upload(url, { Authorization: 'Bearer ' });
    expect([answer.status, await answer.json()]).toEqual([401, { ok: false, error: 'ota_locked' }]);
    expect((await upload(url, { Authorization: 'Bearer undefined' })).status).toBe(401);
  });

  it('takes the update key as a bearer, in every mode, and no other credential', async () => {
    const { url } = await startFront({ apiMode: 'strict', stored: { updateKey: UPDATE_KEY } });
    expect((await upload(url)).status).toBe(401);
    expect((await upload(url, { 'X-NODE-Api-Key': API_KEY })).status).toBe(401);
    expect((await upload(url, { 'X-NODE-Api-Key': UPDATE_KEY })).status).toBe(401);
    expect((await upload(url, { Authorization: UPDATE_KEY })).status).toBe(401);
    expect((await upload(url, { Authorization: `Bearer ${UPDATE_KEY}` })).status).toBe(200);
    expect((await upload(url, { Authorization: `bearer ${UPDATE_KEY}` })).status).toBe(200);
  });
});

describe('guessing', () => {
  const guess = (url: string) =>
    ask(url, { method: 'DELETE', path: '/echo/1' }, { 'X-NODE-Api-Key': 'wrong wrong wrong' });

  it('is slowed to ten a second, while the right key and the missing one are answered at once', async () => {
    const { url } = await startFront({ apiMode: 'admin' });
    const answered: string[] = [];
    const note = (who: string) => (answer: Response) => {
      answered.push(who);
      return answer.status;
    };
    const began = performance.now();
    const wrong = Array.from({ length: 20 }, () => guess(url).then(note('wrong')));
    await Promise.all(wrong.slice(0, 10));
    const right = ask(url, { method: 'DELETE', path: '/echo/1' }, { 'X-NODE-Api-Key': API_KEY }).then(note('right'));
    const missing = ask(url, { method: 'DELETE', path: '/echo/1' }).then(note('missing'));
    expect(await Promise.all([right, missing])).toEqual([200, 401]);
    expect(new Set(await Promise.all(wrong))).toEqual(new Set([401]));
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(answered.at(-1)).toBe('wrong');
  });

  it('of the update key is slowed as much, in the same bucket', async () => {
    const { url } = await startFront({ apiMode: 'admin', stored: { updateKey: UPDATE_KEY } });
    const answered: string[] = [];
    const upload = async (who: string, headers: Record<string, string> = {}) => {
      const { status } = await fetch(`${url}/image`, { method: 'POST', body: 'image', headers });
      answered.push(who);
      return status;
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => guess(url)));
    const wrong = Array.from({ length: 15 }, () => upload('wrong', { Authorization: 'Bearer wrong-wrong-wrong' }));
    const right = upload('right', { Authorization: `Bearer ${UPDATE_KEY}` });
    expect(await Promise.all([right, upload('missing')])).toEqual([200, 401]);
    expect(new Set(await Promise.all(wrong))).toEqual(new Set([401]));
    expect(performance.now() - began).toBeGreaterThan(1450);
    expect(answered.at(-1)).toBe('wrong');
  });

  it('closes the connection of those who would wait behind too many', async () => {
    const { url } = await startFront({ apiMode: 'admin' });
    // Ten are answered at once and sixty-four may wait.
    const guesses = Array.from({ length: 110 }, async () => {
      const { status, headers } = await guess(url);
      return headers.get('connection') === 'close' ? status : Promise.reject(new Error('not closed'));
    });
    expect(await Promise.any(guesses)).toBe(401);
  });
});
