/** Requests whose body is long on its way. */
import { onTestFinished } from 'vitest';
import type { Plugin } from '../../runtime/kernel/plugin.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { bodyOf, openSocket, received, statusOf } from './kernel.ts';

export async function startWith(plugins: readonly Plugin[]) {
  const node = await startTestNode({ plugins, recipes: [] });
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
