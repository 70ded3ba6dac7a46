/** Hundreds of requests at once: who comes anew waits for a few of them, and not for all. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { closed } from '../../runtime/base/schema.ts';
import { RequestTurns } from '../../runtime/http/request-turns.ts';
import { definePlugin, route } from '../../runtime/kernel/plugin.ts';
import { echo, startFront } from './kernel.ts';

const BODY_BYTES = 60_000;

/** A room that notes in which turn of the event loop it was asked, as others do that are asked beside it. */
function noting() {
  const asked: number[] = [];
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  onTestFinished(() => {
    isOver = true;
  });
  const handle = () => {
    asked.push(turn);
    return { ok: true };
  };
  const body = { schema: closed({}, { $id: 'Nothing' }), invalid: 'invalid_command', limitBytes: BODY_BYTES };
  const room = definePlugin({
    name: 'noting',
    api: 2,
    routes: [
      route({ method: 'GET', path: '/note', tier: 'none', summary: 'notes', handle }),
      route({ method: 'POST', path: '/note', tier: 'none', summary: 'notes', body, handle }),
    ],
  });
  const most = () => Math.max(...asked.map((at) => asked.filter((each) => each === at).length));
  return { plugins: [echo, room], asked, most };
}

async function opened(port: number, many: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < many) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    onTestFinished(() => void socket.destroy());
    sockets.push(socket);
    await once(socket, 'connect');
    // It is accepted.
    socket.write('GET /echo HTTP/1.1\r\nHost: node\r\n\r\n');
    await once(socket, 'data');
  }
  return sockets;
}

const answers = (sockets: readonly Socket[]) => Promise.all(sockets.map((socket) => once(socket, 'data')));

it('three of a hundred requests that come at once begin in a turn of the event loop at most, and all are answered', async () => {
  const { plugins, asked, most } = noting();
  const { port } = await startFront({ plugins });
  const sockets = await opened(port, 100);
  const all = answers(sockets);
  for (const socket of sockets) socket.write('GET /note HTTP/1.1\r\nHost: node\r\n\r\n');
  for (const [text] of await all) expect(String(text)).toMatch(/^HTTP\/1\.1 200/);
  expect(asked).toHaveLength(100);
  expect(most()).toBeLessThanOrEqual(3);
});

it('long bodies that come at once are worked on with sixteen turns of the event loop between them, and all are answered', async () => {
  const { plugins, asked } = noting();
  const { port } = await startFront({ plugins });
  const sockets = await opened(port, 40);
  const all = answers(sockets);
  const body = `{}${' '.repeat(BODY_BYTES - 2)}`;
  for (const socket of sockets)
    socket.write(`POST /note HTTP/1.1\r\nHost: node\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  for (const [text] of await all) expect(String(text)).toMatch(/^HTTP\/1\.1 200/);
  expect(asked).toHaveLength(40);
  const between = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  expect(Math.min(...between.slice(1))).toBeGreaterThanOrEqual(16);
});

it('who asks once waits for one request of somebody who asks a hundred times, and nobody waits where few ask', async () => {
  const turns = new RequestTurns();
  const order: string[] = [];
  for (let at = 0; at < 100; at += 1) void turns.begin('many')?.then(() => order.push('many'));
  const asked = turns.begin('one')?.then(() => order.push('one'));
  await asked;
  expect(order).toEqual(['many', 'one']);
  const few = new RequestTurns();
  for (let turn = 0; turn < 5; turn += 1) {
    expect([few.begin('a'), few.begin('b')]).toEqual([undefined, undefined]);
    await nextTurn();
  }
});
