import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defineCodec } from '../../codecs/codec.ts';
import { run as assembled } from '../../runtime/assembly/recipes-cli.ts';
import { main } from '../../runtime/recipes/cli.ts';
import { explain } from '../../runtime/recipes/explain.ts';
import { placedRows } from '../../runtime/recipes/files.ts';
import { checkRow } from '../../runtime/recipes/row.ts';
import { codecs, files } from './files.ts';

const run = (args: string[], directory?: string) => {
  const said = { out: '', err: '' };
  const out = (text: string) => {
    said.out += text;
  };
  const err = (text: string) => {
    said.err += text;
  };
  return { code: main(args, { out, err }, { codecs, directory }), ...said };
};
const broken = mkdtempSync(join(tmpdir(), 'tillnode-recipes-'));
writeFileSync(join(broken, 'acme.json'), '{"maker": "Acme", "rows": [\n{"id": "Acme"}\n]}');
afterAll(() => rmSync(broken, { recursive: true }));

describe('npm run recipes', () => {
  it('check says how many rows are in order', () => {
    expect(run(['check'])).toEqual({
      code: 0,
      out: expect.stringMatching(/^\d+ rows in \d+ files are in order\n$/),
      err: '',
    });
  });

  it('check of a plugin from outside takes its own codecs, and names what is no plugin', async () => {
    const said: string[] = [];
    const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
    expect(await assembled(['check', 'test/third-party/pole-display'], output)).toBe(0);
    expect(await assembled(['check', broken], output)).toBe(1);
    expect(said).toEqual(['2 rows in 1 files are in order\n', `${broken}: index.ts is missing\n`]);
  });

  it('explains and drafts rows of a plugin from outside by its own codecs, beside those of the tree', async () => {
    const pole = 'test/third-party/pole-display';
    const assembledSays = async (...args: string[]) => {
      const said: string[] = [];
      const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
      return { code: await assembled([...args, '--with', pole], output), text: said.join('') };
    };
    const own = await assembledSays('explain', '1209:0001');
    expect(own.code).toBe(0);
    expect(own.text).toMatch(
      /example-pole-display \(test\/third-party\/pole-display\/recipes\/example\.json:\d+\) wins/,
    );
    expect(own.text).toContain('driven as a display by pole-display {"columns":20}');
    expect((await assembledSays('explain', '04b8:0e28')).text).toContain('driven as a printer by escpos');
    const drafted = await assembledSays('draft', '1209:0042');
    expect(drafted).toEqual({ code: 0, text: expect.stringMatching(/"kind": "display",\s+"codec": "pole-display"/) });
    expect(drafted.text).toContain(`put it into ${pole}/recipes/example.json`);
  });

  it('check names file, line, row and field of a fault, and ends with 1', () => {
    const { code, out, err } = run(['check'], broken);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/acme\.json:2: row Acme: id: must be /);
  });

  it.each([
    [[]],
    [['colour']],
    [['check', '04b8:0202']],
    [['explain']],
    [['explain', '4b8:202']],
    [['explain', '04b8:0202', 'MFG:X;', 'more']],
    [['draft', '04b8:0202', 'MFG:X;']],
  ])('%j gets the usage and 2', (args) => {
    expect(run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('usage:') });
  });
});

describe('explain', () => {
  it('says which tier and row wins, where it stands and why', () => {
    const { code, out } = run(['explain', '0416:5011', 'MFG:X;MDL:POS58;CMD:ESC/POS;']);
    expect(code).toBe(0);
    expect(out).toMatch(/builtin .*\n.*generic-pos-58-winbond \(recipes\/generic\.json:\d+\) wins: this product, and/);
    expect(out).toContain('driven as a printer by escpos {"columns":32');
  });

  it('says what would change it', () => {
    const { out } = run(['explain', '0416:5011']);
    expect(out).toMatch(/generic-pos-winbond .* wins: this product\n/);
    expect(out).toContain('a device id whose MDL contains "58": generic-pos-58-winbond\n');
    expect(out).toContain('a row of the cloud overlay');
  });

  it('says of a device without a row how it gets one', () => {
    const { code, out } = run(['explain', '1234:5678']);
    expect([code, out]).toEqual([1, expect.stringContaining('npm run new -- recipe 1234:5678\n')]);
  });

  it('says of a refused device how to make it work', () => {
    const { code, out } = run(['explain', '05e0:1900']);
    expect([code, out]).toEqual([0, expect.stringContaining('refused: SNAPI; scan the setup code')]);
  });

  it('says that the device id outweighs every row', () => {
    expect(run(['explain', '04b8:0e28', 'MFG:Zebra;MDL:ZD420;CMD:ZPL;']).out).toContain(
      'refused: ZPL, the only language its device id names',
    );
  });

  it('passes over a row that needs a device id, where there is none', () => {
    const without = run(['explain', '0471:0055']);
    expect(without).toMatchObject({ code: 1, out: expect.stringContaining('a device id that lists ESC/POS') });
    expect(run(['explain', '0471:0055', 'MFG:X;MDL:Y;CMD:ESC/POS;']).code).toBe(0);
  });

  it('names as winner the row that stands first among those that apply, for every device there is', () => {
    const placed = placedRows(files);
    for (const { row } of placed.filter(({ row }) => row.productId !== '*')) {
      const { mfg = 'X', mdl = 'Y' } = row.match ?? {};
      const id = `MFG:${mfg};MDL:${mdl};CMD:${row.refuse === undefined ? 'ESC/POS' : 'OTHER'};`;
      const { lines, row: winner } = explain(row, id, { placed, codecs });
      const standing = lines
        .filter((line) => / \(recipes/.test(line))
        .map((line) => /wins|passed|after/.exec(line)?.[0]);
      expect(standing.find((each) => each !== 'passed')).toBe('wins');
      expect(winner?.id).toBe(row.id);
    }
  });
});

describe('a codec from outside whose language device ids name', () => {
  const labels = defineCodec({
    name: 'zpl-labels',
    kind: 'label-printer',
    says: ['mfg', 'mdl'],
    language: { name: 'ZPL', of: ({ commandSets }) => ({ verdict: commandSets.includes('ZPL') ? 'zpl-labels' : '' }) },
    options: {},
  });
  const row = {
    ...{ id: 'acme-labels', vendorId: '0a5f', productId: '*', make: 'Acme', model: 'Labels', kind: 'label-printer' },
    ...{ codec: 'zpl-labels', options: {}, requires: 'device-id' as const },
  };
  const placed = [...placedRows(files), { row, path: 'outside/recipes/acme.json', line: 4 }];
  const ids = { vendorId: '0a5f', productId: 'fffe' };
  const known = { placed, codecs: new Map([...codecs, [labels.name, labels]]) };

  it('drives what names it, though the tree refuses that language', () => {
    const { lines, row: winner } = explain(ids, 'MFG:Acme;MDL:L1;CMD:ZPL;', known);
    expect([winner?.id, lines]).toEqual(['acme-labels', expect.arrayContaining(['  derived  not asked'])]);
    expect(lines).toContain('driven as a label-printer by zpl-labels {}');
  });

  it('is asked for where the device names another language, or none', () => {
    const { lines, row: winner } = explain(ids, 'MFG:Acme;MDL:L1;CMD:ESC/POS;', known);
    expect(winner).toBeUndefined();
    expect(lines).toContain('  a device id that lists ZPL: acme-labels');
    expect(lines).toContain('  derived  escpos: the device id lists ESC/POS');
    expect(explain(ids, undefined, known).lines).toContain('  a device id that lists ZPL: acme-labels');
  });
});

describe('draft', () => {
  it.each([
    ['04b8:fffe', 'printer', 'escpos'],
    ['1eab:fffe', 'scanner', 'hid-keyboard'],
    ['05e3:fffe', 'hub', 'usb-hub'],
    ['046d:fffe', 'camera', 'mjpeg'],
    ['DEAD:BEEF', 'printer', 'escpos'],
  ])('makes for %s a row that lacks its model alone', (ids, kind, codec) => {
    const { code, out } = run(['draft', ids]);
    const row = JSON.parse(out);
    expect([code, checkRow({ make: 'X', ...row }, codecs)]).toEqual([0, undefined]);
    expect(row).toMatchObject({ vendorId: ids.slice(0, 4).toLowerCase(), kind, codec });
  });

  it('names the row of a product that has one', () => {
    expect(run(['draft', '04b8:0e28'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('epson-tm-t20iii'),
    });
  });
});
