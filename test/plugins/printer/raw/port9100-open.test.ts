/** When port 9100 takes connections, and what becomes of those that it cannot serve. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Port9100 } from '../../../../plugins/printer/raw/port9100.ts';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { startTestNode } from '../../../../runtime/node/testing.ts';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';
import { wifiPlugins } from '../../../plugins.ts';

let node: PrintingNode;
afterEach(async () => {
  vi.useRealTimers();
  await node.stop();
});

const refused = async () => (await node.get<{ raw: { refused: number } }>('/status')).body.raw.refused;
const listening = () => node.kernel.listening.get('raw');
/** How a connection ended: in order, or why not. */
const ending = (socket: Socket) =>
  new Promise<string>((resolve) => {
    socket.resume();
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'));
    socket.once('end', () => resolve('end'));
  });
/** Prints nothing more, and keeps its turn. */
async function hold(): Promise<Socket> {
  const holder = await node.dial();
  holder.write('the holder\n');
  await until(() => node.printer.paperText().includes('the holder'));
  return holder;
}

describe('port 9100', () => {
  it('takes connections exactly while a printer is bound, and keeps the number that it chose', async () => {
    node = await startPrintingNode();
    const address = listening();
    expect(address).toBe(node.raw);
    for (const _ of [1, 2]) {
      await node.unplug();
      expect(listening()).toBeUndefined();
      await expect(node.dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await node.replug();
      expect(listening()).toBe(address);
      const socket = await node.dial();
      socket.end('printed\n');
      expect(await ending(socket)).toBe('end');
    }
    expect(node.printer.paperText().match(/printed/g)).toHaveLength(2);
  });

  it('is said at the start, and refuses, where a node has no printer yet', async () => {
    node = await startPrintingNode();
    const bare = await startTestNode({ plugins: wifiPlugins });
    try {
      expect(bare.raw).toMatch(/^127\.0\.0\.1:[1-9]\d*$/);
      expect(bare.kernel.listening.get('raw')).toBeUndefined();
      bare.bench.usb.plug(new VirtualPrinter());
      await until(() => bare.kernel.listening.get('raw') === bare.raw);
    } finally {
      await bare.stop();
    }
  });

  it('resets who waits when the printer goes, and counts them', async () => {
    node = await startPrintingNode();
    const holder = await hold();
    const waiting = [await node.dial(), await node.dial(), await node.dial()];
    waiting[0]?.write('waits for its turn\n');
    waiting[1]?.end('has said all\n');
    await until(async () => (await node.get<{ raw: { connections: number } }>('/status')).body.raw.connections === 4);
    const endings = [holder, ...waiting].map(ending);
    await node.unplug();
    expect(await Promise.all(endings)).toEqual(Array.from({ length: 4 }, () => 'ECONNRESET'));
    expect(await refused()).toBe(3);
  });

  it('lets 128 of four addresses wait while one prints, resets and counts the next, and serves them all in the end', async () => {
    node = await startPrintingNode();
    const holder = await hold();
    const from = (n: number) => `127.0.0.${2 + (n % 4)}`;
    const waiting = await Promise.all(Array.from({ length: 128 }, (_, n) => node.dial(from(n))));
    const endings = waiting.map((socket, index) => {
      socket.end(`waited ${index}\n`);
      return ending(socket);
    });
    const last = await node.dial(from(0)).then(ending, (error: NodeJS.ErrnoException) => error.code);
    expect(last).toBe('ECONNRESET');
    expect(await refused()).toBe(1);
    holder.end();
    expect(new Set(await Promise.all(endings))).toEqual(new Set(['end']));
    expect(node.printer.paperText().match(/waited/g)).toHaveLength(128);
    expect(await refused()).toBe(1);
  });

  it('is opened within 2 s of when it is free where another program has taken it meanwhile, and the printer is bound', async () => {
    node = await startPrintingNode();
    await node.unplug();
    const other = createServer();
    other.listen(Number(node.raw?.split(':')[1]), '127.0.0.1');
    await once(other, 'listening');
    // Time goes on as it does, for whoever waits for it meanwhile.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    await node.replug();
    expect(listening()).toBeUndefined();
    expect((await node.print([{ type: 'text', value: 'by the API' }])).status).toBe(200);
    other.close();
    vi.advanceTimersByTime(2000);
    await until(() => listening() === node.raw);
    (await node.dial()).destroy();
  });

  it('is closed and opened again by configuration, on the same number', async () => {
    node = await startPrintingNode();
    const holder = await hold();
    const end = ending(holder);
    await node.send('PUT', '/config', { raw: { enabled: false } });
    expect(await end).toBe('ECONNRESET');
    await expect(node.dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await node.unplug();
    await node.replug();
    expect(listening()).toBeUndefined();
    await node.send('PUT', '/config', { raw: { enabled: true } });
    expect(listening()).toBe(node.raw);
  });

  it('keeps nobody waiting who opens it while it is closed again', async () => {
    node = await startPrintingNode();
    const counters = { connections: 0, bytes: 0, pulsesDropped: 0, realtimeDropped: 0, settingsDropped: 0, refused: 0 };
    const port = new Port9100(node.kernel, 'kitchen', 1, counters);
    await port.reserve();
    const opened = port.listen();
    port.stopListening();
    await opened;
    expect(port.number).toBeUndefined();
    await port.listen();
    expect(port.number).toBeGreaterThan(0);
    port.stopListening();
  });
});
