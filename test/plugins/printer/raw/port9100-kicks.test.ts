/** A drawer kick beside a client that keeps the printer: when it goes out, and where it may not. */
import { describe, expect, it, vi } from 'vitest';
import { until } from '../../../node.ts';
import { heldPrinter, passes } from './held.ts';

const hex = (words: string) => Buffer.from(words).toString('hex');
const RASTER = '\x1dv0\0\x08\0\x40\0';

const held = heldPrinter();
const { holder, onPaper, taken } = held;

describe('a drawer kick', () => {
  const kick = () => held.node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'k', endpoint: 'receipt' });

  it.each<[string, string, string?]>([
    ['behind a cut', 'a receipt\n\x1dV\0'],
    ['in the middle of a receipt', 'half a receipt\n'],
    ['in the middle of a line', 'half a line'],
    ['in the middle of a character', 'half a \x81', 'half a '],
    ['in a page', 'a page\n\x1bLtext'],
    ['that has deselected the printer', 'a display\n\x1b=\x02'],
    ['that has deselected it in a page', '\x1bL\x1b=\0'],
  ])('does not wait for a holder %s', async (_, bytes, seen = bytes) => {
    const socket = await holder(bytes, seen);
    const answer = kick();
    expect(await passes(() => held.node.printer.pulses.length === 1)).toBe(0);
    expect((await answer).body).toMatchObject({ ok: true, outcome: 'accepted', bytes: 5 });
    socket.destroy();
  });

  it('waits for what may be the rest of a character as long as a segment of the network may take, and no longer', async () => {
    const socket = await holder('an \xd6\xd0');
    const answer = kick();
    expect(await passes(() => held.node.printer.pulses.length === 1)).toBe(100);
    expect((await answer).body).toMatchObject({ ok: true, outcome: 'accepted', bytes: 5 });
    socket.destroy();
  });

  it('does not wait where the places of prints are taken', async () => {
    const socket = await holder('half a receipt\n');
    const lines = [{ type: 'text', value: 'later' }];
    const prints = Array.from({ length: 33 }, () => held.node.print(lines));
    expect((await Promise.race(prints)).body).toMatchObject({ error: 'busy' });
    const answer = kick();
    expect(await passes(() => held.node.printer.pulses.length === 1)).toBe(0);
    expect((await answer).body).toMatchObject({ ok: true });
    socket.destroy();
    await Promise.all(prints);
  });

  it('opens the drawer while a client keeps the printer in its setup mode', async () => {
    const socket = await holder('\x1d(E\x03\0\x01IN');
    vi.useRealTimers();
    expect((await kick()).body).toMatchObject({ ok: true });
    expect(held.node.printer.pulses).toHaveLength(1);
    socket.destroy();
  });

  it('opens the drawer of a printer that raw commands or a client deselected', async () => {
    await held.node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data: 'Gz0A' });
    expect((await kick()).body).toMatchObject({ ok: true });
    expect(held.node.printer.pulses).toHaveLength(1);
    const socket = await holder('a line\n\x1b=\x02for the display');
    expect((await kick()).body).toMatchObject({ ok: true });
    expect(held.node.printer.pulses).toHaveLength(2);
    // What follows still goes to the display.
    socket.end('and this\n\x1b=\x01a line\n', 'latin1');
    await onPaper('a line\n');
    await until(() => held.node.printer.paperText().split('a line').length === 3);
    expect(held.node.printer.paperText()).not.toContain('and this');
    const sent = Buffer.from(held.node.printer.paperBytes()).toString('hex');
    expect(sent).toMatch(new RegExp(`${hex('for the display')}1b3d011b70.{6}1b3d02${hex('and this')}`));
  });

  it('goes out before a macro that a client is defining, which stays whole', async () => {
    const socket = await holder('a line\n');
    socket.write('\x1d:\x1b=\0of the macro\n', 'latin1');
    await until(async () => (await taken()) > 7);
    const answer = kick();
    expect(await passes(() => held.node.printer.pulses.length === 1)).toBe(0);
    expect((await answer).body).toMatchObject({ ok: true });
    socket.end('\x1b=\x01\x1d:behind\n', 'latin1');
    await onPaper('behind');
    const sent = Buffer.from(held.node.printer.paperBytes()).toString('latin1');
    const [before = '', macro = ''] = sent.split('\x1d:');
    expect(macro).toBe(`${'\0'.repeat(8)}\x1b=\0of the macro\n\x1b=\x01\0\0\0`);
    expect(before).toContain('\x1bp');
    expect(before).not.toContain('\x1b=\0');
  });

  it('does not wait where only other functions of GS ( E were sent', async () => {
    const socket = await holder('\x1d(E\x02\0\x04\x31', '\x04\x31');
    const answer = kick();
    expect(await passes(() => held.node.printer.pulses.length === 1)).toBe(0);
    expect((await answer).body).toMatchObject({ ok: true });
    socket.destroy();
  });

  it('waits for a printer that starts because its holder left the setup mode, and no longer', async () => {
    const socket = await holder('\x1d(E\x03\0\x01IN\x1d(E\x04\0\x02OUT', 'OUT');
    const answer = kick();
    const ms = await passes(() => held.node.printer.pulses.length === 1);
    expect(ms).toBeGreaterThan(900);
    expect(ms).toBeLessThanOrEqual(1100);
    expect((await answer).body).toMatchObject({ ok: true });
    socket.destroy();
  });

  it('goes out while a holder sends what is for the display, without a pause', async () => {
    vi.useRealTimers();
    held.node.printer.set({ slow: 100_000 });
    const socket = await held.node.dial();
    socket.on('error', () => {});
    socket.resume();
    const lines = Buffer.alloc(1_000_000, 'a line of a long journal\n');
    socket.write(Buffer.concat([Buffer.of(0x1b, 0x3d, 2), lines]));
    await onPaper('a line of a long journal');
    expect((await kick()).body).toMatchObject({ ok: true });
    const sent = () => Buffer.from(held.node.printer.paperBytes());
    // What deselects it again leaves behind the pulse, and so behind the answer.
    await until(() => /1b3d011b70.{6}1b3d02/.test(sent().toString('hex')));
    expect(sent().length).toBeLessThan(lines.length / 2);
    socket.destroy();
  });

  it('goes out between two commands of a holder that never pauses', async () => {
    vi.useRealTimers();
    held.node.printer.set({ slow: 100_000 });
    const socket = await held.node.dial();
    socket.on('error', () => {});
    socket.resume();
    const lines = Buffer.alloc(1_000_000, 'a line of a long journal\n');
    socket.write(lines);
    await onPaper('a line of a long journal');
    expect((await kick()).body).toMatchObject({ ok: true });
    const paper = Buffer.from(held.node.printer.paperBytes()).toString('latin1');
    expect(paper.length).toBeLessThan(lines.length / 2);
    const [before = '', ...after] = paper.split('\x1bp');
    expect(after).toHaveLength(1);
    // Without the pulse and the status requests of the node, what it sent, from the beginning.
    const sent = (before + after[0]?.slice(3)).replaceAll('\x10\x04\x01\x10\x04\x02\x10\x04\x03\x10\x04\x04', '');
    expect(lines.toString()).toContain(sent.trimEnd());
    socket.destroy();
  });

  it('goes out between two commands of a long print of the API, which is whole', async () => {
    vi.useRealTimers();
    held.node.printer.set({ slow: 50_000 });
    const lines = Array.from({ length: 2000 }, (_, n) => ({ type: 'text', value: `line ${n}`, bold: n % 2 === 0 }));
    const printed = held.node.print(lines);
    await onPaper('line 9');
    expect((await kick()).body).toMatchObject({ ok: true });
    expect(held.node.printer.paperText()).not.toContain('line 1999');
    held.node.printer.set({ slow: 0 });
    const { body } = await printed;
    expect(body).toMatchObject({ ok: true });
    expect(held.node.printer.pulses).toHaveLength(1);
    expect(held.node.printer.paperText()).toContain(lines.map(({ value }) => `${value}\n`).join(''));
  });

  it('waits inside a command, and never longer than the cut', async () => {
    const socket = await holder(`${RASTER}12345`);
    const answer = kick();
    expect(await passes(() => held.node.printer.pulses.length === 1)).toBe(15_000);
    expect((await answer).status).toBe(200);
    socket.destroy();
  });

  it('is refused with who holds the printer where it did not get in: nothing was written, it may be tried again', async () => {
    await held.node.send('PUT', '/config', { usb: { writeTimeoutMs: 60_000 } });
    held.node.printer.set({ nak: true });
    const socket = await held.node.dial();
    socket.on('error', () => {});
    socket.write('the holder\n');
    await until(async () => (await taken()) > 0);
    const answer = kick();
    await until(async () => (await held.node.get<{ waiting: number }>('/jobs')).body.waiting > 0);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await answer).toMatchObject({
      status: 409,
      body: {
        error: 'busy',
        detail: expect.stringMatching(/^127\.0\.0\.1 has had the printer by port 9100 for 3\d s; nothing was written$/),
      },
    });
    socket.destroy();
  });
});
