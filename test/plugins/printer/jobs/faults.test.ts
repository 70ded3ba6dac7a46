/** What a printer does to a job, and what the client is told: specification 2.1, 2.4 and 7. */
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { startTestNode } from '../../../../runtime/node/testing.ts';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';
import { wifiPlugins } from '../../../plugins.ts';

let node: PrintingNode;
afterEach(() => node.stop());

interface Status {
  printers: [Record<string, unknown>];
  peripherals: Array<Record<string, unknown>>;
  rejections: Array<Record<string, unknown>>;
}
const status = async () => (await node.get<Status>('/status')).body;
const receipt = async () => (await status()).peripherals.find(({ endpoint }) => endpoint === 'receipt');
const known = () => until(async () => (await status()).printers[0]['known'] === true);
const long = Array.from({ length: 400 }, (_, line) => ({ type: 'text', value: `line ${line} ${'x'.repeat(30)}` }));

describe('a printer that is bound', () => {
  it('is found by its recipe, with make, model and serial in the status', async () => {
    node = await startPrintingNode({ serial: 'X7' });
    expect(await receipt()).toMatchObject({
      condition: 'bound',
      device: { vendorId: '04b8', productId: '0e28', make: 'EPSON', model: 'TM-T20III', serial: 'X7' },
      recipe: { id: 'epson-tm-t20iii', tier: 'builtin', codec: 'escpos' },
    });
  });

  it('reports paper, cover and drawer as DLE EOT tells them', async () => {
    node = await startPrintingNode();
    await known();
    expect((await status()).printers[0]).toMatchObject({
      known: true,
      online: true,
      paperOut: false,
      coverOpen: false,
    });
    const events = node.events('printer_status');
    const open = events.next();
    node.printer.set({ cover: 'open' });
    expect((await open).value).toMatchObject({ known: true, coverOpen: true, online: false });
    const out = events.next();
    node.printer.set({ cover: 'closed', paper: 'out' });
    expect((await out).value).toMatchObject({ coverOpen: false, paperOut: true });
    await events.return(undefined);
  }, 20_000);

  it('goes on being reported while a job is under way', async () => {
    node = await startPrintingNode();
    const events = node.events('printer_status');
    const reported = events.next().then(() => 'reported');
    node.printer.set({ nak: true });
    const printed = node.print([{ type: 'text', value: 'slow' }]).then(() => 'printed');
    expect(await Promise.race([reported, printed])).toBe('reported');
    node.printer.set({ nak: false });
    await printed;
    await events.return(undefined);
  }, 20_000);

  it('that never answers is silent: status unknown, still online', async () => {
    node = await startPrintingNode();
    node.printer.set({ silent: true });
    await node.unplug();
    await node.replug();
    await until(async () => (await receipt())?.['condition'] === 'silent');
    expect((await status()).printers[0]).toMatchObject({ known: false, online: true });
    expect((await receipt())?.['sinceMs']).toBeTypeOf('number');
    expect((await node.print([{ type: 'text', value: 'still prints' }])).status).toBe(200);
  });

  it('that is write-only has an unknown status and prints', async () => {
    node = await startPrintingNode({ writeOnly: true });
    expect((await status()).printers[0]).toMatchObject({ known: false, online: true, condition: 'silent' });
    await node.print([{ type: 'text', value: 'one way' }]);
    expect(node.printer.paperText()).toContain('one way');
  });

  it('that takes nothing for ever fails the job in its time, with nothing written and nothing repeated', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { usb: { writeTimeoutMs: 500 } });
    node.printer.tearOff();
    node.printer.set({ nak: true });
    const { status: code, body } = await node.print([{ type: 'text', value: 'never' }]);
    expect(code).toBe(409);
    expect(body).toMatchObject({ error: 'write_failed', bytes: 0, detail: 'timeout: nothing was written' });
    node.printer.set({ nak: false });
    await node.print([{ type: 'text', value: 'after' }]);
    expect(node.printer.paperText()).toContain('after');
    expect(node.printer.paperText()).not.toContain('never');
  });

  it('that stops in the middle leaves the next job whole, whatever the cut one had open', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { usb: { writeTimeoutMs: 500, chunkBytes: 64 } });
    node.printer.tearOff();
    node.printer.set({ paper: 'out' });
    const raster = { type: 'raster', width: 576, height: 1000, data: Buffer.alloc(72_000, 0xaa).toString('base64') };
    const { body } = await node.print([raster]);
    expect(body['error']).toBe('write_failed');
    expect(body['bytes']).toBeGreaterThan(60_000);
    node.printer.set({ paper: 'ok' });
    await node.print([{ type: 'text', value: 'whole again' }]);
    expect(node.printer.paperText()).toContain('whole again');
  });

  it('that takes nothing while the node stops holds it up for less than the 2.8 s it has, and the client is told', async () => {
    node = await startPrintingNode();
    node.printer.set({ nak: true });
    const begun = new Promise<void>((begin) => {
      node.kernel.hooks.command.for('print').tapPromise({ name: 'test', stage: -1 }, async () => {
        // By then it is on its way to the printer.
        setImmediate(() => setImmediate(begin));
        return undefined;
      });
    });
    const printed = node.print([{ type: 'text', value: 'never' }]);
    await begun;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let stopped = false;
    void node.stop().then(() => {
      stopped = true;
    });
    // What is no timer, sockets and transfers, has its turns between the steps.
    for (let ms = 0; ms < 2800; ms += 50) {
      await vi.advanceTimersByTimeAsync(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => stopped);
    expect(await printed).toMatchObject({ status: 409, body: { error: 'write_failed', bytes: 0 } });
  });

  it('that is at one job when the node stops has those that wait answered `restarting`: nothing of them was printed', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
    node.printer.set({ slow: 800 });
    const raster = { type: 'raster', width: 576, height: 1000, data: Buffer.alloc(72_000).toString('base64') };
    const first = node.print([raster]);
    await until(() => node.printer.paperBytes().length > 100);
    const waiting = [
      node.print([{ type: 'text', value: 'second' }]),
      node.send('POST', '/raw', { type: 'raw', id: 'third', endpoint: 'receipt', data: 'QUEK' }),
    ];
    await until(async () => (await node.get('/jobs')).body['waiting'] === 2);
    await node.stop();
    for (const answer of waiting)
      expect(await answer).toMatchObject({ status: 503, body: { ok: false, error: 'restarting' } });
    expect((await first).body).toMatchObject({ error: 'write_failed' });
    expect(node.printer.paperText()).not.toMatch(/second|AA/);
  });

  it('that stops inside a header is asked how it is, and no question becomes a size', async () => {
    class Stuck extends VirtualPrinter {
      room = Number.POSITIVE_INFINITY;
      protected override receive(pipe: number, bytes: Uint8Array): number {
        const taken = super.receive(pipe, bytes.subarray(0, this.room));
        this.room -= taken;
        return taken;
      }
    }
    node = await startPrintingNode();
    await node.unplug();
    const stuck = new Stuck();
    node.bench.usb.plug(stuck);
    await known();
    await node.send('PUT', '/config', { usb: { writeTimeoutMs: 500 } });
    stuck.tearOff();
    stuck.room = 5;
    const header = [0x1d, 0x76, 0x30, 0, 72, 0, 8, 0];
    const data = Buffer.concat([Buffer.from(header), Buffer.alloc(576)]).toString('base64');
    const { body } = await node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data });
    expect(body).toMatchObject({ error: 'write_failed', bytes: 5 });
    await until(async () => !(await status()).printers[0]['known']);
    stuck.room = Number.POSITIVE_INFINITY;
    stuck.set({});
    const asking = await node.dial();
    asking.write(Uint8Array.of(0x10, 0x04, 0x04));
    await known();
    asking.destroy();
    await node.print([{ type: 'text', value: 'whole again' }]);
    expect(stuck.paperText()).toContain('whole again');
  });

  /** Another printer prints in its place, and goes. */
  const standIn = (spare: VirtualPrinter) => async () => {
    const moved = async (move: () => void) => {
      move();
      await Promise.resolve();
      await node.kernel.hotplug.settled();
    };
    await moved(() => node.bench.usb.plug(spare));
    expect((await node.print([{ type: 'text', value: 'in its place' }])).status).toBe(200);
    await moved(() => node.bench.usb.unplug(spare));
    await node.replug();
  };
  it.each([
    ['', async () => node.replug()],
    [' in another port', async () => node.bench.usb.plug(node.printer, '1-7')],
    [
      ' after another stood in for it',
      standIn(new VirtualPrinter({ vendorId: 0x0416, productId: 0x5011, deviceId: '' })),
    ],
    [' after another of the same model stood in for it', standIn(new VirtualPrinter({ serial: 'spare' }))],
  ])(
    'unplugged in the middle of an image, and under power all the while, prints the next job whole%s',
    async (_, back) => {
      node = await startPrintingNode({ keepsPower: true });
      await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
      node.printer.misbehave({ disconnectAfter: 3000 });
      const raster = { type: 'raster', width: 576, height: 200, data: Buffer.alloc(14_400).toString('base64') };
      expect((await node.print([raster])).body).toMatchObject({ error: 'write_failed' });
      node.printer.misbehave({ disconnectAfter: Number.POSITIVE_INFINITY });
      await back();
      await known();
      await node.print([{ type: 'text', value: 'whole again' }]);
      expect(node.printer.paperText()).toContain('whole again');
    },
  );

  it('left in the middle of an image by a node that ends prints the next job whole under the node after it', async () => {
    node = await startPrintingNode({ keepsPower: true });
    await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
    node.printer.set({ slow: 800 });
    const raster = { type: 'raster', width: 576, height: 1000, data: Buffer.alloc(72_000).toString('base64') };
    const answer = node.print([raster]);
    await until(() => node.printer.paperBytes().length > 100);
    await node.stop();
    expect((await answer).body).toMatchObject({ error: 'write_failed' });
    const { printer, storage, bench } = node;
    bench.usb.unplug(printer);
    printer.set({ slow: 0 });
    const later = await startTestNode({ plugins: wifiPlugins, devices: { printer: () => printer }, storage });
    onTestFinished(() => later.stop());
    const lines = [{ type: 'text', value: 'whole again' }];
    const body = JSON.stringify({ type: 'print', id: 'later', endpoint: 'receipt', lines });
    expect((await fetch(`${later.url}/print`, { method: 'POST', body })).status).toBe(200);
    expect(printer.paperText()).toContain('whole again');
    await until(async () => (await storage.read('printer.owed')) === undefined);
  });

  it('unplugged in the middle of a job gives write_failed, and the next plug-in prints without a restart', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
    node.printer.misbehave({ disconnectAfter: 3000 });
    const { status: code, body } = await node.print(long);
    expect(code).toBe(409);
    expect(body).toMatchObject({ ok: false, error: 'write_failed' });
    await until(async () => (await receipt())?.['condition'] === 'gone');
    expect(await node.print([{ type: 'cut' }])).toMatchObject({ status: 409, body: { error: 'no_printer' } });
    node.printer.misbehave({ disconnectAfter: Number.POSITIVE_INFINITY });
    node.printer.tearOff();
    await node.replug();
    expect((await node.print([{ type: 'text', value: 'clean' }])).status).toBe(200);
    expect(node.printer.paperText().trim()).toBe('clean');
  });
});

describe('a printer that is refused', () => {
  it('for its language is named in the rejections, and POST /print says which it speaks', async () => {
    node = await startPrintingNode({
      vendorId: 0x0a5f,
      productId: 0x0164,
      make: 'Zebra',
      model: 'ZD220',
      deviceId: 'MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZD220-203dpi ZPL;',
    });
    expect((await status()).rejections[0]).toMatchObject({
      vendorId: '0a5f',
      model: 'ZD220',
      class: 'printer',
      reason: 'unsupported_language',
      detail: 'ZPL',
    });
    expect(await node.print([{ type: 'cut' }])).toMatchObject({
      status: 409,
      body: { error: 'unsupported_command_set' },
    });
    expect(await node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data: 'QQ==' })).toMatchObject({
      status: 409,
      body: { error: 'no_printer' },
    });
  });

  it('as a second one takes over when the first goes', async () => {
    node = await startPrintingNode();
    const second = new VirtualPrinter({ productId: 0x0e15, model: 'TM-T20II' });
    node.bench.usb.plug(second);
    await until(async () => (await status()).rejections.length === 1);
    expect((await status()).rejections[0]).toMatchObject({ productId: '0e15', reason: 'second_printer' });
    await node.unplug();
    await until(async () => (await receipt())?.['condition'] === 'bound');
    await node.print([{ type: 'text', value: 'second in line' }]);
    expect(second.paperText()).toContain('second in line');
  });
});

describe('a printer nobody described', () => {
  it('is driven by a derived row when its device id says ESC/POS', async () => {
    node = await startPrintingNode({
      vendorId: 0xabcd,
      productId: 0x0001,
      make: 'Acme',
      model: 'R1',
      deviceId: 'MFG:Acme;CMD:ESC/POS;MDL:R1;',
    });
    expect(await receipt()).toMatchObject({ condition: 'bound', recipe: { id: 'derived-abcd-0001', tier: 'derived' } });
    expect((await node.print([{ type: 'text', value: 'derived' }])).status).toBe(200);
  });
});

describe('jobs of many callers', () => {
  it('never interleave', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { usb: { chunkBytes: 64 } });
    node.printer.tearOff();
    const block = (name: string) => Array.from({ length: 20 }, () => ({ type: 'text', value: `from ${name}` }));
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => node.print(block(name))));
    const rows = node.printer
      .paperText()
      .split('\n')
      .filter((row) => row.includes('from'));
    expect(rows).toHaveLength(100);
    const changes = rows.filter((row, index) => index > 0 && row !== rows[index - 1]).length;
    expect(changes).toBe(4);
  });
});
