/** The wifi image, started as its users start it, with printers made by the kernel. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { epsonGadget } from './devices.ts';
import { EpsonPrinter } from './epson.ts';
import { GadgetPrinter, until } from './gadget.ts';
import {
  endpointIs,
  get,
  type Image,
  post,
  put,
  RAW_PORT,
  type Status,
  startImage,
  status,
  statusWhere,
} from './image.ts';
import { driverOf } from './kernel.ts';
import { type It, story } from './suite.ts';

const ZEBRA = {
  port: 2,
  vendorId: '0a5f',
  productId: '0166',
  make: 'Zebra Technologies',
  model: 'ZTC ZD220-203dpi ZPL',
  serial: 'D2J000001',
  deviceId: 'MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZD220-203dpi ZPL;CLASS:PRINTER;',
} as const;

/** GET_PORT_STATUS (USB printer class 1.1, 4.2.2). */
const ALL_WELL = 0x18;
const PAPER_EMPTY = 0x38;

const print = (id: string, lines: unknown[]) => post('/print', { type: 'print', id, endpoint: 'receipt', lines });
const condition = (wanted: string) => endpointIs('receipt', wanted);
/** A fault that is not named may be a printer that has not answered in time, as on a slow machine. */
const isKnownBut =
  (fault: 'coverOpen' | 'paperOut') =>
  ({ printers: [printer] }: Status) =>
    printer?.known === true && !printer[fault];

export function nodeSuite(runner: It): void {
  let image: Image;
  let epson: EpsonPrinter;
  const it = story(runner);

  it('refuses a label printer by the name of its language', async () => {
    image = await startImage();
    assert.equal((await status()).usb.state, 'ok');
    const zebra = await GadgetPrinter.create(ZEBRA);
    await zebra.plug();
    const { rejections } = await statusWhere(({ rejections }) => rejections.length > 0, 'a rejection');
    const [{ vendorId, productId, make, reason, detail } = {}] = rejections;
    assert.deepEqual([vendorId, productId, make, reason], ['0a5f', '0166', ZEBRA.make, 'unsupported_language']);
    assert.match(String(detail), /ZPL/);
    assert.equal((await print('label', [{ type: 'text', value: 'no' }])).code, 409);
    await zebra.unplug();
  });

  it('binds a receipt printer by its recipe', async () => {
    const gadget = await epsonGadget();
    epson = new EpsonPrinter(gadget);
    await gadget.plug();
    const { peripherals } = await condition('bound');
    const receipt = peripherals.find(({ endpoint }) => endpoint === 'receipt');
    const { vendorId, productId, make, model, serial, port } = receipt?.device ?? {};
    assert.deepEqual(
      [vendorId, productId, make, model, serial],
      ['04b8', '0e28', 'EPSON', 'TM-T20III', gadget.description.serial],
    );
    assert.equal(receipt?.recipe?.tier, 'builtin');
    assert.equal(receipt?.recipe?.codec, 'escpos');
    assert.equal(driverOf(String(port)), 'usbfs');
  });

  it('tells what the printer answers to DLE EOT', async () => {
    epson.coverOpen = true;
    const open = await statusWhere(({ printers }) => printers[0]?.coverOpen === true, 'the cover to be open');
    assert.equal(open.printers[0]?.known, true);
    epson.coverOpen = false;
    const shut = await statusWhere(isKnownBut('coverOpen'), 'the cover to be shut');
    assert.equal(shut.printers[0]?.online, true);
  });

  it('prints exactly the bytes it says it sent', async () => {
    epson.newJob();
    const { code, result } = await print('one', [{ type: 'text', value: 'Flat white  3.40' }, { type: 'cut' }]);
    assert.deepEqual([code, result['ok'], result['commandId']], [200, true, 'one'], JSON.stringify(result));
    const bytes = Number(result['bytes']);
    const job = await epson.jobOf(bytes);
    assert.equal(job.length, bytes);
    assert.match(job, /Flat white {2}3\.40\n/);
    assert.ok(job.includes('\x1dV'), 'a cut');
  });

  it('kicks the drawer with one pulse', async () => {
    epson.newJob();
    const { code, result } = await post('/drawer/kick', { type: 'drawer_kick', id: 'kick', endpoint: 'receipt' });
    assert.equal(code, 200, JSON.stringify(result));
    // 120 ms on and 240 ms off, in units of 2 ms.
    assert.ok((await epson.jobOf(5)).includes('\x1bp\x00\x3c\x78'));
    assert.equal(epson.job.split('\x1bp').length, 2);
  });

  it('passes raw jobs through and drops drawer pulses from them', async () => {
    epson.newJob();
    const socket = connect(RAW_PORT, '127.0.0.1');
    await once(socket, 'connect');
    socket.end(Buffer.from('first\n\x1bp\x00\x32\x32second\n', 'latin1'));
    await until(async () => epson.job.includes('second\n') || undefined, 'the raw job');
    assert.match(epson.job, /first\nsecond\n/);
    assert.ok(!epson.job.includes('\x1bp'));
    await statusWhere(({ raw }) => raw.pulsesDropped === 1, 'the pulse to be counted');
    socket.destroy();
  });

  it('tells by the port status that the paper is out, while the job that waits for paper holds the bulk pipe', async () => {
    await put('/config', { usb: { writeTimeoutMs: 60_000 } });
    epson.newJob();
    epson.gadget.taking = false;
    const rows = 400;
    const data = Buffer.alloc(72 * rows, 0x55).toString('base64');
    let ended = false;
    const waiting = print('waiting', [{ type: 'raster', width: 576, height: rows, data }]).finally(() => {
      ended = true;
    });
    epson.gadget.setPortStatus(PAPER_EMPTY);
    const out = await statusWhere(({ printers }) => printers[0]?.paperOut === true, 'the paper to be out');
    assert.deepEqual([out.printers[0]?.known, out.printers[0]?.online, ended], [true, false, false]);
    epson.gadget.setPortStatus(ALL_WELL);
    epson.gadget.taking = true;
    const { code, result } = await waiting;
    assert.equal(code, 200, JSON.stringify(result));
    // The port status alone would leave it at "cannot tell": it is the answer to DLE EOT that knows.
    const paper = await statusWhere(isKnownBut('paperOut'), 'new paper');
    assert.equal(paper.printers[0]?.online, true);
    await put('/config', { usb: { writeTimeoutMs: 10_000 } });
  });

  it('says that a job was cut off when the printer is unplugged in it, and starts clean with the next', async () => {
    epson.newJob();
    // It takes some of it first: of one that takes nothing, the kernel's few buffers may hold status requests alone.
    await put('/config', { usb: { chunkDelayMs: 20 } });
    const rows = 2000;
    const data = Buffer.alloc(72 * rows, 0x55).toString('base64');
    const cut = print('cut-off', [{ type: 'raster', width: 576, height: rows, data }]);
    cut.catch(() => {});
    const isBegun = ({ id, bytes }: { id?: string; bytes: number }) => id === 'cut-off' && bytes > 0;
    const jobs = async () => (await get<{ jobs: Parameters<typeof isBegun>[0][] }>('/jobs')).jobs;
    await until(async () => (await jobs()).some(isBegun) || undefined, 'the job to begin');
    epson.gadget.taking = false;
    await epson.gadget.unplug();
    const { code, result } = await cut;
    assert.deepEqual([code, result['error']], [409, 'write_failed'], JSON.stringify(result));
    await condition('gone');
    await put('/config', { usb: { chunkDelayMs: 0 } });
    assert.equal((await print('absent', [{ type: 'text', value: 'nobody' }])).result['error'], 'no_printer');

    epson.newJob();
    await epson.gadget.plug();
    await condition('bound');
    const next = await print('next', [{ type: 'text', value: 'Espresso' }, { type: 'cut' }]);
    assert.equal(next.code, 200, JSON.stringify(next.result));
    await until(async () => epson.job.includes('Espresso\n') || undefined, 'the next job');
    assert.ok(!epson.job.includes('UUUU'), 'nothing of the cut-off job');
  });

  it('gives the printer back to the kernel when it stops', async () => {
    const { peripherals } = await status();
    const port = peripherals.find(({ endpoint }) => endpoint === 'receipt')?.device?.['port'];
    assert.equal(await image.stop(), 0);
    assert.equal(driverOf(String(port)), 'usblp');
    await epson.gadget.unplug();
  });
}
