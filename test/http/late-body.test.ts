/** A body that is long on its way: keys and mode hold as they are when it is there, not when its request began. */
import { expect, it, onTestFinished } from 'vitest';
import { startTestNode } from '../../runtime/node/testing.ts';
import settings from '../../runtime/services/settings/index.ts';
import update from '../../runtime/services/update/index.ts';
import { bodyOf, openSocket, received, statusOf } from './kernel.ts';

const OLD = 'the key of last year';
const NEW = 'the key of this year';
const THIRD = 'the key of somebody else';

async function startNode() {
  const node = await startTestNode({ plugins: [settings, update], recipes: [] });
  onTestFinished(() => node.stop());
  const put = async (path: string, body: object, key = '') =>
    (await fetch(node.url + path, { method: 'PUT', headers: { 'X-NODE-Api-Key': key }, body: JSON.stringify(body) }))
      .status;
  /** Sends all but the end of a request. The end is sent, and the answer taken, by what it returns. */
  const begin = async (route: string, patch: object, ...fields: string[]) => {
    const socket = openSocket(Number(node.url.split(':').at(-1)));
    const answer = received(socket);
    const body = JSON.stringify(patch);
    const head = [`${route} HTTP/1.1`, 'Host: localhost', 'Connection: close', `Content-Length: ${body.length}`];
    socket.write([...head, 'Expect: 100-continue', ...fields, '\r\n'].join('\r\n'));
    await new Promise((invited) => socket.once('data', invited));
    return async () => {
      socket.write(body);
      const final = (await answer).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
      return { status: statusOf(final), error: bodyOf(final)['error'] };
    };
  };
  return { put, begin };
}

it.each([
  ['PUT /config', { hosts: [] }],
  ['PUT /update', { policy: 'off' }],
  ['POST /restart', { type: 'restart', id: '1' }],
])('%s is locked by a mode that was set meanwhile', async (route, patch) => {
  const { put, begin } = await startNode();
  const end = await begin(route, patch);
  expect(await put('/config', { apiKey: NEW, apiMode: 'admin' })).toBe(200);
  expect(await end()).toEqual({ status: 401, error: 'api_locked' });
});

it.each(['open', 'admin'])('a key that was replaced meanwhile replaces no key, in mode %s', async (apiMode) => {
  const { put, begin } = await startNode();
  expect(await put('/config', { apiKey: OLD, apiMode })).toBe(200);
  const end = await begin('PUT /config', { apiKey: THIRD }, `X-NODE-Api-Key: ${OLD}`);
  expect(await put('/config', { apiKey: NEW }, OLD)).toBe(200);
  expect(await end()).toEqual({ status: 401, error: 'api_locked' });
  expect(await put('/config', { apiKey: NEW }, NEW)).toBe(200);
});
