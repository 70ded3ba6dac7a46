/** What the watchdog is fed by: whether a request gets through the front. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { answers } from '../../runtime/http/probe.ts';

async function front(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  return { at: { host: '0.0.0.0', port: (server.address() as AddressInfo).port }, close };
}

it('a front that answers works, whatever it answers', async () => {
  const { at } = await front((_request, response) => response.writeHead(503).end());
  expect(await answers(at)).toBe(true);
});

it('a front that takes requests and answers none does not work', async () => {
  const { at } = await front(() => {});
  expect(await answers(at, 50)).toBe(false);
});

it('a front that turns a connection away has seen to it', async () => {
  const { at } = await front((request) => request.socket.destroy());
  expect(await answers(at)).toBe(true);
});

it('where nobody listens nothing works', async () => {
  const { at, close } = await front(() => {});
  close();
  expect(await answers(at)).toBe(false);
});
