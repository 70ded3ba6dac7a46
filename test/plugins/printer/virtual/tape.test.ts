import { describe, expect, it } from 'vitest';
import type { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import type { VirtualUsb } from '../../../../runtime/bindings/virtual/usb.ts';
import { LATER, OUT, SOON } from '../../../bindings/virtual-plugged.ts';
import { bytes, ESC_P, type Part, printerOnBus, raster } from './bench.ts';

const MEBIBYTE = 1024 * 1024;

async function tornOften(printer: VirtualPrinter, usb: VirtualUsb): Promise<void> {
  for (let n = 0; n < 40; n += 1) {
    printer.offer(OUT.address, bytes(`receipt ${n}\n`, 'half'));
    usb.unplug(printer);
    usb.plug(printer);
  }
}

describe('the tape of the virtual printer', () => {
  it('holds exactly the bytes it took', async () => {
    const { printer, write } = await printerOnBus();
    const job = bytes('\x1b@', [0x10, 0x04, 1], raster(2, bytes('abcd')), 'end\n');
    await write(job);
    await write(job);
    expect(Buffer.from(printer.paperBytes()).equals(bytes(job, job))).toBe(true);
    printer.tearOff();
    expect(printer.paperBytes()).toHaveLength(0);
    expect(printer.tornOffBytes).toBe(job.length * 2);
  });

  it('holds the last mebibyte, prints it as it was printed, and loses no pulse', async () => {
    const { printer, write } = await printerOnBus();
    const line = bytes([0x1d, 0x21, 0x11], 'twice as large\n');
    const half = bytes(...new Array<Uint8Array>(30_000).fill(line));
    await write(ESC_P, half, half, half);
    expect(printer.paperBytes().length).toBeLessThanOrEqual(MEBIBYTE);
    expect(printer.paperBytes()).toHaveLength(MEBIBYTE);
    expect(printer.paperBytes().length + printer.tornOffBytes).toBe(half.length * 3 + ESC_P.length);
    expect(printer.paperFacts().tornOff).toBe(half.length * 3 + ESC_P.length - MEBIBYTE);
    expect(printer.pulses).toHaveLength(1);
    expect(printer.paperText()).toMatch(/twice as large\n$/);
  });

  it('prints again from the middle of a raster, each dot in its column', async () => {
    const { printer, write } = await printerOnBus();
    const row = Uint8Array.of(0x80, 0, 0, 0, 0, 0, 0, 0, 0);
    const tall = bytes([0x1d, 0x76, 0x30, 0, row.length, 0, 0xff, 0xff], ...new Array<Uint8Array>(65_535).fill(row));
    await write(tall, tall, tall, 'behind it\n');
    expect(printer.tornOffBytes).toBeGreaterThan(0);
    expect(printer.paperText()).toMatch(/^\[raster 72x\d+\]\nbehind it\n$/);
    const path = / d="([^"]+)"/.exec(printer.paperSvg())?.[1] ?? '';
    expect(path.length).toBeGreaterThan(1_000_000);
    expect(path.replaceAll(/M0 \d+\.5h1/g, '')).toBe('');
  });

  it('prints what was sent off-line once the cover is closed, in its order and once', async () => {
    const { printer, write } = await printerOnBus();
    await write('one\n');
    printer.set({ cover: 'open' });
    await write('two\n');
    expect(printer.paperText()).toBe('one\n');
    printer.tearOff();
    printer.set({ cover: 'closed' });
    await write('three\n');
    expect(printer.paperText()).toBe('two\nthree\n');
  });

  it('loses what was not printed when the power goes, and begins anew', async () => {
    const { printer, usb, host, write } = await printerOnBus();
    await write('printed\n', [0x1b, 0x61, 2]);
    printer.set({ paper: 'out' });
    await write('lost\n', [0x1d, 0x76, 0x30]);
    usb.unplug(printer);
    await expect(write('never\n')).rejects.toMatchObject({ fault: 'disconnected', bytesTransferred: 0 });
    await host.close();
    printer.set({ paper: 'ok' });
    usb.plug(printer);
    printer.offer(OUT.address, bytes('left again\n'));
    expect(printer.paperText()).toBe('printed\nleft again\n');
  });

  it('is whole over any number of replugs, and says nothing of bytes that came before it was torn off', async () => {
    const { printer, usb } = await printerOnBus();
    await tornOften(printer, usb);
    const receipts = Array.from({ length: 40 }, (_, n) => `receipt ${n}\n`).join('');
    expect(printer.paperText()).toBe(receipts);
    expect(printer.paperFacts()).toMatchObject({ rows: 40, tornOff: 0 });
    printer.tearOff();
    expect(printer.paperFacts()).toEqual({ rows: 0, commands: 0, ignored: [], tornOff: 0, tornOffRows: 0 });
  });

  it('says how many of its rows are no longer shown', async () => {
    const { printer, write } = await printerOnBus();
    await write('x\n'.repeat(20_000));
    const { rows, tornOff, tornOffRows } = printer.paperFacts();
    expect([rows, tornOff]).toEqual([20_000, 0]);
    expect(tornOffRows).toBeGreaterThan(0);
    expect(printer.paperText()).toBe('x\n'.repeat(rows - tornOffRows));
  });

  it('leaves half a line out that the power took, and keeps what was stored for good', async () => {
    const { printer, usb } = await printerOnBus();
    const send = (...parts: Part[]): void => void printer.offer(OUT.address, bytes(...parts));
    send([0x1c, 0x71, 1, 1, 0, 1, 0], new Uint8Array(8).fill(0xff), [0x1d, 0x3a], 'macro\n', [0x1d, 0x3a]);
    send([0x1d, 0x2a, 1, 1], new Uint8Array(8).fill(0xff), [0x1b, 0x4c], 'a page, lost', 0x0a, 'and this');
    usb.unplug(printer);
    usb.plug(printer);
    send('kept\n', [0x1d, 0x2f, 0, 0x1d, 0x5e, 1, 0, 0, 0x1c, 0x70, 1, 0]);
    expect(printer.paperText()).toBe(`macro\nkept\n${'████████\n'.repeat(4)}`);
    expect(printer.paperFacts().ignored.map(({ command }) => command)).toEqual(['GS /', 'GS ^']);
  });

  it('takes nothing while it NAKs, and keeps the order of jobs while it is slow', async () => {
    const { printer, host, write } = await printerOnBus();
    printer.set({ nak: true });
    await expect(host.transferOut(OUT, bytes('no\n'), SOON)).rejects.toMatchObject({
      fault: 'timeout',
      bytesTransferred: 0,
    });
    printer.set({ nak: false, slow: 5000 });
    await Promise.all([
      write('first\n'.repeat(20)),
      write('second\n'.repeat(5)),
      host.transferOut(OUT, bytes('third\n'), LATER),
    ]);
    expect(printer.paperText()).toBe(`${'first\n'.repeat(20)}${'second\n'.repeat(5)}third\n`);
  });
});
