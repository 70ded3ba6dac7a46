/** What one guest on port 9100 cannot do to the others. */
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';

let node: PrintingNode;
afterEach(async () => {
  vi.useRealTimers();
  await node.stop();
});

const ending = (socket: Socket) =>
  new Promise<string>((resolve) => {
    socket.resume();
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'error'));
    socket.once('end', () => resolve('end'));
  });
async function job(bytes: string): Promise<string> {
  const socket = await node.dial();
  socket.end(bytes);
  return ending(socket);
}

const taken = async () => (await node.get<{ raw: { bytes: number } }>('/status')).body.raw.bytes;
/** The printer has no paper, and the node knows. */
async function runsOut(): Promise<void> {
  node.printer.set({ paper: 'out' });
  await node.kernel.bound('printer', 'receipt')?.refresh();
  expect((await node.get<{ printers: object[] }>('/status')).body.printers).toMatchObject([{ paperOut: true }]);
}
/** Bytes of 64 MiB that stay with a client when nothing moves any more: the buffers of both kernels are full. */
async function leftWith(client: Socket): Promise<number> {
  client.on('error', () => {});
  client.write(Buffer.alloc(64 * 1024 * 1024, 'second\n'));
  let [left, still] = [0, 0];
  await until(() => {
    still = client.writableLength === left ? still + 1 : 0;
    left = client.writableLength;
    return still === 50;
  });
  return left;
}

describe('a guest on port 9100', () => {
  it.each([
    ['took the printer off the line', 'off the line\n\x1b=\0'],
    ['began a page', 'a page\n\x1bL'],
    ['began a macro', 'a macro\n\x1d:'],
    ['began an image', 'an image\n\x1dv0\0H\0\x7f\0first of 9144 bytes'],
  ])(
    'is cut off once it is idle where it %s, and the next receipt is on paper',
    async (_, bytes) => {
      node = await startPrintingNode();
      await node.idleAfter(0.1);
      const holder = await node.dial();
      const cut = ending(holder);
      holder.write(bytes);
      await until(() => node.printer.paperText().includes(bytes.split('\n')[0] ?? ''));
      expect(await job('next receipt\n')).toBe('end');
      expect(await cut).toBe('ECONNRESET');
      expect(node.printer.paperText()).toContain('next receipt');
    },
    20_000,
  );

  it.each([
    ['in what only the node takes for a payload', '1b5a05030203001b3d000a'],
    ['with its last command', '410a1b3d00'],
  ])('has not taken the printer off the line for the next, by ESC = %s', async (_, bytes) => {
    node = await startPrintingNode();
    const guest = await node.dial();
    guest.end(Buffer.from(bytes, 'hex'));
    expect(await ending(guest)).toBe('end');
    expect(await job('receipt\n')).toBe('end');
    expect(node.printer.paperText()).toContain('receipt');
    const lines = [{ type: 'text', value: 'another' }];
    await node.send('POST', '/print', { type: 'print', id: '1', endpoint: 'receipt', lines });
    expect(node.printer.paperText()).toContain('another');
  });

  it('is not printed where it reset its connection while it waited, and may have sent its job again', async () => {
    node = await startPrintingNode();
    const holder = await node.dial();
    holder.write('first\n');
    await until(() => node.printer.paperText().includes('first'));
    const waiting = await node.dial();
    waiting.on('error', () => {});
    waiting.write('given up\n');
    await until(async () => (await taken()) > 6);
    waiting.resetAndDestroy();
    const again = await node.dial();
    again.end('sent again\n');
    holder.end();
    expect(await ending(again)).toBe('end');
    expect(node.printer.paperText()).toContain('sent again');
    expect(node.printer.paperText()).not.toContain('given up');
  });

  it('that waits is not read from: what it sends stays with it', async () => {
    node = await startPrintingNode();
    const holder = await node.dial();
    holder.write('first\n');
    await until(() => node.printer.paperText().includes('first'));
    const waiting = await node.dial();
    expect(await leftWith(waiting)).toBeGreaterThan(32 * 1024 * 1024);
    waiting.destroy();
    holder.destroy();
  });

  it('that prints is read 64 KiB ahead while the printer takes nothing, and no more', async () => {
    node = await startPrintingNode();
    await runsOut();
    const guest = await node.dial();
    expect(await leftWith(guest)).toBeGreaterThan(32 * 1024 * 1024);
    // What one read of the socket gives, and what is read ahead.
    expect(await taken()).toBeLessThanOrEqual(64 * 1024 + 64 * 1024);
    guest.destroy();
  });

  it('does not keep others out by connections that say nothing for 5 s', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    node = await startPrintingNode();
    const silent = await Promise.all(Array.from({ length: 129 }, () => node.dial()));
    for (const socket of silent) socket.on('error', () => {});
    const cut = Promise.race(silent.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    const connections = async () => (await node.get<{ raw: { connections: number } }>('/status')).body.raw.connections;
    await until(async () => (await connections()) === silent.length);
    vi.advanceTimersByTime(5000);
    expect(await job('receipt\n').catch(() => 'refused')).not.toBe('end');
    vi.advanceTimersByTime(1);
    expect(await job('receipt\n')).toBe('end');
    await cut;
    expect(node.printer.paperText().match(/receipt/g)).toHaveLength(1);
    for (const socket of silent) socket.destroy();
  });

  it('is let go of where it asks for the status faster than it could read the answers', async () => {
    node = await startPrintingNode();
    const asking = await node.dial();
    const closed = new Promise((resolve) => asking.once('error', resolve));
    asking.write(Buffer.alloc(600_000, Buffer.from([0x10, 0x04, 0x01])));
    expect(await closed).toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) });
    expect(await job('receipt\n')).toBe('end');
  });

  it('is answered on its own connection while the printer takes nothing of its job', async () => {
    node = await startPrintingNode();
    await runsOut();
    const asking = await node.dial();
    const done = ending(asking);
    const answer = new Promise<Buffer>((resolve) => asking.once('data', resolve));
    asking.write(Buffer.alloc(100_000, 'a long receipt\n'));
    asking.write(Buffer.of(0x10, 0x04, 0x04));
    expect((await answer)[0]! & 0x60).toBe(0x60);
    node.printer.set({ paper: 'ok' });
    asking.end();
    expect(await done).toBe('end');
  });

  it('gets each of its questions answered, in order', async () => {
    node = await startPrintingNode();
    const asking = await node.dial();
    const answers: Buffer[] = [];
    asking.on('data', (chunk) => answers.push(chunk));
    asking.write(Buffer.from('100401100402100404100401', 'hex'));
    await until(() => Buffer.concat(answers).length === 4);
    const [printer, offline, paper, again] = Buffer.concat(answers);
    expect([printer, offline, paper]).toEqual([again, 0x12, 0x12]);
    asking.destroy();
  });

  it('is answered where it stays after its receipt, also if the node asked the printer while that was printed', async () => {
    node = await startPrintingNode();
    const bound = node.kernel.bound('printer', 'receipt');
    node.printer.set({ nak: true });
    const guest = await node.dial();
    guest.write('its receipt\n');
    await until(async () => (await taken()) === 12);
    const reading = bound?.refresh();
    node.printer.set({ nak: false });
    await until(() => node.printer.paperText().includes('its receipt'));
    const answer = new Promise<Buffer>((resolve) => guest.once('data', resolve));
    guest.write(Buffer.of(0x10, 0x04, 0x04));
    expect([...(await answer)]).toEqual([0x12]);
    await reading;
    guest.destroy();
  });

  it('is printed in the order in which it sent, also where it had to wait for another', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const holder = await node.dial();
    holder.write('the holder\n');
    await until(() => node.printer.paperText().includes('the holder'));
    const guest = await node.dial();
    const done = ending(guest);
    // Several reads of the socket, of which the first waits for the turn.
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}.\n`);
    guest.end(lines.join(''));
    await until(async () => (await taken()) > 11);
    holder.end();
    expect(await done).toBe('end');
    const paper = Buffer.from(node.printer.paperBytes()).toString('latin1');
    expect(paper.match(/line \d+\.\n/g)).toEqual(lines);
  });
});
