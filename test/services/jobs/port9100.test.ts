/** Connections to port 9100 in the list of recent jobs: also those that were refused and cut, and why. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JobList } from '../../../runtime/services/jobs/jobs.ts';
import { type PrintingNode, startPrintingNode, until } from '../../node.ts';
import { jobsOf, newest, waitingOn } from './node.ts';

const mine = { kind: 'port9100', endpoint: 'receipt', from: '127.0.0.1' };

async function start(): Promise<PrintingNode> {
  const node = await startPrintingNode({ keepsPower: true });
  onTestFinished(() => node.stop());
  return node;
}

async function dial(node: PrintingNode): Promise<Socket> {
  const socket = await node.dial();
  socket.on('error', () => {});
  socket.resume();
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** However it was closed. */
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => void (socket.closed ? resolve() : socket.once('close', () => resolve())));

async function send(node: PrintingNode, bytes: string | Uint8Array): Promise<void> {
  const socket = await dial(node);
  socket.end(bytes);
  await closed(socket);
}

const ended = (node: PrintingNode) =>
  until(
    () => newest(node),
    ({ outcome }) => outcome !== 'running',
  );
/** Prints nothing more, and keeps its turn. */
async function hold(node: PrintingNode): Promise<Socket> {
  const holder = await dial(node);
  holder.write('the holder\n');
  await until(() => node.printer.paperText().includes('the holder'));
  return holder;
}

describe('a connection to port 9100', () => {
  it('is a job from its first byte to its end, with the bytes that the printer took', async () => {
    const node = await start();
    const socket = await dial(node);
    expect(await jobsOf(node)).toEqual([]);
    socket.write('first\n');
    await until(async () => (await jobsOf(node))[0]?.bytes === 6);
    expect(await newest(node)).toEqual({ ...mine, outcome: 'running', bytes: 6 });
    socket.end('and last\n');
    expect(await ended(node)).toEqual({ ...mine, outcome: 'accepted', bytes: 15 });
  });

  it.each([
    ['%PDF-1.7\n1 0 obj\n', 'PDF'],
    ['%!PS-Adobe-3.0\n', 'PostScript'],
    ['\x1b%-12345X@PJL INFO STATUS\r\n', 'PJL'],
    ['^XA^FO50,50^FDHello^FS^XZ', 'ZPL'],
    ['RaS2PwgRaster', 'PWG Raster'],
    ['UNIRAST\0\0\0\0\x01', 'Apple Raster'],
  ])('that opens as a document of another language is reset, unprinted, and named: %j', async (opening, language) => {
    const node = await start();
    node.printer.tearOff();
    const socket = await node.dial();
    const reset = once(socket, 'error');
    socket.write(opening, 'latin1');
    expect(await reset).toEqual([expect.objectContaining({ code: 'ECONNRESET' })]);
    const failed = { outcome: 'failed', error: 'unsupported_command_set', language, bytes: 0 };
    expect(await newest(node)).toEqual({ ...mine, ...failed });
    expect(node.printer.paperBytes()).toHaveLength(0);
  });

  it('is counted while it waits for the printer, and listed from when it has it', async () => {
    const node = await start();
    const holder = await hold(node);
    const waiting = await dial(node);
    waiting.write('waits\n');
    await until(async () => (await waitingOn(node)) === 1);
    expect(await jobsOf(node)).toMatchObject([{ outcome: 'running', bytes: 11 }]);
    const asked = performance.now();
    await until(async () => ((await jobsOf(node))[0]?.ms ?? 0) > 300);
    holder.end();
    await until(async () => (await jobsOf(node)).length === 2 && (await newest(node)).bytes === 6);
    const [began] = await jobsOf(node);
    expect(began).toMatchObject({ outcome: 'running', bytes: 6 });
    // Its own time does not have that for which it waited.
    expect((began?.startedAgoMs ?? 0) - (began?.ms ?? 0)).toBeGreaterThan(200);
    expect(began?.ms).toBeLessThan(performance.now() - asked);
    expect(await waitingOn(node)).toBe(0);
    waiting.end();
    await until(async () => (await newest(node)).outcome === 'accepted');
    expect((await jobsOf(node)).map(({ bytes }) => bytes)).toEqual([6, 11]);
  });

  it('that only asks how the printer is, or says nothing, is none', async () => {
    const node = await start();
    const socket = await dial(node);
    const answered = once(socket, 'data');
    socket.write(Uint8Array.of(0x10, 0x04, 0x01));
    await answered;
    socket.end();
    await closed(socket);
    await send(node, '');
    expect(await jobsOf(node)).toEqual([]);
  });

  it('ends as a job where it is idle, and begins another with its next byte', async () => {
    const node = await start();
    await node.send('PUT', '/config', { raw: { idleTimeoutSeconds: 5 } });
    const socket = await dial(node);
    socket.write('breakfast\n');
    await until(async () => (await jobsOf(node))[0]?.outcome === 'accepted');
    socket.end('lunch\n');
    await until(async () => (await jobsOf(node)).length === 2);
    await ended(node);
    expect((await jobsOf(node)).map(({ outcome, bytes }) => [outcome, bytes])).toEqual([
      ['accepted', 6],
      ['accepted', 10],
    ]);
  }, 30_000);
});

describe('a connection that ended in order', () => {
  /** GS v 0: a raster of 8 x 10 dots. */
  const RASTER = [0x1d, 0x76, 0x30, 0, 1, 0, 10, 0];
  it.each([
    ['a raster', [...RASTER, 1, 2, 3], 11, 7],
    ['a symbol of GS ( k', [0x1d, 0x28, 0x6b, 9, 0, 0x31, 0x50, 0x30, 65], 9, 5],
    ['a downloaded character', [0x1b, 0x26, 3, 0x41, 0x42, 2, 1, 1, 1], 9, 4],
    ['the data of a bar code, which a NUL ends', [0x1d, 0x6b, 4, ...Array.from({ length: 300 }, () => 65)], 305, 1],
    ['a header, which nothing of leaves', [0x41, 0x0a, 0x1d, 0x76, 0x30], 2, 1],
  ])(
    'inside %s is told apart: it may have printed, and so many bytes are missing',
    async (_, bytes, taken, missing) => {
      const node = await start();
      await send(node, Uint8Array.from(bytes));
      expect(await ended(node)).toEqual({
        ...{ ...mine, outcome: 'partial', error: 'invalid_body', bytes: taken, missingBytes: missing },
      });
      const { counters } = (await node.get<{ counters: [{ sinceStart: object }] }>('/status')).body;
      expect(counters[0].sinceStart).toMatchObject({ receipts: 0 });
      await send(node, Uint8Array.from([...RASTER, ...Array.from({ length: 10 }, () => 1)]));
      expect(await ended(node)).toEqual({ ...mine, outcome: 'accepted', bytes: 18 });
    },
  );

  it('says how many openings of the drawer were not passed on', async () => {
    const node = await start();
    await send(node, Uint8Array.from([0x1b, 0x70, 0, 25, 250]));
    expect(await ended(node)).toEqual({ ...mine, outcome: 'accepted', bytes: 0, pulsesDropped: 1 });
    await send(node, Uint8Array.from([0x1b, 0x70, 0, 25, 250, 0x41, 0x0a, 0x10, 0x14, 1, 0, 1]));
    expect(await ended(node)).toEqual({ ...mine, outcome: 'accepted', bytes: 2, pulsesDropped: 2 });
    await send(node, 'x\n');
    expect(await ended(node)).toEqual({ ...mine, outcome: 'accepted', bytes: 2 });
  });

  it('shows what a slow printer has taken so far', async () => {
    const node = await start();
    await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
    node.printer.set({ slow: 200 });
    const socket = await dial(node);
    socket.end('x'.repeat(600));
    await until(async () => ((await jobsOf(node))[0]?.bytes ?? 0) > 0);
    expect(await newest(node)).toMatchObject({ outcome: 'running', bytes: expect.toSatisfy((n) => n < 600) });
    node.printer.set({ slow: 0 });
    expect(await ended(node)).toMatchObject({ outcome: 'accepted' });
  });
});

describe('a connection that was cut is listed with the reason', () => {
  it('where its client went in the middle of it: it may have printed', async () => {
    const node = await start();
    const socket = await hold(node);
    socket.resetAndDestroy();
    expect(await ended(node)).toEqual({ ...mine, outcome: 'partial', error: 'invalid_body', bytes: 11 });
  });

  it('where its client went while it waited: nothing was printed', async () => {
    const node = await start();
    const holder = await hold(node);
    const waiting = await dial(node);
    waiting.write('given up\n');
    await until(async () => (await waitingOn(node)) === 1);
    waiting.resetAndDestroy();
    holder.end();
    await until(async () => (await jobsOf(node)).length === 2);
    expect(await ended(node)).toEqual({ ...mine, outcome: 'failed', error: 'invalid_body', bytes: 0 });
  });

  it('where the plug was pulled: of the one that printed, a part may be on paper; of the one that waited, nothing', async () => {
    const node = await start();
    await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
    node.printer.set({ slow: 200 });
    const printing = await dial(node);
    printing.write('x'.repeat(3000));
    await until(async () => ((await jobsOf(node))[0]?.bytes ?? 0) > 0 || node.printer.paperBytes().length > 200);
    const waiting = await dial(node);
    waiting.write('waits\n');
    await until(async () => (await waitingOn(node)) === 1);
    await node.unplug();
    await until(async () => {
      const jobs = await jobsOf(node);
      return jobs.length === 2 && jobs.every(({ outcome }) => outcome !== 'running');
    });
    const [second, first] = await jobsOf(node);
    expect(second).toMatchObject({ ...mine, outcome: 'failed', error: 'no_printer', bytes: 0 });
    expect(first).toMatchObject({ ...mine, outcome: 'uncertain', error: 'write_failed' });
    expect(first?.bytes).toBeGreaterThan(0);
    expect(first?.bytes).toBeLessThan(3000);
  });

  it('where its client went first, and then the plug was pulled: a part may be on paper', async () => {
    const node = await start();
    await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
    node.printer.set({ slow: 200 });
    const printing = await dial(node);
    printing.write('x'.repeat(3000));
    await until(async () => ((await jobsOf(node))[0]?.bytes ?? 0) > 0);
    printing.resetAndDestroy();
    // Behind an answer of the node, which has heard of it by then.
    await jobsOf(node);
    await node.unplug();
    expect(await ended(node)).toMatchObject({ ...mine, outcome: 'uncertain', error: 'write_failed' });
  });

  it('where the printer took nothing: nothing was printed', async () => {
    const node = await start();
    await node.send('PUT', '/config', { usb: { writeTimeoutMs: 500 } });
    node.printer.set({ nak: true });
    await send(node, 'never\n');
    expect(await ended(node)).toEqual({ ...mine, outcome: 'failed', error: 'write_failed', bytes: 0 });
  });

  it('where the node stops while it waits', async () => {
    const node = await startPrintingNode();
    const holder = await hold(node);
    const waiting = await dial(node);
    waiting.write('waits\n');
    await until(async () => (await waitingOn(node)) === 1);
    const { room } = node.kernel.routes.find(({ route }) => route.path === '/jobs') ?? expect.fail();
    await node.stop();
    holder.destroy();
    // Of the one that held the printer, all that it sent is on the paper.
    const partial = { outcome: 'partial', error: 'restarting', bytes: 11 };
    expect((room as JobList).view()).toMatchObject([{ outcome: 'failed', error: 'restarting' }, partial]);
  });

  it('where the node stops while it prints: some of it may be on the paper', async () => {
    const node = await startPrintingNode();
    await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
    node.printer.set({ slow: 200 });
    const printing = await dial(node);
    printing.write('x'.repeat(3000));
    await until(async () => ((await jobsOf(node))[0]?.bytes ?? 0) > 0);
    const { room } = node.kernel.routes.find(({ route }) => route.path === '/jobs') ?? expect.fail();
    await node.stop();
    expect((room as JobList).view()[0]).toMatchObject({ outcome: 'uncertain', error: 'write_failed' });
  });
});

describe('a connection that was refused is listed with the reason', () => {
  it.each([
    ['an HTTP request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a TLS hello', Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03)],
    ['an SSH banner', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ])('because it is %s and no job', async (_, bytes) => {
    const node = await start();
    await send(node, bytes);
    expect(await ended(node)).toEqual({ ...mine, outcome: 'failed', error: 'invalid_command', bytes: 0 });
    expect(await jobsOf(node)).toHaveLength(1);
  });

  it('because one prints and 32 of its address wait', async () => {
    const node = await start();
    await hold(node);
    await Promise.all(Array.from({ length: 32 }, () => dial(node)));
    const one = await dial(node);
    await closed(one);
    expect(await newest(node)).toEqual({ ...mine, outcome: 'failed', error: 'no_slots', bytes: 0 });
    expect(await jobsOf(node)).toHaveLength(2);
  });
});
