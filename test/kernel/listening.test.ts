/** Where a node listens, and what it waits for before it says so. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { Listening } from '../../runtime/kernel/listening.ts';

async function hasOpened(opened: Promise<void>): Promise<boolean> {
  return Promise.race([opened.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))]);
}

it('the ports of a node are open when the last one of them is, and not while one waits for its device', async () => {
  const listening = new Listening(() => {});
  listening.reserved.set('raw', '127.0.0.1:9100').set('raw:kitchen', '127.0.0.1:9101');
  const opened = listening.opened();
  listening.set('http', '127.0.0.1:80').set('raw', '127.0.0.1:9100');
  expect(await hasOpened(opened)).toBe(false);
  listening.set('raw:kitchen', '127.0.0.1:9101');
  expect(await hasOpened(opened)).toBe(true);
  expect(await hasOpened(listening.opened())).toBe(true);
});

it('a node that has no port waits for none', async () => {
  expect(await hasOpened(new Listening(() => {}).opened())).toBe(true);
});

it('any free port is none that another listener of the node has reserved, to open it later', async () => {
  const listening = new Listening(() => {});
  const server = createServer((socket) => socket.end());
  server.once('listening', () => {
    const { port } = server.address() as { port: number };
    listening.reserved.set('raw', `127.0.0.1:${port}`);
  });
  const { text, port } = await listening.start(server, '127.0.0.1', 0);
  expect([...listening.reserved.values()]).not.toContain(text);
  const socket = connect(port, '127.0.0.1').resume();
  await once(socket, 'end');
  server.close();
});
