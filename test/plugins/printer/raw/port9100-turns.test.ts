/** A client that keeps the printer: how long the others wait, and what of its receipt is on paper. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';

let node: PrintingNode;
beforeEach(async () => {
  node = await startPrintingNode();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  // A reading by the clock of this test.
  await node.kernel.bound('printer', 'receipt')?.refresh();
  node.printer.tearOff();
});
afterEach(async () => {
  vi.useRealTimers();
  await node.stop();
});

const ANOTHER = '127.0.0.2';
const hex = (words: string) => Buffer.from(words).toString('hex');
const STATUS = Buffer.of(0x10, 0x04, 0x01);
const RASTER = '\x1dv0\0\x08\0\x40\0';
const onPaper = (words: string) => until(() => Buffer.from(node.printer.paperBytes()).includes(words, 'latin1'));
const taken = async () => (await node.get<{ raw: { bytes: number } }>('/status')).body.raw.bytes;

/** A client that prints this, and then keeps its socket. */
async function holder(bytes: string, seen = bytes): Promise<Socket> {
  const socket = await node.dial();
  socket.on('error', () => {});
  socket.resume();
  socket.write(bytes, 'latin1');
  await onPaper(seen);
  return socket;
}

/** Another till that waits with its receipt: how many milliseconds pass until it is on paper. The clock goes in steps. */
async function waits(meanwhile: (ms: number) => void | Promise<void> = () => {}): Promise<number> {
  const before = await taken();
  const till = await node.dial(ANOTHER);
  till.on('error', () => {});
  till.resume();
  till.end('another receipt\n');
  await until(async () => (await taken()) > before);
  return passes(() => Buffer.from(node.printer.paperBytes()).includes('another receipt'), meanwhile);
}

const STEP_MS = 100;
async function passes(
  done: () => boolean,
  meanwhile: (ms: number) => void | Promise<void> = () => {},
): Promise<number> {
  for (let ms = 0; ms < 60_000; ms += STEP_MS) {
    // What has begun comes to its end, over sockets of this process.
    for (let round = 0; round < 30; round += 1) {
      if (done()) return ms;
      await new Promise(setImmediate);
    }
    await meanwhile(ms);
    await vi.advanceTimersByTimeAsync(STEP_MS);
  }
  return Number.POSITIVE_INFINITY;
}

describe('a holder that another waits for', () => {
  it.each([
    ['behind a cut', 'a receipt\n\x1dV\0'],
    ['behind a cut and ESC @', 'a receipt\n\x1dV\0\x1b@'],
    ['behind a cut and a feed', 'a receipt\n\x1dV\0\x1bd\x03\n'],
  ])('lets it in after 2 s %s', async (_, bytes) => {
    await holder(bytes);
    expect(await waits()).toBe(2000);
  });

  it('lets it in after 2 s where it only asked for something', async () => {
    const asking = await node.dial();
    asking.resume();
    asking.write('\x1dI\x01\0');
    await onPaper('\x1dI');
    expect(await waits()).toBe(2000);
    asking.destroy();
  });

  it.each([
    ['reset the printer', '\x1b@'],
    ['chose settings', '\x1b@\x1ba\x01\x1bE\x01'],
    ['chose settings behind a cut', 'a receipt\n\x1dV\0\x1ba\0'],
    ['stored a short symbol behind a cut', 'a receipt\n\x1dV\0\x1d(k\x04\x001P0A'],
  ])('lets it in after 2 s where it only %s', async (_, bytes) => {
    await holder(bytes, bytes.slice(-2));
    expect(await waits()).toBe(2000);
  });

  it('lets it in after 10 s at any other place between two commands', async () => {
    await holder('half a receipt\n');
    expect(await waits()).toBe(10_000);
  });

  it('lets it in after its idle time where that is less', async () => {
    await node.send('PUT', '/config', { raw: { idleTimeoutSeconds: 5 } });
    await holder('half a receipt\n');
    expect(await waits()).toBeLessThanOrEqual(5000);
  });

  it.each([
    ['inside an image', `an image\n${RASTER}12345`, '12345'],
    ['in a page that it does not print', 'a page\n\x1bL', '\x1bL'],
    ['with the printer deselected', 'a display\n\x1b=\0', '\x1b=\0'],
  ])('is cut off after 15 s %s', async (_, bytes, seen) => {
    const socket = await holder(bytes, seen);
    const reset = new Promise((resolve) => socket.once('error', resolve));
    expect(await waits()).toBe(15_000);
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
  });

  it.each([
    ['asks for the status each second', 'a receipt\n', STATUS, 1000, 10_000],
    ['sends NULs', 'a receipt\n', Buffer.alloc(3), 500, 10_000],
    ['sends GS r', 'a receipt\n', Buffer.from('\x1dr\x01', 'latin1'), 500, 10_000],
    ['asks behind a cut', 'a receipt\n\x1dV\0', STATUS, 1000, 2000],
    ['sends NULs behind a cut', 'a receipt\n\x1dV\0', Buffer.alloc(3), 500, 2000],
    ['drips a byte each 4 s', 'a receipt\n', Buffer.from('x'), 4000, 10_000],
    ['drips a byte each 4 s into an image', `an image\n${RASTER}12345`, Buffer.from('x'), 4000, 15_000],
  ])('gains nothing where it %s', async (_, begins, drip, everyMs, limitMs) => {
    const socket = await holder(begins, begins.slice(-5));
    const ms = await waits((at) => {
      if (at % everyMs === 0) socket.write(drip);
    });
    expect(ms).toBeGreaterThanOrEqual(limitMs - 1000);
    expect(ms).toBeLessThanOrEqual(limitMs + 1000);
    socket.destroy();
  });

  it('has its receipt whole where it sends it in ten pieces, one a second', async () => {
    const socket = await holder('piece 0\n');
    let sent = 0;
    await waits(async (ms) => {
      if (sent === 9 || ms === 0 || ms % 1000 !== 0) return;
      sent += 1;
      socket.write(`piece ${sent}\n${sent === 9 ? '\x1dV\0' : ''}`);
      await onPaper(`piece ${sent}\n`);
    });
    const pieces = Array.from({ length: 10 }, (_, n) => `piece ${n}\n`).join('');
    expect(Buffer.from(node.printer.paperBytes()).toString('latin1')).toContain(`${pieces}\x1dV\0another receipt\n`);
    socket.destroy();
  });

  it('has its image whole where it stalls 3 s in the middle of it', async () => {
    const rest = Buffer.alloc(8 * 64 - 5, 0x55);
    const socket = await holder(`${RASTER}12345`);
    await waits((ms) => {
      if (ms === 3000) socket.end(rest);
    });
    expect(Buffer.from(node.printer.paperBytes()).toString('latin1')).toContain(
      `${RASTER}12345${rest.toString('latin1')}another receipt\n`,
    );
  });

  it('prints on after the other one, on the connection that it kept', async () => {
    const socket = await holder('a receipt\n\x1dV\0');
    await waits();
    socket.write('the next receipt\n');
    await onPaper('another receipt\nthe next receipt\n');
    socket.destroy();
  });

  it('keeps the printer where nobody waits', async () => {
    const socket = await holder('half a receipt\n');
    await vi.advanceTimersByTimeAsync(50_000);
    expect(node.kernel.bound('printer', 'receipt')?.heldBy).toMatchObject({ by: 'port9100', from: '127.0.0.1' });
    socket.destroy();
  });

  it('is waited for by a print command as by another till', async () => {
    const socket = await holder('a receipt\n\x1dV\0');
    const printed = node.print([{ type: 'text', value: 'by the API' }]);
    expect(await passes(() => node.printer.paperText().includes('by the API'))).toBeLessThanOrEqual(3000);
    expect((await printed).status).toBe(200);
    socket.destroy();
  });
});

describe('the answer to DLE EOT', () => {
  it('comes at once while another client keeps the printer inside an image, at last as of one that is off-line', async () => {
    const socket = await holder(`${RASTER}12345`);
    const asking = await node.dial(ANOTHER);
    const answers: number[] = [];
    asking.on('data', (chunk) => answers.push(...chunk));
    const ask = async () => {
      answers.length = 0;
      asking.write(Buffer.from('100401100402100403100404', 'hex'));
      await until(() => answers.length === 4);
      return [...answers];
    };
    const [printer = 0, ...rest] = await ask();
    expect(printer & 0x08).toBe(0);
    await vi.advanceTimersByTimeAsync(40_000);
    expect((await node.get<{ printers: [{ known: boolean }] }>('/status')).body.printers[0].known).toBe(false);
    expect(await ask()).toEqual([printer | 0x08, ...rest]);
    asking.destroy();
    socket.destroy();
  });
});

describe('one address', () => {
  it('has 32 places to wait in; the next one is reset, and another address still has its own', async () => {
    const socket = await holder('half a receipt\n');
    const waiting = await Promise.all(Array.from({ length: 32 }, () => node.dial()));
    for (const each of waiting) {
      each.on('error', () => {});
      each.write('x');
    }
    await until(async () => (await taken()) >= 32);
    const next = node.dial().then((each) => new Promise((_, refuse) => each.once('error', refuse)));
    await expect(next).rejects.toMatchObject({ code: 'ECONNRESET' });
    // The one that holds it has its 10 s; then the addresses take turns.
    expect(await waits()).toBeLessThanOrEqual(10_000);
    for (const each of [socket, ...waiting]) each.destroy();
  });

  it('loses its last place to one that has fewer, where the port is full', async () => {
    const socket = await holder('half a receipt\n');
    const waiting = await Promise.all(Array.from({ length: 128 }, (_, n) => node.dial(`127.0.0.${3 + (n % 4)}`)));
    for (const each of waiting) {
      each.on('error', () => {});
      each.write('x');
    }
    await until(async () => (await taken()) >= 128);
    const cut = Promise.race(waiting.map((each) => new Promise((resolve) => each.once('close', resolve))));
    expect(await waits()).toBeLessThanOrEqual(5 * 10_000);
    await cut;
    expect((await node.get<{ raw: { refused: number } }>('/status')).body.raw.refused).toBe(1);
    for (const each of [socket, ...waiting]) each.destroy();
  });
});

describe('a job that ends inside a command', () => {
  it.each([
    ['a cut that lost its NUL', 'whole lines\n\x1dV'],
    ['a mode without its number', 'whole lines\n\x1b!'],
    ['an image', `whole lines\n${RASTER}12345`],
  ])('is reset, and told as partial: %s', async (_, bytes) => {
    const socket = await node.dial();
    const reset = new Promise((resolve) => socket.once('error', resolve));
    socket.end(bytes, 'latin1');
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
    expect(node.printer.paperText()).toContain('whole lines\n');
    const [job] = (await node.get<{ jobs: object[] }>('/jobs')).body.jobs;
    expect(job).toMatchObject({ kind: 'port9100', outcome: 'partial', missingBytes: expect.any(Number) });
  });
});

describe('a drawer kick', () => {
  const kick = () => node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'k', endpoint: 'receipt' });

  it.each([
    ['behind a cut', 'a receipt\n\x1dV\0'],
    ['in the middle of a receipt', 'half a receipt\n'],
    ['in the middle of a line', 'half a line'],
    ['in a page', 'a page\n\x1bLtext'],
    ['that has deselected the printer', 'a display\n\x1b=\x02'],
    ['that has deselected it in a page', '\x1bL\x1b=\0'],
  ])('does not wait for a holder %s', async (_, bytes) => {
    const socket = await holder(bytes);
    const answer = kick();
    expect(await passes(() => node.printer.pulses.length === 1)).toBe(0);
    expect((await answer).body).toMatchObject({ ok: true, outcome: 'accepted', bytes: 5 });
    socket.destroy();
  });

  it('waits for the other half of a character as long as a segment of the network may take, and no longer', async () => {
    const socket = await holder('an \x81');
    const answer = kick();
    expect(await passes(() => node.printer.pulses.length === 1)).toBe(100);
    expect((await answer).body).toMatchObject({ ok: true, outcome: 'accepted', bytes: 5 });
    socket.destroy();
  });

  it('does not wait where the places of prints are taken', async () => {
    const socket = await holder('half a receipt\n');
    const lines = [{ type: 'text', value: 'later' }];
    const prints = Array.from({ length: 33 }, () => node.print(lines));
    expect((await Promise.race(prints)).body).toMatchObject({ error: 'busy' });
    const answer = kick();
    expect(await passes(() => node.printer.pulses.length === 1)).toBe(0);
    expect((await answer).body).toMatchObject({ ok: true });
    socket.destroy();
    await Promise.all(prints);
  });

  it('opens the drawer while a client keeps the printer in its setup mode', async () => {
    const socket = await holder('\x1d(E\x03\0\x01IN');
    vi.useRealTimers();
    expect((await kick()).body).toMatchObject({ ok: true });
    expect(node.printer.pulses).toHaveLength(1);
    socket.destroy();
  });

  it('opens the drawer of a printer that raw commands or a client deselected', async () => {
    await node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data: 'Gz0A' });
    expect((await kick()).body).toMatchObject({ ok: true });
    expect(node.printer.pulses).toHaveLength(1);
    const socket = await holder('a line\n\x1b=\x02for the display');
    expect((await kick()).body).toMatchObject({ ok: true });
    expect(node.printer.pulses).toHaveLength(2);
    // What follows still goes to the display.
    socket.end('and this\n\x1b=\x01a line\n', 'latin1');
    await onPaper('a line\n');
    await until(() => node.printer.paperText().split('a line').length === 3);
    expect(node.printer.paperText()).not.toContain('and this');
    const sent = Buffer.from(node.printer.paperBytes()).toString('hex');
    expect(sent).toMatch(new RegExp(`${hex('for the display')}1b3d011b70.{6}1b3d02${hex('and this')}`));
  });

  it('goes out before a macro that a client is defining, which stays whole', async () => {
    const socket = await holder('a line\n');
    socket.write('\x1d:\x1b=\0of the macro\n', 'latin1');
    await until(async () => (await taken()) > 7);
    const answer = kick();
    expect(await passes(() => node.printer.pulses.length === 1)).toBe(0);
    expect((await answer).body).toMatchObject({ ok: true });
    socket.end('\x1b=\x01\x1d:behind\n', 'latin1');
    await onPaper('behind');
    const sent = Buffer.from(node.printer.paperBytes()).toString('latin1');
    const [before = '', macro = ''] = sent.split('\x1d:');
    expect(macro).toBe(`${'\0'.repeat(8)}\x1b=\0of the macro\n\x1b=\x01\0\0\0`);
    expect(before).toContain('\x1bp');
    expect(before).not.toContain('\x1b=\0');
  });

  it('does not wait where only other functions of GS ( E were sent', async () => {
    const socket = await holder('\x1d(E\x02\0\x04\x31', '\x04\x31');
    const answer = kick();
    expect(await passes(() => node.printer.pulses.length === 1)).toBe(0);
    expect((await answer).body).toMatchObject({ ok: true });
    socket.destroy();
  });

  it('waits for a printer that starts because its holder left the setup mode, and no longer', async () => {
    const socket = await holder('\x1d(E\x03\0\x01IN\x1d(E\x04\0\x02OUT', 'OUT');
    const answer = kick();
    const ms = await passes(() => node.printer.pulses.length === 1);
    expect(ms).toBeGreaterThan(900);
    expect(ms).toBeLessThanOrEqual(1100);
    expect((await answer).body).toMatchObject({ ok: true });
    socket.destroy();
  });

  it('goes out while a holder sends what is for the display, without a pause', async () => {
    vi.useRealTimers();
    node.printer.set({ slow: 100_000 });
    const socket = await node.dial();
    socket.on('error', () => {});
    socket.resume();
    const lines = Buffer.alloc(1_000_000, 'a line of a long journal\n');
    socket.write(Buffer.concat([Buffer.of(0x1b, 0x3d, 2), lines]));
    await onPaper('a line of a long journal');
    expect((await kick()).body).toMatchObject({ ok: true });
    const sent = () => Buffer.from(node.printer.paperBytes());
    // What deselects it again leaves behind the pulse, and so behind the answer.
    await until(() => /1b3d011b70.{6}1b3d02/.test(sent().toString('hex')));
    expect(sent().length).toBeLessThan(lines.length / 2);
    socket.destroy();
  });

  it('goes out between two commands of a holder that never pauses', async () => {
    vi.useRealTimers();
    node.printer.set({ slow: 100_000 });
    const socket = await node.dial();
    socket.on('error', () => {});
    socket.resume();
    const lines = Buffer.alloc(1_000_000, 'a line of a long journal\n');
    socket.write(lines);
    await onPaper('a line of a long journal');
    expect((await kick()).body).toMatchObject({ ok: true });
    const paper = Buffer.from(node.printer.paperBytes()).toString('latin1');
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
    node.printer.set({ slow: 50_000 });
    const lines = Array.from({ length: 2000 }, (_, n) => ({ type: 'text', value: `line ${n}`, bold: n % 2 === 0 }));
    const printed = node.print(lines);
    await onPaper('line 9');
    expect((await kick()).body).toMatchObject({ ok: true });
    expect(node.printer.paperText()).not.toContain('line 1999');
    node.printer.set({ slow: 0 });
    const { body } = await printed;
    expect(body).toMatchObject({ ok: true });
    expect(node.printer.pulses).toHaveLength(1);
    expect(node.printer.paperText()).toContain(lines.map(({ value }) => `${value}\n`).join(''));
  });

  it('waits inside a command, and never longer than the cut', async () => {
    const socket = await holder(`${RASTER}12345`);
    const answer = kick();
    expect(await passes(() => node.printer.pulses.length === 1)).toBe(15_000);
    expect((await answer).status).toBe(200);
    socket.destroy();
  });

  it('is refused with who holds the printer where it did not get in: nothing was written, it may be tried again', async () => {
    await node.send('PUT', '/config', { usb: { writeTimeoutMs: 60_000 } });
    node.printer.set({ nak: true });
    const socket = await node.dial();
    socket.on('error', () => {});
    socket.write('the holder\n');
    await until(async () => (await taken()) > 0);
    const answer = kick();
    await until(async () => (await node.get<{ jobs: object[] }>('/jobs')).body.jobs.length >= 2);
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

describe('a command that waits for its turn', () => {
  const lines = [{ type: 'text', value: 'from the API' }];

  it('is refused, with nothing printed, where its client may not send it any more when its turn comes', async () => {
    const socket = await holder('half a receipt\n');
    const print = node.print(lines);
    const isWaiting = async () => (await node.get<{ jobs: { result?: string }[] }>('/jobs')).body.jobs.length > 1;
    await until(isWaiting);
    await node.send('PUT', '/config', { apiKey: 'sixteen-characters', apiMode: 'strict' });
    socket.end();
    expect(await print).toMatchObject({ status: 401, body: { error: 'api_locked' } });
    expect(Buffer.from(node.printer.paperBytes()).includes('from the API')).toBe(false);
    // The printer is free for the next.
    const next = await node.dial();
    next.resume();
    next.end('next\n');
    await onPaper('next');
  });

  it('is answered where its client has closed its own side meanwhile', async () => {
    const socket = await holder('half a receipt\n');
    const body = JSON.stringify({ type: 'print', id: 'half-closed', endpoint: 'receipt', lines });
    const client = connect({ host: '127.0.0.1', port: Number(new URL(node.url).port), allowHalfOpen: true });
    const head = `POST /print HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`;
    client.end(head + body);
    const answer = text(client);
    await until(async () => (await node.get<{ jobs: unknown[] }>('/jobs')).body.jobs.length > 1);
    socket.end();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK.*"outcome":"accepted"/s);
  });
});

it('the receipt after a job that left the printer in a page and deselected is whole', async () => {
  const till = await node.dial();
  till.resume();
  till.end('\x1bL\x1b=\0', 'latin1');
  await once(till, 'close');
  const next = await node.dial();
  next.resume();
  next.end('the next receipt\n');
  await once(next, 'close');
  expect(node.printer.paperText()).toContain('the next receipt');
});
