import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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

it('the handler is told whether the right key was shown, also where none is needed', async () => {
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
  const guess = (url: string, signal?: AbortSignal) =>
    fetch(`${url}/echo/1`, {
      method: 'DELETE',
      headers: { 'X-NODE-Api-Key': 'wrong wrong wrong' },
      signal: signal ?? null,
    });
  const upload = (url: string, headers: Record<string, string>, signal?: AbortSignal) =>
    fetch(`${url}/image`, { method: 'POST', body: 'image', headers, signal: signal ?? null });
  const WRONG_UPDATE_KEY = { Authorization: 'Bearer wrong-wrong-wrong' };
  const statusesOf = async (answers: readonly Promise<Response>[]) =>
    new Set((await Promise.all(answers)).map(({ status }) => status));

  /** Takes the ten that are answered at once, and has the next ones wait for a minute, however slow the machine is. */
  async function fill(url: string): Promise<AbortSignal> {
    await Promise.all(Array.from({ length: 10 }, () => guess(url)));
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() - 60_000);
    onTestFinished(() => clock.mockRestore());
    const over = new AbortController();
    onTestFinished(() => over.abort());
    return over.signal;
  }

  it('is slowed to ten a second', async () => {
    const { url } = await startFront({ apiMode: 'admin' });
    const began = performance.now();
    expect(await statusesOf(Array.from({ length: 20 }, () => guess(url)))).toEqual(new Set([401]));
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  it('of the update key is slowed as much, in the same bucket', async () => {
    const { url } = await startFront({ apiMode: 'admin', stored: { updateKey: UPDATE_KEY } });
    const began = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => guess(url)));
    const wrong = Array.from({ length: 15 }, () => upload(url, WRONG_UPDATE_KEY));
    expect(await statusesOf(wrong)).toEqual(new Set([401]));
    expect(performance.now() - began).toBeGreaterThan(1450);
  });

  it('keeps neither the right keys nor missing ones waiting', async () => {
    const { url } = await startFront({ apiMode: 'admin', stored: { updateKey: UPDATE_KEY } });
    const signal = await fill(url);
    const answered: string[] = [];
    const wrong = [guess(url, signal), upload(url, WRONG_UPDATE_KEY, signal)].map((answer) =>
      answer.then(
        () => answered.push('wrong'),
        () => {},
      ),
    );
    const route = { method: 'DELETE', path: '/echo/1' };
    expect((await ask(url, route, { 'X-NODE-Api-Key': API_KEY })).status).toBe(200);
    expect((await ask(url, route)).status).toBe(401);
    expect((await upload(url, { Authorization: `Bearer ${UPDATE_KEY}` })).status).toBe(200);
    expect((await upload(url, {})).status).toBe(401);
    expect([wrong.length, answered]).toEqual([2, []]);
  });

  it('closes the connection of those who would wait behind too many', async () => {
    const { url } = await startFront({ apiMode: 'admin' });
    const signal = await fill(url);
    // Sixteen of one address may wait.
    const guesses = Array.from({ length: 17 }, async () => {
      const { status, headers } = await guess(url, signal);
      return { status, connection: headers.get('connection') };
    });
    expect(await Promise.any(guesses)).toEqual({ status: 401, connection: 'close' });
  });

  it('tells nobody whose wrong keys are too many to wait whether one is right, before its turn, and everybody else', async () => {
    const { url, port } = await startFront({ apiMode: 'admin', stored: { updateKey: UPDATE_KEY } });
    const now = performance.now.bind(performance);
    const signal = await fill(url);
    await Promise.any(Array.from({ length: 17 }, () => guess(url, signal)));
    const route = { method: 'DELETE', path: '/echo/1' };
    expect((await ask(url, route, { 'X-NODE-Api-Key': API_KEY })).status).toBe(401);
    expect((await upload(url, { Authorization: `Bearer ${UPDATE_KEY}` })).status).toBe(401);
    expect((await ask(url, route)).status).toBe(401);
    const elsewhere = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.9' });
    onTestFinished(() => void elsewhere.destroy());
    elsewhere.write(`DELETE /echo/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-NODE-Api-Key: ${API_KEY}\r\n\r\n`);
    const [answer] = await once(elsewhere, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200/);
    // Its turn has come.
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    onTestFinished(() => later.mockRestore());
    expect((await ask(url, route, { 'X-NODE-Api-Key': API_KEY })).status).toBe(200);
  });
});
