/** POST /raw and POST /drawer/kick: specification 2.5. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode } from '../../node.ts';

let node: PrintingNode;
afterEach(() => node.stop());
const raw = (data: string, rest: object = {}) =>
  node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data, ...rest });
const kick = (rest: object = {}) =>
  node.send('POST', '/drawer/kick', { type: 'drawer_kick', id: 'k', endpoint: 'receipt', ...rest });

describe('POST /raw', () => {
  it('sends the decoded bytes as they are', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const bytes = Buffer.from([0x1b, 0x40, 0x41, 0x0a, 0x00, 0xff]);
    expect(await raw(bytes.toString('base64'))).toMatchObject({
      status: 200,
      body: { ok: true, commandId: 'r', bytes: 6 },
    });
    expect(Buffer.from(node.printer.paperBytes())).toEqual(bytes);
  });

  it('sends two pieces of one image with no status request between them', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const image = Buffer.concat([Buffer.from([0x1d, 0x76, 0x30, 0, 8, 0, 8, 0]), Buffer.alloc(64, 0xff)]);
    await raw(image.subarray(0, 40).toString('base64'));
    const asking = await node.dial();
    asking.write(Uint8Array.of(0x10, 0x04, 0x04));
    expect((await once(asking, 'data'))[0]).toEqual(Buffer.from([0x12]));
    asking.destroy();
    await raw(image.subarray(40).toString('base64'));
    expect(Buffer.from(node.printer.paperBytes())).toEqual(image);
  });

  it('refuses what begins a payload that no printer takes, and writes nothing', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const header = Buffer.from([0x1d, 0x38, 0x4c, 0xff, 0xff, 0xff, 0xff, 0x30, 0x70, 0x30]);
    const refused = await raw(header.toString('base64'));
    expect(refused).toMatchObject({ status: 422, body: { ok: false, error: 'render_too_large' } });
    expect(node.printer.paperBytes()).toHaveLength(0);
  });

  it('takes 8,192 decoded bytes and refuses one more, before there is a command', async () => {
    node = await startPrintingNode();
    const events = node.events('command_result');
    const next = events.next();
    expect((await raw(Buffer.alloc(8193, 0x41).toString('base64'), { id: 'over' })).body).toMatchObject({
      ok: false,
      error: 'render_too_large',
    });
    expect((await raw(Buffer.alloc(20000, 0x41).toString('base64'), { id: 'far over' })).status).toBe(422);
    expect((await raw(Buffer.alloc(8192, 0x41).toString('base64'), { id: 'just' })).status).toBe(200);
    expect((await next).value).toMatchObject({ commandId: 'just' });
    await events.return(undefined);
  });

  it.each(['QQ', 'QQ=', 'QQ===', 'QR==', 'Q Q=', 'QQ==\n', 'Q-_=', '*', 'QUJD!'])(
    'refuses %j, which is not canonical base64',
    async (data) => {
      node = await startPrintingNode();
      expect(await raw(data)).toMatchObject({ status: 422, body: { ok: false, error: 'invalid_command' } });
    },
  );
});

describe('POST /drawer/kick', () => {
  it('pulses pin 2 with the configured times', async () => {
    node = await startPrintingNode();
    expect(await kick()).toMatchObject({ status: 200, body: { ok: true, commandId: 'k' } });
    expect(node.printer.pulses).toEqual([{ pin: 2, onMs: 120, offMs: 240, realtime: false }]);
  });

  it('takes pin and times from the command, then from the configuration', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { drawer: { pin: 5, onMs: 60 } });
    await kick();
    await kick({ pin: 2, onMs: 100, offMs: 510 });
    expect(node.printer.pulses).toMatchObject([
      { pin: 5, onMs: 60, offMs: 240 },
      { pin: 2, onMs: 100, offMs: 510 },
    ]);
  });

  it.each([{ pin: 3 }, { onMs: 1 }, { offMs: 511 }, { onMs: 'long' }])('refuses %j', async (rest) => {
    node = await startPrintingNode();
    expect(await kick(rest)).toMatchObject({ status: 422, body: { error: 'invalid_command' } });
    expect(node.printer.pulses).toEqual([]);
  });

  it('answers no_drawer without a printer, unknown_endpoint for an endpoint that is none', async () => {
    node = await startPrintingNode();
    await node.unplug();
    expect(await kick()).toMatchObject({ status: 409, body: { error: 'no_drawer' } });
    expect(await kick({ endpoint: 'scanner' })).toMatchObject({ status: 422, body: { error: 'unknown_endpoint' } });
  });
});
