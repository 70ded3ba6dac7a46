/** A body that is long on its way: keys and mode hold as they are when it is there, not when its request began. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { closed } from '../../runtime/base/schema.ts';
import { definePlugin, route } from '../../runtime/kernel/plugin.ts';
import { Shares } from '../../runtime/kernel/shares.ts';
import settings from '../../runtime/services/settings/index.ts';
import { API_KEY, bodyOf, echo, openSocket, received, startFront, statusOf } from './kernel.ts';
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

/** The beginning of a request whose body has 40,000 bytes: more than is taken without being counted. */
const head = (line: string, key = '') => `${line} HTTP/1.1\r\nHost: node\r\n${key}Content-Length: 40000\r\n\r\n`;
const MOST = Buffer.alloc(30_000, ' ');

it.each([
  ['its key is changed', { apiKey: 'another key, longer' }],
  ['the mode asks for a key', { apiMode: 'admin' }],
])('a body is cut at once where %s while it arrives, without the rest of it', async (why, patch) => {
  const wasLocked = why.startsWith('its');
  const { port, kernel } = await startFront({ apiMode: wasLocked ? 'admin' : 'open' });
  const seen = new Promise<void>((resolve) => kernel.hooks.request.tap('test', () => void resolve()));
  const socket = openSocket(port);
  socket.write(head('PUT /echo', wasLocked ? `X-NODE-Api-Key: ${API_KEY}\r\n` : ''));
  socket.write(MOST);
  await seen;
  await kernel.config.patch(patch);
  // What is answered is not waited for any longer than its client sends.
  socket.once('data', () => socket.end());
  const answer = await received(socket);
  expect([statusOf(answer), bodyOf(answer)['error']]).toEqual([401, 'api_locked']);
});

it('a request whose key is changed while it is handled gives the memory of its body back once', async () => {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let end = () => {};
  const room = definePlugin({
    name: 'slow',
    api: 2,
    routes: [
      route({
        method: 'PUT',
        path: '/slow',
        tier: 'admin',
        summary: 'takes its time',
        body: { schema: closed({}, { $id: 'Empty' }), invalid: 'invalid_command' },
        handle: () => {
          begin();
          return new Promise((resolve) => {
            end = () => resolve({ ok: true });
          });
        },
      }),
    ],
  });
  const take = vi.spyOn(Shares.prototype, 'take').mock;
  onTestFinished(() => void vi.restoreAllMocks());
  const { port, kernel } = await startFront({ plugins: [echo, room] });
  const socket = openSocket(port);
  const answer = received(socket);
  const line = 'PUT /slow HTTP/1.1\r\nHost: node\r\nConnection: close\r\nContent-Length: 40000\r\n\r\n';
  socket.write(line);
  socket.write(MOST, () => socket.write(`${' '.repeat(9_998)}{}`));
  await begun;
  const memory = (take.contexts as Shares[]).filter((_, at) => (take.calls[at]?.[1] ?? 1) > 1);
  expect(memory.length).toBeGreaterThan(0);
  await kernel.config.patch({ apiMode: 'admin', apiKey: API_KEY });
  expect(memory.map(({ taken }) => taken)).toEqual(memory.map(() => 0));
  end();
  expect(statusOf(await answer)).toBe(200);
});

it('a client that has closed its side within its body is answered, and its connection closed, without a wait for the rest', async () => {
  const { port } = await startFront();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = openSocket(port);
  const answer = received(socket);
  socket.end(head('PUT /echo') + MOST);
  expect(bodyOf(await answer)).toMatchObject({
    error: 'invalid_body',
    detail: expect.stringContaining('30000 of 40000'),
  });
});
