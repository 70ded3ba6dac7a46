/** The twin's printer is the model that is attached: its paper, its code pages, its device id. */
import { afterEach, describe, expect, it } from 'vitest';
import { characterOf, MAKES, type Make } from '../../../codecs/code-pages.ts';
import { VirtualPrinter } from '../../../plugins/printer/virtual/device.ts';
import { startTestNode, type TestNode } from '../../../runtime/node/testing.ts';
import type { RecipeRow } from '../../../runtime/recipes/row.ts';
import { twinPlugins } from '../../plugins.ts';

let node: TestNode;
afterEach(() => node.stop());

async function start(recipes?: readonly RecipeRow[]) {
  node = await startTestNode({
    plugins: twinPlugins,
    ...(recipes && { recipes }),
    devices: { printer: () => new VirtualPrinter() },
  });
}
async function call<T = Record<string, unknown>>(method: string, path: string, body?: unknown) {
  const response = await fetch(`${node.url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}
const attach = (ids: string, rest: object = {}) => {
  const [vendorId, productId] = ids.split(':');
  return call('POST', '/twin/attach', { device: 'printer', vendorId, productId, ...rest });
};
const print = (lines: readonly object[]) =>
  call('POST', '/print', { type: 'print', id: crypto.randomUUID(), endpoint: 'receipt', lines });
const paper = async (name: string) => (await fetch(`${node.url}/twin/${name}`)).text();
const row = (options: Record<string, unknown>): RecipeRow => ({
  ...{ id: 'acme-0042', vendorId: 'abcd', productId: '0042', make: 'Acme', model: 'X80' },
  ...{ kind: 'printer', codec: 'escpos', options },
});
interface Status {
  readonly printers: readonly { readonly columns?: number; readonly languages?: readonly string[] }[];
}

describe('the paper', () => {
  it.each([
    ['04b8:0e28', 576, 48],
    ['04b8:0202', 512, 42],
    ['6868:0200', 384, 32],
    ['0416:5011', 576, 48],
  ])('of %s is %i dots and %i characters wide', async (ids, dots, columns) => {
    await start();
    await attach(ids);
    expect((await call<Status>('GET', '/status')).body.printers[0]).toMatchObject({ columns });
    await call('DELETE', '/twin/paper');
    await call('PUT', '/config', { printWidthCols: columns });
    await print([{ type: 'rule' }]);
    const text = await paper('paper.txt');
    expect([...(text.split('\n')[0] ?? '')]).toHaveLength(columns);
    expect(await paper('paper')).toContain(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-32 -32 ${dots + 64} `);
  });

  it.each([[{ dots: 420, columns: 35 }], [{ dots: 576, columns: 44 }], [{ dots: 640, columns: 53 }]])(
    'of a row that says %j takes so many characters in a line, and a picture so wide',
    async (options) => {
      await start([row(options)]);
      await attach('abcd:0042');
      await call('DELETE', '/twin/paper');
      const data = Buffer.from(`${'x'.repeat(options.columns + 1)}\n`).toString('base64');
      await call('POST', '/raw', { type: 'raw', id: 'wide', endpoint: 'receipt', data });
      expect(await paper('paper.txt')).toBe(`${'x'.repeat(options.columns)}\nx\n`);
      expect(await paper('paper')).toContain(`viewBox="-32 -32 ${options.dots + 64} `);
    },
  );

  it('is new when another model is attached, and stays while it is the same', async () => {
    await start();
    await attach('6868:0200');
    await print([{ type: 'text', value: 'narrow' }]);
    await attach('6868:0200');
    expect(await paper('paper.txt')).toContain('narrow');
    await attach('04b8:0e28');
    expect(await paper('paper.txt')).not.toContain('narrow');
  });
});

describe('text in the pages of', () => {
  const letters = (make: Make): string[] => {
    const upper = Array.from({ length: 128 }, (_, at) => 0x80 + at);
    const all = new Set(MAKES[make].flatMap(({ page }) => upper.map((byte) => characterOf(page, byte))));
    return [...all].filter((char) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(char) && char !== '\ufffd');
  };

  it.each(Object.keys(MAKES) as Make[])('%s comes out as it went in', async (make) => {
    await start([row({ codePages: make })]);
    await attach('abcd:0042');
    await call('DELETE', '/twin/paper');
    const characters = letters(make);
    const lines = Array.from({ length: Math.ceil(characters.length / 40) }, (_, at) =>
      characters.slice(at * 40, (at + 1) * 40).join(''),
    );
    expect(await print(lines.map((value) => ({ type: 'text', value })))).toMatchObject({ status: 200 });
    expect((await paper('paper.txt')).trimEnd().split('\n')).toEqual(lines);
  });
});

describe('the device id', () => {
  const zebra = 'MFG:Zebra Technologies ;CMD:ZPL;MDL:ZTC GK420d;CLS:PRINTER;';

  it.each([
    ['0a5f:0080', zebra, 'ZPL'],
    ['0519:0003', 'MFG:Star;CMD:STAR;MDL:TSP143 (STR_T-001);CLS:PRINTER;', 'Star'],
  ])('of %s as %j makes a print fail with unsupported_command_set', async (ids, deviceId, language) => {
    await start();
    expect(await attach(ids, { deviceId })).toMatchObject({ status: 200 });
    expect(await print([{ type: 'text', value: 'x' }])).toMatchObject({
      status: 409,
      body: { error: 'unsupported_command_set', detail: expect.stringContaining(language) },
    });
    await attach('04b8:0e28');
    expect(await print([{ type: 'text', value: 'x' }])).toMatchObject({ status: 200 });
  });

  it('says what languages the printer speaks', async () => {
    await start();
    await attach('04b8:0e28', { deviceId: 'MFG:EPSON;MDL:TM-T20III;CMD:ESC/POS,TSPL;' });
    expect((await call<Status>('GET', '/status')).body.printers[0]?.languages).toEqual(['ESC/POS', 'TSPL']);
    await attach('04b8:0e28', { deviceId: '' });
    expect((await call<Status>('GET', '/status')).body.printers[0]?.languages ?? []).toEqual([]);
    await attach('04b8:0e28');
    expect((await call<Status>('GET', '/status')).body.printers[0]?.languages).toEqual(['ESC/POS']);
  });

  it.each([
    ['no fields', 'printer'],
    ['no command set', 'MFG:EPSON;MDL:TM-T20III;'],
    ['another key', 'XMFG:EPSON;MDL:TM-T20III;CMD:ESC/POS;'],
    ['what is not ASCII', 'MFG:EPSÖN;MDL:TM-T20III;CMD:ESC/POS;'],
    ['a line feed', 'MFG:EPSON;\nMDL:TM-T20III;CMD:ESC/POS;'],
    ['more than a printer can answer', `MFG:E;MDL:T;CMD:ESC/POS;DES:${'x'.repeat(1000)};`],
  ])('with %s is refused, and the printer stays what it was', async (_, deviceId) => {
    await start();
    expect(await attach('0a5f:0080', { deviceId })).toMatchObject({ status: 422, body: { error: 'invalid_config' } });
    expect(await print([{ type: 'text', value: 'x' }])).toMatchObject({ status: 200 });
  });

  it('goes with the printer alone', async () => {
    await start();
    const body = { vendorId: '0a5f', productId: '0080', deviceId: zebra };
    expect(await call('POST', '/twin/attach', body)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('deviceId') },
    });
  });
});
