/** Raw ESC/POS on TCP 9100, from the outside. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';

let node: PrintingNode;
afterEach(() => node.stop());

/** Sends a job and waits until the node has taken all of it. */
async function job(bytes: Uint8Array | string, from?: string): Promise<void> {
  const socket = await node.dial(from);
  // One that ends inside a command is reset.
  socket.on('error', () => {});
  socket.resume();
  socket.end(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
}
/** A command of raw bytes, beside port 9100. */
const raw = (data: readonly number[]) =>
  node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data: Buffer.from(data).toString('base64') });
const counters = async () => (await node.get<{ raw: Record<string, number> }>('/status')).body.raw;
const answer = async (socket: Socket) => Buffer.from((await once(socket, 'data'))[0] as Buffer);
const PULSE = [0x1b, 0x70, 0x00, 0x19, 0xfa];
const bytes = (...parts: Array<string | readonly number[]>) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

describe('port 9100', () => {
  it('passes bytes through unchanged', async () => {
    node = await startPrintingNode({ vendorId: 0x0416, productId: 0x5011, deviceId: '' });
    node.printer.tearOff();
    const receipt = bytes([0x1b, 0x40], 'Hello', [0x1b, 0x45, 1, 0x0a, 0x1d, 0x56, 0x42, 0]);
    await job(receipt);
    expect(Buffer.from(node.printer.paperBytes())).toEqual(receipt);
    expect(await counters()).toMatchObject({ connections: 1, bytes: receipt.length, refused: 0 });
  });

  it('drops what would open the till, and counts it', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    await job(bytes('a', PULSE, 'b', [0x10, 0x14, 1, 0, 1], 'c', [0x10, 0x14, 2, 1, 8], 'd\n'));
    expect(node.printer.pulses).toEqual([]);
    expect(node.printer.paperText()).toContain('abcd');
    expect(await counters()).toMatchObject({ pulsesDropped: 2, realtimeDropped: 1 });
  });

  it('keeps the till shut when a pulse arrives in pieces, or over two connections', async () => {
    node = await startPrintingNode();
    for (let cut = 1; cut < PULSE.length; cut += 1) {
      const socket = await node.dial();
      socket.resume();
      socket.write(Buffer.from(PULSE.slice(0, cut)));
      await new Promise(setImmediate);
      socket.end(Buffer.from(PULSE.slice(cut)));
      await once(socket, 'close');
      await job(Buffer.from(PULSE.slice(0, cut)));
      await job(Buffer.from(PULSE.slice(cut)));
    }
    expect(node.printer.pulses).toEqual([]);
  });

  it('makes up for an image that was announced and not sent, so that the next connection cannot hide a pulse in it', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const graphics = (size: number) => [0x1d, 0x38, 0x4c, size & 0xff, size >> 8, size >> 16, 0];
    await job(bytes(graphics(200_000), 'left'));
    // To a printer that still waits, this ends seven bytes before its own count does.
    await job(bytes(graphics(200_000), Buffer.alloc(200_000 - 7).toString('latin1'), PULSE, 'xx'));
    await job('next receipt\n');
    expect(node.printer.pulses).toEqual([]);
    expect(node.printer.paperText()).toContain('next receipt');
  });

  it('makes up for what a printer did not take of a job, before the next one', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { usb: { writeTimeoutMs: 500 } });
    node.printer.tearOff();
    node.printer.set({ paper: 'out' });
    const socket = await node.dial();
    socket.on('error', () => {});
    // ESC = 0 takes the printer off the line, and what would put it back is lost.
    socket.write(
      bytes([0x1b, 0x3d, 0], [0x1d, 0x76, 0x30, 0, 72, 0, 0xd0, 7], Buffer.alloc(100_000).toString('latin1')),
    );
    await new Promise((resolve) => socket.once('close', resolve));
    node.printer.set({ paper: 'ok' });
    await job('next receipt\n');
    expect(node.printer.paperText()).toContain('next receipt');
  });

  it('begins with a printer in its first modes, whatever it was told before it was plugged in', async () => {
    node = await startPrintingNode({ keepsPower: true });
    // A customer display has the line, and font B is on, where user-defined characters are narrower.
    await job(bytes([0x1b, 0x4d, 1], [0x1b, 0x3d, 0]));
    await node.unplug();
    node.printer.tearOff();
    await node.replug();
    const selectAndInitialize = Buffer.from([0x1b, 0x3d, 1, 0x1b, 0x40]);
    await until(() => Buffer.from(node.printer.paperBytes()).includes(selectAndInitialize));
    // Before it, only what completes a header.
    const before = Buffer.from(node.printer.paperBytes()).indexOf(selectAndInitialize);
    expect(
      node.printer
        .paperBytes()
        .subarray(0, before)
        .every((byte) => byte === 0),
    ).toBe(true);
  });

  it('begins with a printer in its first modes, and with no image open, after raw commands', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const row = Array.from({ length: 72 }, () => 0xff);
    await raw([0x1d, 0x76, 0x30, 0, 72, 0, 2, 0, ...row]);
    await raw(row);
    await raw([0x1d, 0x76, 0x30, 0, 72, 0, 200, 0, ...row]);
    await job('after an image\n');
    await raw([0x1b, 0x3d, 0]);
    await job('after a customer display\n');
    expect(node.printer.paperText()).toBe('[raster 576x202]\nafter an image\nafter a customer display\n');
    await raw([0x1d, 0x76, 0x30, 0, 72, 0, 200, 0, ...row]);
    await node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'd', endpoint: 'receipt' });
    expect(node.printer.pulses).toHaveLength(1);
  });

  it.each([
    ['whose size spells a real-time command', [0x1d, 0x76, 0x30, 0, 0x10, 0x14, 1, 0]],
    ['cut off in its header', [0x1d, 0x38, 0x4c, 0xff, 0x10]],
    ['that is a bar code', [0x1d, 0x6b, 73, 255, 0x7b, 0x42]],
  ])('begins with no payload open after raw commands with one %s', async (_, header) => {
    node = await startPrintingNode();
    await raw(header);
    await job('after a payload\n');
    expect(node.printer.paperText()).toContain('after a payload\n');
    await raw(header);
    await node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'd', endpoint: 'receipt' });
    expect(node.printer.pulses).toHaveLength(1);
  });

  it('runs no macro but the one of the job itself: a kick of the node may have got into another', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const [start, run] = [
      [0x1d, 0x3a],
      [0x1d, 0x5e, 1, 0, 0],
    ];
    await job(bytes(start, 'a\n', start, run));
    await job(bytes(start));
    await job(bytes(start, run, 'b\n'));
    expect(Buffer.from(node.printer.paperBytes())).toEqual(bytes(start, 'a\n', start, run, 'b\n'));
    expect(await counters()).toMatchObject({ pulsesDropped: 1 });
  });

  it('runs no macro of the client before', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const [start, run] = [
      [0x1d, 0x3a],
      [0x1d, 0x5e, 1, 0, 0],
    ];
    await job(bytes(start, 'a\n', start));
    await job(bytes(run, 'b\n'));
    expect(Buffer.from(node.printer.paperBytes())).toEqual(bytes(start, 'a\n', start, 'b\n'));
    expect(await counters()).toMatchObject({ pulsesDropped: 1 });
  });

  it('completes what a connection has open when the node is stopped', async () => {
    node = await startPrintingNode({ keepsPower: true });
    node.printer.tearOff();
    const socket = await node.dial();
    socket.on('error', () => {});
    socket.write(bytes([0x1d, 0x76, 0x30, 0, 72, 0, 200, 0], 'the first of 14,400 bytes'));
    await until(() => node.printer.paperBytes().length > 20);
    await node.stop();
    expect(node.printer.paperText()).toContain('[raster 576x200]');
  });

  it('keeps a pulse inside an image from being obeyed, and prints the image', async () => {
    node = await startPrintingNode();
    await job(bytes([0x1d, 0x76, 0x30, 0, 5, 0, 2, 0], PULSE, [0x10, 0x14, 1, 0, 1], 'after\n'));
    expect(node.printer.pulses).toEqual([]);
    expect(node.printer.paperText()).toContain('after');
  });

  it('answers DLE EOT at once on the socket that asked, also while another job prints', async () => {
    node = await startPrintingNode();
    const asking = await node.dial();
    asking.write(Buffer.from([0x10, 0x04, 0x04]));
    expect(await answer(asking)).toEqual(Buffer.from([0x12]));
    node.printer.set({ slow: 20_000 });
    const printing = job(Buffer.alloc(60_000, 'receipt \n'));
    await until(() => node.printer.paperBytes().length > 1000);
    asking.write(Buffer.from([0x10, 0x04, 0x01]));
    expect((await answer(asking))[0]! & 0x93).toBe(0x12);
    node.printer.set({ slow: 0 });
    await printing;
    asking.destroy();
  });

  it.each([
    ['before it is', Buffer.alloc(0)],
    ['behind a receipt', Buffer.from('a receipt \n')],
  ])('answers a client that has closed its own side %s', async (_, receipt) => {
    node = await startPrintingNode();
    const asking = await node.dial();
    const said: Buffer[] = [];
    asking.on('data', (chunk) => said.push(chunk));
    asking.end(Buffer.concat([receipt, Buffer.from([0x10, 0x04, 0x04, 0x10, 0x04, 0x01])]));
    await once(asking, 'close');
    expect(Buffer.concat(said)).toEqual(Buffer.from([0x12, 0x12]));
  });

  it('makes no answer up for a printer that is silent', async () => {
    node = await startPrintingNode();
    node.printer.set({ silent: true });
    const asking = await node.dial();
    let said = 0;
    asking.on('data', (chunk) => {
      said += chunk.length;
    });
    asking.end(Buffer.from([0x10, 0x04, 0x01, 0x10, 0x04, 0x02]));
    await once(asking, 'close');
    expect(said).toBe(0);
  });

  it('gives the printer’s own answers to the connection that holds it', async () => {
    node = await startPrintingNode();
    const holder = await node.dial();
    holder.write(Buffer.from([0x1d, 0x49, 0x43]));
    expect((await answer(holder)).toString('latin1')).toBe('_TM-T20III\0');
    holder.destroy();
  });

  it('answers status requests before a request line at once, one cut in two included, and prints neither', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const socket = await node.dial();
    socket.on('error', () => {});
    for (const [sent, back] of [
      ['\x10\x04\x01', 1],
      ['\0\r\n\x10\x04\x02\0\x10', 1],
      ['\x04\x04', 1],
    ] as const) {
      socket.write(sent, 'latin1');
      expect(await answer(socket)).toHaveLength(back);
    }
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    expect(node.printer.paperText()).not.toContain('HTTP');
    expect((await node.get<{ raw: { refused: number } }>('/status')).body.raw.refused).toBe(1);
  });

  it('prints the jobs of 100 clients whole, one after the other', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const jobs = Array.from({ length: 100 }, (_, client) =>
      `client ${String(client).padStart(3, '0')} line\n`.repeat(100),
    );
    await Promise.all(jobs.map((lines, client) => job(lines, `127.0.0.${2 + (client % 4)}`)));
    const rows = node.printer
      .paperText()
      .split('\n')
      .filter((row) => row.startsWith('client'));
    expect(rows).toHaveLength(10_000);
    expect(rows.filter((row, index) => index > 0 && row !== rows[index - 1])).toHaveLength(99);
  }, 60_000);

  it.each([
    ['an HTTP request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an HTTP request of 7,500 bytes', `GET /${'a'.repeat(7500)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['one behind a line end', '\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a search of SSDP', 'M-SEARCH * HTTP/1.1\r\nMAN: "ssdp:discover"\r\n\r\n'],
    ['a POST by a browser', 'POST /print HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an SSH banner', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ])('closes a connection that opens with %s, unprinted and counted', async (_, opening) => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const socket = await node.dial();
    socket.on('error', () => {});
    socket.write(opening, 'latin1');
    await once(socket, 'close');
    expect(node.printer.paperBytes()).toHaveLength(0);
    expect(await counters()).toMatchObject({ refused: 1 });
  });

  it.each(['GET WELL SOON\n', 'GET /WELL'])('prints plain text that only begins like a request: %j', async (text) => {
    node = await startPrintingNode();
    await job(text);
    expect(Buffer.from(node.printer.paperBytes()).includes(text)).toBe(true);
  });

  it('leaves the next receipt whole when a client dies inside an image', async () => {
    node = await startPrintingNode();
    const dying = await node.dial();
    dying.write(bytes([0x1d, 0x76, 0x30, 0, 72, 0, 100, 0], 'only the beginning'));
    await until(() => node.printer.paperBytes().length > 20);
    dying.resetAndDestroy();
    await node.print([{ type: 'text', value: 'the next receipt' }]);
    expect(node.printer.paperText()).toContain('the next receipt');
  });

  it('holds back the API while a connection prints, and lets it in between two commands once that one is idle', async () => {
    node = await startPrintingNode();
    await node.idleAfter(1);
    const holder = await node.dial();
    holder.write('from 9100\n');
    await until(() => node.printer.paperText().includes('from 9100'));
    const printed = node.print([{ type: 'text', value: 'from the API' }]);
    holder.write('more from 9100\n');
    expect((await printed).status).toBe(200);
    expect(node.printer.paperText()).toMatch(/from 9100\s+more from 9100\s+from the API/);
    expect(holder.destroyed).toBe(false);
    holder.write('and again\n');
    await until(() => node.printer.paperText().includes('and again'));
    holder.destroy();
  }, 20_000);

  it('probes a client that says nothing: one whose power was cut does not keep its place for ever', async () => {
    node = await startPrintingNode();
    const socket = await node.dial();
    socket.on('error', () => {});
    await until(async () => (await counters())['connections'] === 1);
    const hex = (port: number | undefined) => Number(port).toString(16).toUpperCase().padStart(4, '0');
    // proc_net_tcp: local address, remote address, state, queues, and the timer that is active (02: keep-alive).
    const end = new RegExp(`:${hex(socket.remotePort)} \\S+:${hex(socket.localPort)} 01 \\S+ (\\d\\d):`);
    expect(end.exec(await readFile('/proc/self/net/tcp', 'latin1'))?.[1]).toBe('02');
  });
});
