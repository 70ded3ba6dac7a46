/** What becomes of jobs: RFC 8011, PWG 5100.14. */
import { Buffer } from 'node:buffer';
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import type { PrinterService } from '../../../runtime/services/discovery/contract.ts';
import { until } from '../../node.ts';
import { needTools } from '../../tools.ts';
import { type IppNode, PrinterThatWatches, startIppNode } from './ipp-node.ts';
import {
  CANCEL_JOB,
  CLOSE_JOB,
  CREATE_JOB,
  GET_JOB,
  GET_JOBS,
  GET_PRINTER,
  type Part,
  PRINT_JOB,
  SEND_DOCUMENT,
} from './messages.ts';
import { jpegOf, type PageOf, rowsOf, urf } from './pages.ts';

const missing = needTools(['cjpeg']);
const [PROCESSING, STOPPED, CANCELED, ABORTED, COMPLETED] = [5, 6, 7, 8, 9];
let node: IppNode;
afterEach(() => node.stop());
const ended = (id: number) =>
  until(
    () => node.state(id),
    (state) => state >= CANCELED,
  );
const rows = () => rowsOf(node.printer.paperBytes());
const cuts = () => Buffer.from(node.printer.paperBytes()).toString('latin1').split('\x1dV').length - 1;
/** White, then a line that is 5 dots long and 2 high, and white. */
const bar: PageOf = { width: 576, height: 400, ink: (x, y) => y >= 100 && y < 102 && x < 5 };
/** A page with one dot. */
const dot: PageOf = { width: 1, height: 1, ink: () => true };
const printerState = async () => {
  const { values } = await node.ask(GET_PRINTER);
  return { state: values['printer-state']![0], reasons: values['printer-state-reasons'] };
};
const recent = async () =>
  ((await (await fetch(`${node.url}/jobs`)).json()) as { jobs: Record<string, unknown>[] }).jobs;

describe.skipIf(missing)('a job', () => {
  it('waits for paper and a closed cover, says so, and then comes out once', async () => {
    node = await startIppNode();
    for (const [fault, mended, reason] of [
      [{ cover: 'open' }, { cover: 'closed' }, 'cover-open'],
      [{ paper: 'out' }, { paper: 'ok' }, 'media-empty'],
    ] as const) {
      node.printer.tearOff();
      node.printer.set(fault);
      const id = await node.print('image/urf', urf(bar));
      await until(
        () => node.state(id),
        (state) => state === STOPPED,
      );
      expect(await printerState()).toMatchObject({ state: 5, reasons: expect.arrayContaining([reason]) });
      node.printer.set(mended);
      expect(await ended(id)).toBe(COMPLETED);
      expect(rows()).toEqual(['#####', '#####']);
      expect(await printerState()).toMatchObject({ state: 3, reasons: ['none'] });
    }
  });

  it('goes on where it was when the cover is closed that was opened in the middle', async () => {
    node = await startIppNode();
    node.printer.set({ slow: 200_000 });
    const page = { width: 576, height: 1500, ink: (x: number, y: number) => x === y % 576 };
    const id = await node.print('image/urf', urf(page));
    await until(
      () => node.state(id),
      (state) => state === PROCESSING,
    );
    await until(() => node.printer.paperBytes().length > 20_000);
    node.printer.set({ cover: 'open' });
    await until(
      () => node.state(id),
      (state) => state === STOPPED,
    );
    node.printer.set({ cover: 'closed', slow: 0 });
    expect(await ended(id)).toBe(COMPLETED);
    expect(rows()).toEqual(Array.from({ length: 1500 }, (_, y) => `${' '.repeat(y % 576)}#`));
  });

  it('waits while the printer is unplugged, of which no new one is taken, and which is not to be found', async () => {
    node = await startIppNode();
    const found = () => {
      const services: PrinterService[] = [];
      node.kernel.offered('discovery')?.services.call(services, 'receipt');
      return services;
    };
    expect(found()).toMatchObject([
      { type: '_ipp._tcp', subtypes: ['_universal', '_print'], port: Number(node.ipp.split(':').at(-1)) },
    ]);
    const { values } = await node.ask(GET_PRINTER);
    const { UUID, URF, ...txt } = found()[0]!.txt;
    expect([`urn:uuid:${UUID}`]).toEqual(values['printer-uuid']);
    expect(URF?.split(',')).toEqual(values['urf-supported']);
    expect(txt).toMatchObject({ rp: 'ipp/print', pdl: 'image/urf,image/pwg-raster,image/jpeg,text/plain', Color: 'F' });
    node.printer.set({ cover: 'open' });
    const id = await node.print('image/urf', urf(bar));
    node.bench.usb.unplug(node.printer);
    await until(async () => (await printerState()).reasons?.[0] === 'connecting-to-device');
    expect((await node.ask(PRINT_JOB, [], urf(bar))).status).toBe(0x0506);
    expect(found()).toEqual([]);
    node.printer.set({ cover: 'closed' });
    node.bench.usb.plug(node.printer);
    expect(await ended(id)).toBe(COMPLETED);
    expect(rows()).toEqual(['#####', '#####']);
  });

  it('that was laid out for one printer is not printed on another, whose letters differ', async () => {
    node = await startIppNode();
    node.printer.set({ cover: 'open' });
    const text = await node.print('text/plain', Buffer.from('äöü\n'));
    const picture = await node.print('image/jpeg', jpegOf());
    const pages = await node.print('image/urf', urf(bar));
    node.bench.usb.unplug(node.printer);
    const other = new VirtualPrinter({ vendorId: 0x0416, productId: 0x5011, make: 'Printer', model: 'POS-58' });
    node.bench.usb.plug(other);
    expect([await ended(text), await ended(picture), await ended(pages)]).toEqual([ABORTED, ABORTED, COMPLETED]);
    const { values } = await node.ask(GET_JOB, [[0x21, 'job-id', text]]);
    expect(values['job-state-message']).toEqual(['another printer was connected: send it again']);
    expect(rowsOf(other.paperBytes())).toEqual(['###']);
  });

  it('of which the printer took nothing that prints before it was unplugged is printed when it is back', async () => {
    const printer = new PrinterThatWatches('\x1b@');
    node = await startIppNode({}, printer);
    printer.seen = () => node.bench.usb.unplug(printer);
    const id = await node.print('image/urf', urf(bar));
    await until(async () => (await printerState()).reasons?.[0] === 'connecting-to-device');
    node.bench.usb.plug(printer);
    expect(await ended(id)).toBe(COMPLETED);
    expect(rows()).toEqual(['#####', '#####']);
  });

  it('that the printer took and lost, unplugged with its cover open, is not said to be printed', async () => {
    const printer = new PrinterThatWatches('\x1dv0');
    node = await startIppNode({}, printer);
    printer.seen = () => printer.set({ cover: 'open' });
    const id = await node.print('image/urf', urf(bar));
    await until(
      () => node.state(id),
      (state) => state === STOPPED,
    );
    node.bench.usb.unplug(printer);
    expect(await ended(id)).toBe(ABORTED);
    expect(rows()).toEqual([]);
    expect((await recent())[0]).toMatchObject({ outcome: 'uncertain', error: 'write_failed' });
  });

  it('of more paper than a job may take, all its copies together, is refused', async () => {
    node = await startIppNode();
    const page = urf({ width: 8, height: 2000, ink: (x, y) => x === 0 && (y === 0 || y === 1999) });
    const asked = (copies: number) =>
      node.ask(PRINT_JOB, [[0x49, 'document-format', 'image/urf'], [2], [0x21, 'copies', copies]], page);
    expect((await asked(80)).status).toBe(0x0408);
    expect((await asked(2)).status).toBe(0);
  });

  it('of pages of one row, whose white between them makes the length, is refused', async () => {
    node = await startIppNode();
    const pages = urf(...Array.from({ length: 5000 }, () => dot));
    expect((await node.ask(PRINT_JOB, [[0x49, 'document-format', 'image/urf']], pages)).status).toBe(0x0408);
    expect(rows()).toEqual([]);
  });

  it('of thousands of such pages without ink is refused, too: others would wait for what prints nothing', async () => {
    node = await startIppNode();
    const pages = urf(...Array<PageOf>(12_000).fill({ ...dot, ink: () => false }));
    expect((await node.ask(PRINT_JOB, [[0x49, 'document-format', 'image/urf']], pages)).status).toBe(0x0411);
    expect(rows()).toEqual([]);
  });

  it('of such pages that prints as it comes ends where the paper of a job does', async () => {
    node = await startIppNode();
    const pages = Buffer.concat(Array.from({ length: 30_000 }, () => urf(dot)));
    expect((await node.ask(PRINT_JOB, [[0x49, 'document-format', 'image/urf']], pages)).status).toBe(0x0508);
    expect(rows().length).toBeLessThanOrEqual(20 * 8000);
  });

  it('of text takes no more paper, all its copies together', async () => {
    node = await startIppNode();
    const text = Buffer.from('a line\n'.repeat(1000));
    const asked = (copies: number) =>
      node.ask(PRINT_JOB, [[0x49, 'document-format', 'text/plain'], [2], [0x21, 'copies', copies]], text);
    expect((await asked(6)).status).toBe(0x0408);
    expect((await asked(2)).status).toBe(0);
  });

  it('that is a picture of a receipt is printed in its length', async () => {
    node = await startIppNode();
    expect(await ended(await node.print('image/jpeg', jpegOf(64, 1200)))).toBe(COMPLETED);
    expect(rows()).toHaveLength((1200 * 576) / 64);
  });

  it('is of a printer that has make and model of the profile, as it is found', async () => {
    node = await startIppNode();
    const named = async () => (await node.ask(GET_PRINTER)).values;
    expect((await named())['printer-make-and-model']).toEqual([expect.stringContaining('TM-')]);
    await fetch(`${node.url}/config`, { method: 'PUT', body: JSON.stringify({ profile: 'citizen-ct-e351' }) });
    expect((await named())['printer-make-and-model']).toEqual(['CITIZEN CT-E351']);
    expect((await named())['printer-device-id']).toEqual([expect.stringContaining('MFG:CITIZEN;MDL:CT-E351;')]);
  });

  it('is canceled before it prints, and in the middle at a boundary, behind which the next one is whole', async () => {
    node = await startIppNode();
    node.printer.set({ cover: 'open' });
    const waiting = await node.print('image/urf', urf(bar));
    expect((await node.ask(CANCEL_JOB, [[0x21, 'job-id', waiting]])).status).toBe(0);
    expect(await node.state(waiting)).toBe(CANCELED);
    expect((await node.ask(CANCEL_JOB, [[0x21, 'job-id', waiting]])).status).toBe(0x0404);
    node.printer.set({ cover: 'closed', slow: 100_000 });
    const long = await node.print('image/urf', urf({ width: 576, height: 4000, ink: (x) => x < 3 }));
    await until(() => node.printer.paperBytes().length > 10_000);
    await node.ask(CANCEL_JOB, [[0x21, 'job-id', long]]);
    expect(await node.state(long)).toBe(CANCELED);
    expect((await recent())[0]).toMatchObject({ outcome: 'partial', error: 'invalid_body' });
    node.printer.set({ slow: 0 });
    await ended(await node.print('image/urf', urf(bar)));
    expect(rows().length).toBeLessThan(4000);
    expect(rows().slice(-2)).toEqual(['#####', '#####']);
    expect(cuts()).toBe(2);
  });

  it('of text ends at the next line when it is canceled, and is cut off what comes next', async () => {
    node = await startIppNode();
    node.printer.set({ slow: 5000 });
    const long = await node.print('text/plain', Buffer.from('long\n'.repeat(2000)));
    await until(() => node.printer.paperBytes().length > 500);
    await node.ask(CANCEL_JOB, [[0x21, 'job-id', long]]);
    expect(await node.state(long)).toBe(CANCELED);
    const next = await node.print('text/plain', Buffer.from('next\n'));
    node.printer.set({ slow: 0 });
    expect(await ended(next)).toBe(COMPLETED);
    const [first, second] = node.printer.paperText().split(/^.*✂.*$/m);
    expect(first!.match(/long/g)!.length).toBeLessThan(500);
    expect(second!.trim()).toBe('next');
  });

  it('of text that was cut short by an unplugged printer is not said to have printed nothing', async () => {
    node = await startIppNode();
    node.printer.set({ slow: 5000 });
    const long = await node.print('text/plain', Buffer.from('long\n'.repeat(2000)));
    await until(() => node.printer.paperBytes().length > 500);
    node.bench.usb.unplug(node.printer);
    expect(await ended(long)).toBe(ABORTED);
    const { values } = await node.ask(GET_JOB, [[0x21, 'job-id', long]]);
    expect(values['job-state-message']).toEqual(['the printer failed: disconnected; a part of it was printed']);
  });

  it('of text counts as a receipt', async () => {
    node = await startIppNode();
    await ended(await node.print('text/plain', Buffer.from('a line\n')));
    expect(node.kernel.status()['counters']).toMatchObject([
      { endpoint: 'receipt', sinceStart: { receipts: 1, cuts: 1 } },
    ]);
  });

  it('that does not come is not waited for behind Close-Job', async () => {
    node = await startIppNode();
    const id = (await node.ask(CREATE_JOB)).values['job-id']![0] as number;
    expect((await node.ask(CLOSE_JOB, [[0x21, 'job-id', id]])).status).toBe(0);
    expect(await node.state(id)).toBe(ABORTED);
    const last: Part[] = [
      [0x21, 'job-id', id],
      [0x22, 'last-document', Buffer.from([1])],
    ];
    expect((await node.ask(SEND_DOCUMENT, last, urf(bar))).status).toBe(0x0404);
  });

  it('stands in the list of recent jobs, without the names of its user and of its document', async () => {
    node = await startIppNode();
    await ended(await node.print('image/urf', urf(bar), [[0x42, 'job-name', 'secret plan']]));
    const [job] = await recent();
    expect(job).toMatchObject({ kind: 'ipp', endpoint: 'receipt', from: '127.0.0.1', outcome: 'accepted' });
    expect(JSON.stringify(await recent())).not.toMatch(/secret|ann/);
    const { values } = await node.ask(GET_JOBS, [
      [0x44, 'which-jobs', 'completed'],
      [0x44, 'requested-attributes', 'all'],
    ]);
    expect(values['job-name']).toEqual(['secret plan']);
    expect(values['job-originating-user-name']).toEqual(['ann']);
  });

  it('is made by Create-Job and gets its document by Send-Document', async () => {
    node = await startIppNode();
    const id = (await node.ask(CREATE_JOB)).values['job-id']![0] as number;
    const sent = await node.ask(
      SEND_DOCUMENT,
      [
        [0x21, 'job-id', id],
        [0x22, 'last-document', Buffer.from([1])],
        [0x49, 'document-format', 'image/urf'],
      ],
      urf(bar),
    );
    expect(sent.status).toBe(0);
    expect(await ended(id)).toBe(COMPLETED);
    expect(rows()).toEqual(['#####', '#####']);
    const send = (document: Uint8Array) =>
      node.ask(
        SEND_DOCUMENT,
        [
          [0x21, 'job-id', id],
          [0x22, 'last-document', Buffer.from([1])],
        ],
        document,
      );
    // No more comes, or one more.
    expect((await send(Buffer.alloc(0))).status).toBe(0);
    expect((await send(urf(bar))).status).toBe(0x0404);
  });
});
