/** What port 9100 can change in a printer for good, and how it is kept from that. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode } from '../../../node.ts';

let node: PrintingNode;
afterEach(() => node.stop());

const ENTER_SETUP = Buffer.from('1d28450300 01494e'.replaceAll(' ', ''), 'hex');
const job = async (bytes: Uint8Array) => {
  const socket = await node.dial();
  socket.resume();
  socket.end(bytes);
  await once(socket, 'close');
};
const dropped = async () => (await node.get<{ raw: { settingsDropped: number } }>('/status')).body.raw.settingsDropped;
const protect = (value: string) => node.send('PUT', '/config', { raw: { protect: value } });

describe('raw.protect', () => {
  it('is off, and what is off changes nothing', async () => {
    node = await startPrintingNode();
    expect((await node.get('/config')).body).toMatchObject({ raw: { protect: 'off' } });
    node.printer.tearOff();
    await job(Buffer.concat([Buffer.from('A\n'), ENTER_SETUP]));
    expect(Buffer.from(node.printer.paperBytes()).includes(ENTER_SETUP)).toBe(true);
    expect(node.printer.inSetup).toBe(true);
    expect(await dropped()).toBe(0);
  });

  it('as settings keeps the printer out of its setup mode, counts it, and prints the rest', async () => {
    node = await startPrintingNode();
    await protect('settings');
    await job(Buffer.concat([Buffer.from('before\n'), ENTER_SETUP, Buffer.from('behind\n')]));
    expect(node.printer.inSetup).toBe(false);
    expect(node.printer.paperText()).toContain('behind');
    expect(await dropped()).toBe(1);
  });

  it('does not touch raw commands of the API', async () => {
    node = await startPrintingNode();
    await protect('settings');
    const data = ENTER_SETUP.toString('base64');
    await node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data });
    expect(node.printer.inSetup).toBe(true);
    expect(await dropped()).toBe(0);
  });

  it('takes off and settings alone', async () => {
    node = await startPrintingNode();
    expect((await protect('all')).status).toBe(422);
  });
});
