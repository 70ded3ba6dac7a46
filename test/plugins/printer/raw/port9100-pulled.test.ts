/** The printer is pulled and put back while jobs come in: closed in order means on paper, once; anything else is reset. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';

let node: PrintingNode;
afterEach(() => node.stop());

/** Sends a job as spoolers do that wait for the other side to close: whether it did so in order. */
async function isTaken(text: string): Promise<boolean> {
  const socket = await node.dial().catch(() => undefined);
  if (socket === undefined) return false;
  socket.resume();
  const ended = new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false));
    socket.once('end', () => resolve(true));
  });
  socket.end(text);
  const inOrder = await ended;
  socket.destroy();
  return inOrder;
}

describe('jobs from port 9100 while the printer is pulled and put back', () => {
  it('are on paper once each where the node closed in order, and reset where it did not', async () => {
    // Receipt printers have a power supply of their own: what one has taken it prints.
    node = await startPrintingNode({ keepsPower: true });
    node.printer.tearOff();
    let going = true;
    const pulling = (async () => {
      while (going) {
        await node.unplug();
        await new Promise((resolve) => setTimeout(resolve, 20));
        await node.replug();
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
    })();
    let resets = 0;
    const client = async (name: number) => {
      for (let job = 0; job < 15; job += 1) {
        while (!(await isTaken(`job ${name}-${job}.\n`))) {
          resets += 1;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, name) => client(name)));
    going = false;
    await pulling;
    const paper = Buffer.from(node.printer.paperBytes()).toString('latin1');
    const jobs = Array.from({ length: 300 }, (_, n) => `job ${n % 20}-${Math.floor(n / 20)}.\n`);
    expect(
      jobs.map((job) => `${job.trim()} ${paper.split(job).length - 1}`).filter((count) => !count.endsWith(' 1')),
    ).toEqual([]);
    expect(resets).toBeGreaterThan(0);
  }, 120_000);

  it('are reset where their last bytes did not leave', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { usb: { writeTimeoutMs: 500 } });
    node.printer.set({ nak: true });
    expect(await isTaken('never\n')).toBe(false);
  });

  it('are not closed before their last byte has left', async () => {
    node = await startPrintingNode();
    node.printer.set({ nak: true });
    const socket = await node.dial();
    socket.resume();
    const paperAtEnd = once(socket, 'end').then(() => node.printer.paperText());
    socket.end('at last\n');
    await until(async () => (await node.get<{ raw: { bytes: number } }>('/status')).body.raw.bytes > 0);
    node.printer.set({ nak: false });
    expect(await paperAtEnd).toContain('at last');
  });

  it('are not swallowed by an image whose client paused in it when the plug was pulled', async () => {
    node = await startPrintingNode({ keepsPower: true });
    node.printer.tearOff();
    const client = await node.dial();
    const reset = new Promise((resolve) => client.once('error', resolve));
    // GS v 0 of 72 by 2000 bytes, of which 20,000 come.
    client.write(Buffer.concat([Buffer.from('1d7630004800d007', 'hex'), Buffer.alloc(20_000, 0x55)]));
    await until(() => node.printer.paperBytes().length >= 20_008);
    await node.unplug();
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
    await node.replug();
    expect((await node.print([{ type: 'text', value: 'next receipt' }])).status).toBe(200);
    expect(node.printer.paperText()).toContain('next receipt');
  });
});
