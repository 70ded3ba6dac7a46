/** A client that keeps the printer: how long the others wait, and what of its receipt is on paper. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { until } from '../../../node.ts';
import { ANOTHER, heldPrinter, passes } from './held.ts';

const STATUS = Buffer.of(0x10, 0x04, 0x01);
const RASTER = '\x1dv0\0\x08\0\x40\0';

const held = heldPrinter();
const { holder, onPaper, taken, waits } = held;

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
    const asking = await held.node.dial();
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
    await held.node.send('PUT', '/config', { raw: { idleTimeoutSeconds: 5 } });
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
    expect(Buffer.from(held.node.printer.paperBytes()).toString('latin1')).toContain(
      `${pieces}\x1dV\0another receipt\n`,
    );
    socket.destroy();
  });

  it('has its image whole where it stalls 3 s in the middle of it', async () => {
    const rest = Buffer.alloc(8 * 64 - 5, 0x55);
    const socket = await holder(`${RASTER}12345`);
    await waits((ms) => {
      if (ms === 3000) socket.end(rest);
    });
    expect(Buffer.from(held.node.printer.paperBytes()).toString('latin1')).toContain(
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
    expect(held.node.kernel.bound('printer', 'receipt')?.heldBy).toMatchObject({ by: 'port9100', from: '127.0.0.1' });
    socket.destroy();
  });

  it('is waited for by a print command as by another till', async () => {
    const socket = await holder('a receipt\n\x1dV\0');
    const printed = held.node.print([{ type: 'text', value: 'by the API' }]);
    expect(await passes(() => held.node.printer.paperText().includes('by the API'))).toBeLessThanOrEqual(3000);
    expect((await printed).status).toBe(200);
    socket.destroy();
  });
});

describe('the answer to DLE EOT', () => {
  it('comes at once while another client keeps the printer inside an image, at last as of one that is off-line', async () => {
    const socket = await holder(`${RASTER}12345`);
    const asking = await held.node.dial(ANOTHER);
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
    expect((await held.node.get<{ printers: [{ known: boolean }] }>('/status')).body.printers[0].known).toBe(false);
    expect(await ask()).toEqual([printer | 0x08, ...rest]);
    asking.destroy();
    socket.destroy();
  });
});

describe('one address', () => {
  it('has 32 places to wait in; the next one is reset, and another address still has its own', async () => {
    const socket = await holder('half a receipt\n');
    const waiting = await Promise.all(Array.from({ length: 32 }, () => held.node.dial()));
    for (const each of waiting) {
      each.on('error', () => {});
      each.write('x');
    }
    await until(async () => (await taken()) >= 32);
    const next = held.node.dial().then((each) => new Promise((_, refuse) => each.once('error', refuse)));
    await expect(next).rejects.toMatchObject({ code: 'ECONNRESET' });
    // The one that holds it has its 10 s; then the addresses take turns.
    expect(await waits()).toBeLessThanOrEqual(10_000);
    for (const each of [socket, ...waiting]) each.destroy();
  });

  it('loses its last place to one that has fewer, where the port is full', async () => {
    const socket = await holder('half a receipt\n');
    const waiting = await Promise.all(Array.from({ length: 128 }, (_, n) => held.node.dial(`127.0.0.${3 + (n % 4)}`)));
    for (const each of waiting) {
      each.on('error', () => {});
      each.write('x');
    }
    await until(async () => (await taken()) >= 128);
    const cut = Promise.race(waiting.map((each) => new Promise((resolve) => each.once('close', resolve))));
    expect(await waits()).toBeLessThanOrEqual(5 * 10_000);
    await cut;
    expect((await held.node.get<{ raw: { refused: number } }>('/status')).body.raw.refused).toBe(1);
    for (const each of [socket, ...waiting]) each.destroy();
  });
});

describe('a job that ends inside a command', () => {
  it.each([
    ['a cut that lost its NUL', 'whole lines\n\x1dV'],
    ['a mode without its number', 'whole lines\n\x1b!'],
    ['an image', `whole lines\n${RASTER}12345`],
  ])('is reset, and told as partial: %s', async (_, bytes) => {
    const socket = await held.node.dial();
    const reset = new Promise((resolve) => socket.once('error', resolve));
    socket.end(bytes, 'latin1');
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
    expect(held.node.printer.paperText()).toContain('whole lines\n');
    const [job] = (await held.node.get<{ jobs: object[] }>('/jobs')).body.jobs;
    expect(job).toMatchObject({ kind: 'port9100', outcome: 'partial', missingBytes: expect.any(Number) });
  });
});

describe('a command that waits for its turn', () => {
  const lines = [{ type: 'text', value: 'from the API' }];

  it('is refused, with nothing printed, where its client may not send it any more when its turn comes', async () => {
    const socket = await holder('half a receipt\n');
    const print = held.node.print(lines);
    await until(async () => (await held.node.get<{ waiting: number }>('/jobs')).body.waiting > 0);
    await held.node.send('PUT', '/config', { apiKey: 'sixteen-characters', apiMode: 'strict' });
    socket.end();
    expect(await print).toMatchObject({ status: 401, body: { error: 'api_locked' } });
    expect(Buffer.from(held.node.printer.paperBytes()).includes('from the API')).toBe(false);
    // The printer is free for the next.
    const next = await held.node.dial();
    next.resume();
    next.end('next\n');
    await onPaper('next');
  });

  it('is answered where its client has closed its own side meanwhile', async () => {
    const socket = await holder('half a receipt\n');
    const body = JSON.stringify({ type: 'print', id: 'half-closed', endpoint: 'receipt', lines });
    const client = connect({ host: '127.0.0.1', port: Number(new URL(held.node.url).port), allowHalfOpen: true });
    const head = `POST /print HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`;
    client.end(head + body);
    const answer = text(client);
    await until(async () => (await held.node.get<{ waiting: number }>('/jobs')).body.waiting > 0);
    socket.end();
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK.*"outcome":"accepted"/s);
  });
});

it('the receipt after a job that left the printer in a page and deselected is whole', async () => {
  const till = await held.node.dial();
  till.resume();
  till.end('\x1bL\x1b=\0', 'latin1');
  await once(till, 'close');
  const next = await held.node.dial();
  next.resume();
  next.end('the next receipt\n');
  await once(next, 'close');
  expect(held.node.printer.paperText()).toContain('the next receipt');
});
