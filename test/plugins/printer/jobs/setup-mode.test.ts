/** A client of port 9100 that leaves the printer in its setup mode (GS ( E function 1) swallows nobody's receipt. */
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';

const ENTER = Buffer.from('1d2845030001494e', 'hex');
const LEAVE = Buffer.from('1d28450400024f5554', 'hex');
const MEMORY_SWITCH = Buffer.from('1d284502000431', 'hex');
const PULSE = Buffer.from('1b70', 'hex');

let node: PrintingNode;
beforeEach(async () => {
  node = await startPrintingNode();
});
afterEach(() => node.stop());

const sent = () => Buffer.from(node.printer.paperBytes());
const receipt = { type: 'text', value: 'RECEIPT' };
const kick = { type: 'drawer_kick', id: 'kick', endpoint: 'receipt' };
let ids = 0;
const raw = (bytes: Buffer) => {
  ids += 1;
  return node.send('POST', '/raw', {
    type: 'raw',
    id: `raw-${ids}`,
    endpoint: 'receipt',
    data: bytes.toString('base64'),
  });
};

/** Sends a whole job to port 9100. */
async function job(...bytes: readonly (string | Buffer)[]): Promise<void> {
  const socket = await node.dial();
  socket.resume();
  socket.end(Buffer.concat(bytes.map((part) => Buffer.from(part))));
  await once(socket, 'close');
}

describe('after a job that entered the setup mode', () => {
  beforeEach(async () => {
    await job('first\n', ENTER);
    expect(node.printer.inSetup).toBe(true);
  });

  it('a receipt of the API comes out', async () => {
    expect((await node.print([receipt])).status).toBe(200);
    expect(node.printer.inSetup).toBe(false);
    expect(node.printer.paperText()).toContain('RECEIPT');
    // Left once, and not before each receipt from now on.
    await node.print([receipt]);
    expect(sent().indexOf(LEAVE)).toBe(sent().lastIndexOf(LEAVE));
  });

  it('the drawer opens', async () => {
    expect((await node.send('POST', '/drawer/kick', kick)).status).toBe(200);
    expect(node.printer.inSetup).toBe(false);
    expect(sent().indexOf(PULSE)).toBeGreaterThan(sent().indexOf(LEAVE));
  });

  it('bytes of the API are printed', async () => {
    expect((await raw(Buffer.from('BYTES\n'))).status).toBe(200);
    expect(node.printer.paperText()).toContain('BYTES');
  });

  it('the next job of port 9100 goes on in it', async () => {
    await job(MEMORY_SWITCH);
    expect(node.printer.inSetup).toBe(true);
    await job(LEAVE);
    expect(node.printer.inSetup).toBe(false);
  });
});

describe('after a job that entered the setup mode and left it again', () => {
  const pulses = () => node.printer.pulses.length;

  it('the drawer opens, once the printer has started', async () => {
    await job('first\n', ENTER, LEAVE);
    expect((await node.send('POST', '/drawer/kick', kick)).status).toBe(200);
    expect(pulses()).toBe(1);
  });

  it('and stays, a kick and the rest of its own receipt come out', async () => {
    const socket = await node.dial();
    socket.write(Buffer.concat([ENTER, LEAVE]));
    await until(() => sent().includes(LEAVE));
    const kicked = node.send('POST', '/drawer/kick', kick);
    socket.end('receipt of the till\n');
    expect((await kicked).status).toBe(200);
    await once(socket.resume(), 'close');
    expect([pulses(), node.printer.paperText()]).toEqual([1, expect.stringContaining('receipt of the till')]);
  });
});

it('a kick beside a job leaves no setup mode that the printer is to enter later', async () => {
  node.printer.set({ slow: 20_000 });
  const done = job(Buffer.alloc(12_000, 'receipt of the till\n'), ENTER);
  await until(() => sent().length > 0);
  expect((await node.send('POST', '/drawer/kick', kick)).status).toBe(200);
  node.printer.set({ slow: 0 });
  await done;
  expect(sent().indexOf(PULSE)).toBeLessThan(12_000);
  expect(sent().includes(LEAVE)).toBe(false);
});

it('raw commands go on in the setup mode that they entered, and the receipt after them comes out', async () => {
  await raw(ENTER);
  await raw(MEMORY_SWITCH);
  expect(node.printer.inSetup).toBe(true);
  await node.print([receipt]);
  expect(node.printer.paperText()).toContain('RECEIPT');
});

it.each([
  ['in it', ENTER],
  ['as it starts again', Buffer.concat([ENTER, LEAVE])],
])('a printer that is unplugged %s and plugged in again prints the next receipt', async (_, bytes) => {
  await job(bytes);
  await node.unplug();
  await node.replug();
  expect((await node.print([receipt])).status).toBe(200);
  expect(node.printer.paperText()).toContain('RECEIPT');
});
