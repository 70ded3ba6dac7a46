/** POST /print as a client sees it: specification 2.3, 2.4 and 7. */
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../runtime/kernel/errors.ts';
import { type PrintingNode, startPrintingNode, until } from '../../node.ts';

let node: PrintingNode;
afterEach(() => node.stop());
const banner = { type: 'banner', value: 'TOO LARGE' };
const text = (value: string, rest: object = {}) => ({ type: 'text', value, ...rest });

describe('POST /print', () => {
  it('prints the lines and answers with a command result that echoes the id', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const { status, body } = await node.print([text('Total 5,40 €'), { type: 'cut' }], { id: 'r-1' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'command_result',
      ok: true,
      commandId: 'r-1',
      endpoint: 'receipt',
      outcome: 'accepted',
    });
    expect(node.printer.paperText()).toContain('Total 5,40 €');
    expect(node.printer.paperBytes().length).toBe(body['bytes']);
  });

  it('shows no digits in another order than they have, and tells what it left out', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const { body } = await node.print([
      text('TOTAL \u202e00.91\u202c'),
      { type: 'columns', cells: [{ value: 'Tip' }, { value: '\u202e00.2', width: 10 }] },
    ]);
    expect(body['detail']).toBe('3 direction controls that would show digits in another order were left out');
    expect(node.printer.paperText()).toMatch(/TOTAL 00\.91\nTip +00\.2/);
  });

  it('shows no amount in another order by marks of direction, in a line or a cell, and tells what it left out', async () => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const marked = [...'00.91'].map((char) => `\u200f${char}`).join('');
    const { body } = await node.print([
      text(`TOTAL ${marked}`),
      text('TOTAL \u061c19.00 - 5'),
      { type: 'columns', cells: [{ value: 'Tip' }, { value: marked, align: 'right' }] },
    ]);
    expect(body['detail']).toBe('10 direction controls that would show digits in another order were left out');
    expect(node.printer.paperText()).toMatch(/TOTAL 00\.91\nTOTAL 19\.00 - 5\nTip +00\.91/);
  });

  it('tells that a picture has no black dot', async () => {
    node = await startPrintingNode();
    const raster = (byte: number) => ({
      type: 'raster',
      width: 16,
      height: 8,
      data: Buffer.alloc(16, byte).toString('base64'),
    });
    const { body } = await node.print([text('x'), raster(0)]);
    expect(body).toMatchObject({ ok: true, detail: 'lines/1: the picture has no black dot' });
    expect((await node.print([raster(1)])).body['detail']).toBeUndefined();
    // What pads its row is no dot of it.
    const padded = { type: 'raster', width: 7, height: 1, data: 'AQ==' };
    expect((await node.print([padded])).body['detail']).toBe('lines/0: the picture has no black dot');
    expect((await node.print([{ ...padded, data: 'Ag==' }])).body['detail']).toBeUndefined();
  });

  it('mirrors each outcome on the event stream', async () => {
    node = await startPrintingNode();
    const events = node.events('command_result');
    const first = events.next();
    await node.print([text('x')], { id: 'seen' });
    expect((await first).value).toMatchObject({ commandId: 'seen', ok: true });
    const second = events.next();
    await node.print([text('x')], { id: 'lost', endpoint: 'nowhere' });
    expect((await second).value).toMatchObject({ commandId: 'lost', ok: false, error: 'unknown_endpoint' });
    await events.return(undefined);
  });

  it.each([
    ['breaks', new Error('kaput'), { error: 'internal' }, 500],
    ['refuses', new ApiError('write_failed', 'not now'), { error: 'write_failed', detail: 'not now' }, 409],
  ])('ends in a result, and an event, where a room %s by throwing', async (_, thrown, outcome, status) => {
    node = await startPrintingNode();
    const seen: object[] = [];
    node.kernel.hooks.event.tap('test', (event) => void seen.push(event));
    node.kernel.hooks.command.for('print').tapPromise({ name: 'test', stage: -1 }, () => Promise.reject(thrown));
    const result = { type: 'command_result', ok: false, commandId: 'thrown', endpoint: 'receipt', ...outcome };
    expect(await node.print([text('x')], { id: 'thrown' })).toEqual({ status, body: result });
    expect(seen).toContainEqual(result);
  });

  it.each([
    ['an unknown endpoint', { endpoint: 'kitchen' }, [text('x')], 422, 'unknown_endpoint'],
    ['an unknown line type', {}, [text('x'), { type: 'hologram' }], 422, 'unsupported_line_type'],
    [
      'barcode data the symbology cannot hold',
      {},
      [text('x'), { type: 'barcode', symbology: 'ean13', value: '12' }],
      422,
      'invalid_command',
    ],
    [
      'a wrong check digit',
      {},
      [{ type: 'barcode', symbology: 'ean13', value: '4006381333932' }],
      422,
      'invalid_command',
    ],
    [
      'a raster of the wrong length',
      {},
      [{ type: 'raster', width: 16, height: 2, data: 'AAAA' }],
      422,
      'invalid_command',
    ],
    ['a raster in bad base64', {}, [{ type: 'raster', width: 8, height: 1, data: '/x==' }], 422, 'invalid_command'],
    [
      'a symbol wider than the paper',
      {},
      [{ type: 'barcode', symbology: 'code39', value: 'A'.repeat(17) }],
      422,
      'invalid_command',
    ],
    ['a job of 400 m', {}, Array.from({ length: 3000 }, () => ({ type: 'feed', lines: 255 })), 422, 'render_too_large'],
    ['a job larger than its buffer', {}, Array.from({ length: 400 }, () => banner), 422, 'render_too_large'],
  ])('refuses %s with nothing written', async (_, rest, lines, status, error) => {
    node = await startPrintingNode();
    node.printer.tearOff();
    const answer = await node.print(lines, rest);
    expect(answer).toMatchObject({ status, body: { ok: false, error } });
    expect(answer.body['commandId']).toMatch(/^job-/);
    expect(node.printer.paperBytes()).toHaveLength(0);
  });

  it('names the line it refuses', async () => {
    node = await startPrintingNode();
    const { body } = await node.print([text('a'), text('b'), { type: 'barcode', symbology: 'itf', value: '123' }]);
    expect(body['detail']).toContain('lines/2');
    expect((await node.print([text('a'), { type: 'sticker' }])).body['detail']).toContain('lines/1');
  });

  it.each([
    ['a wrong type', { lines: [{ type: 'text', value: 7 }] }, 'lines/0/value'],
    ['an unknown key', { lines: [{ type: 'text', value: 'x', colour: 'red' }] }, 'colour'],
    ['no lines', { lines: [] }, 'lines'],
    ['an empty id', { id: '', lines: [{ type: 'cut' }] }, 'id'],
    ['a size that is none', { lines: [{ type: 'text', value: 'x', size: '9x' }] }, 'lines/0/size'],
    ['too long a feed', { lines: [{ type: 'feed', lines: 256 }] }, 'lines/0/lines'],
    ['another command', { type: 'raw', lines: [{ type: 'cut' }] }, 'type'],
  ])('refuses %s as invalid_command and names the path', async (_, patch, path) => {
    node = await startPrintingNode();
    const { status, body } = await node.send('POST', '/print', {
      type: 'print',
      id: 'x',
      endpoint: 'receipt',
      ...patch,
    });
    expect({ status, error: body['error'] }).toEqual({ status: 422, error: 'invalid_command' });
    expect(body['detail']).toContain(path);
  });

  it('lets no control byte and no command through from text', async () => {
    node = await startPrintingNode();
    const hostile = 'A\u001bp\u0000\u0019\u00faB\u0010\u0014\u0001\u0000\u0001C\ud800D\u009bE\u0007';
    const { status, body } = await node.print([
      text(hostile),
      { type: 'banner', value: '\u001b@' },
      { type: 'columns', cells: [{ value: hostile }] },
    ]);
    expect(status).toBe(200);
    expect(body['detail']).toContain('printed as ?');
    expect(node.printer.pulses).toEqual([]);
    expect(node.printer.paperText()).toMatch(/A\?p\?/);
  });

  it('asks for an end-of-print echo with confirm, and says which it was', async () => {
    node = await startPrintingNode();
    expect((await node.print([text('x')], { confirm: true })).body['outcome']).toBe('confirmed');
  });

  it('is unconfirmed on a printer that has no echo', async () => {
    node = await startPrintingNode({ vendorId: 0x0416, productId: 0x5011, deviceId: '' });
    expect((await node.print([text('x')], { confirm: true })).body['outcome']).toBe('unconfirmed');
  });

  it('says there which characters are lost, too', async () => {
    node = await startPrintingNode({ vendorId: 0x0416, productId: 0x5011, deviceId: '' });
    const lost = '2 characters this printer cannot show were printed as ?';
    const detailOf = async (value: string) => (await node.print([text(value)], { confirm: true })).body['detail'];
    expect(await detailOf('x')).toBe('this printer has no end-of-print echo');
    expect(await detailOf('x\ue000\ue001')).toBe(`${lost}; this printer has no end-of-print echo`);
  });

  it('wraps at the configured width', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { printWidthCols: 16 });
    node.printer.tearOff();
    await node.print([text('one two three four five six')]);
    const rows = node.printer
      .paperText()
      .split('\n')
      .map((row) => row.trimEnd())
      .filter((row) => row !== '');
    expect(rows).toEqual(['one two three', 'four five six']);
  });

  it('says so where that is more than the printer has, and only there', async () => {
    node = await startPrintingNode();
    const detail = async () => (await node.print([text('x')])).body['detail'];
    const narrow = async (printWidthCols: number) => (await node.send('PUT', '/config', { printWidthCols })).status;
    for (const columns of [48, 32]) {
      expect(await narrow(columns)).toBe(200);
      expect(await detail()).toBeUndefined();
    }
    expect(await narrow(64)).toBe(200);
    expect(await detail()).toBe('laid out in 64 columns (printWidthCols), of which this printer has 48');
    const { body } = await node.get('/status');
    expect(body).toMatchObject({ printers: [{ columns: 48, layoutColumns: 64 }] });
  });

  it('neither takes over nor leaves a print area of its own to port 9100', async () => {
    node = await startPrintingNode();
    await node.send('PUT', '/config', { printWidthCols: 32 });
    const right = Buffer.from('\x1ba\x02right\n', 'latin1');
    const columnOf = async (print: () => Promise<unknown>) => {
      node.printer.tearOff();
      await print();
      await until(() => node.printer.paperText().includes('right'));
      return node.printer.paperText().indexOf('right');
    };
    const through9100 = async (bytes: Buffer) => {
      const socket = await node.dial();
      socket.resume().end(bytes);
      await once(socket, 'close');
    };
    await through9100(Buffer.of(0x1d, 0x4c, 100, 0, 0x1d, 0x57, 200, 0));
    expect(await columnOf(() => node.print([text('right', { align: 'right' })]))).toBe(32 - 5);
    expect(await columnOf(() => through9100(right))).toBe(48 - 5);
  });

  it('refuses with render_alloc_failed when the node is short of memory', async () => {
    node = await startPrintingNode();
    node.host.memory = 1000;
    expect(await node.print([text('x')])).toMatchObject({ status: 409, body: { error: 'render_alloc_failed' } });
    const raw = await node.send('POST', '/raw', { type: 'raw', id: 'r', endpoint: 'receipt', data: 'QQ==' });
    expect(raw).toMatchObject({ status: 503, body: { error: 'render_alloc_failed' } });
  });
});
