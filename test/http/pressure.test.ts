/** A client that sends more than is read: it waits, and all of it is answered. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closed } from '../../runtime/base/schema.ts';
import { definePlugin, route } from '../../runtime/kernel/plugin.ts';
import { echo, startFront } from './kernel.ts';

const head = (line: string, fields = '') => `${line} HTTP/1.1\r\nHost: node\r\n${fields}\r\n`;
/** More than the kernels of both ends and a read take of what nobody reads. */
const MUCH = 16 * 1024 * 1024;
const BODY_BYTES = 200 * 1024;
const BODY = `{}${' '.repeat(BODY_BYTES - 2)}`;

/** A room of which GET /gate is answered when `open` was called, and /upload reads its body by itself when it was called. */
function gated() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const room = definePlugin({
    name: 'gated',
    api: 2,
    routes: [
      route({
        method: 'GET',
        path: '/gate',
        tier: 'none',
        summary: 'waits',
        handle: () => opened.then(() => ({ ok: true })),
      }),
      route({
        method: 'POST',
        path: '/nothing',
        tier: 'none',
        summary: 'takes a large body',
        body: { schema: closed({}, { $id: 'Nothing' }), invalid: 'invalid_command', limitBytes: BODY_BYTES },
        handle: () => ({ ok: true }),
      }),
      route({
        method: 'POST',
        path: '/upload',
        tier: 'none',
        summary: 'reads its body late',
        handle: async ({ request }) => {
          await opened;
          let bytes = 0;
          for await (const chunk of request) bytes += (chunk as Buffer).length;
          return { ok: true, bytes };
        },
      }),
    ],
  });
  return { plugins: [echo, room], open };
}

async function opened(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the client has nothing more that the kernel takes, though it has more. */
async function stuck(socket: Socket): Promise<number> {
  for (let before = -1, now = 0; ; now = socket.bytesWritten - socket.writableLength) {
    if (now === before) return now;
    before = now;
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  }
}

describe('behind a request that is answered', () => {
  it.each([
    ['bodies of 200 KiB', `${head('POST /nothing', `Content-Length: ${BODY_BYTES}\r\n`)}${BODY}`],
    ['bodies in chunks', `${head('POST /nothing', 'Transfer-Encoding: chunked\r\n')}32000\r\n${BODY}\r\n0\r\n\r\n`],
    ['reads', head('GET /echo', `X-Fill: ${'x'.repeat(4000)}\r\n`)],
  ])('what is sent on another connection waits with its client, and all is answered (%s)', async (_, request) => {
    const { plugins, open } = gated();
    const { port } = await startFront({ plugins });
    await opened(port);
    const socket = await opened(port);
    const count = Math.ceil(MUCH / request.length);
    let answered = 0;
    const all = new Promise<void>((resolve) => {
      socket.on('close', resolve).on('data', (chunk) => {
        answered += chunk.toString('latin1').split('HTTP/1.1 200').length - 1;
        if (answered === count + 1) resolve();
      });
    });
    socket.write(head('GET /gate') + request.repeat(count));
    expect(await stuck(socket)).toBeLessThan(MUCH);
    expect(answered).toBe(0);
    open();
    await all;
    expect(answered).toBe(count + 1);
  });

  it('a body that its reader has not asked for waits with its client', async () => {
    const { plugins, open } = gated();
    const { port } = await startFront({ plugins });
    await opened(port);
    const socket = await opened(port);
    const answer = new Promise<string>((resolve) => void socket.once('data', (chunk) => resolve(String(chunk))));
    socket.write(`${head('POST /upload', `Content-Length: ${MUCH}\r\n`)}${'x'.repeat(MUCH)}`);
    expect(await stuck(socket)).toBeLessThan(MUCH);
    open();
    expect(await answer).toContain(`"bytes":${MUCH}`);
  });
});
