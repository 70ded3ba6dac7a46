import { describe, expect, it } from 'vitest';
import { checkRecipes } from '../../runtime/recipes/check.ts';
import { codecs } from './files.ts';

const row = (over: object = {}) => ({
  ...{ id: 'acme-scan', vendorId: '1234', productId: '0001', model: 'Scan', kind: 'scanner', codec: 'hid-pos' },
  ...{ confidence: 'high', source: 'measured' },
  ...over,
});
/** One row on lines 4 to 13 (its keys from line 5 on), as JSON.stringify writes it. */
const file = (...rows: unknown[]) => ({
  path: 'recipes/acme.json',
  text: JSON.stringify({ maker: 'Acme', rows }, null, 2),
});
const second = (over: object) => row({ id: 'acme-second', productId: '0002', ...over });

describe('checking a recipe file', () => {
  it('finds nothing in a good one', () => {
    expect(checkRecipes([file(row(), second({}))], codecs)).toEqual([]);
  });

  it.each([
    ['an unknown field', { colour: 'red' }, 13, 'colour'],
    ['a wrong product id', { productId: '00A1' }, 7, 'productId'],
    ['an unknown codec', { codec: 'morse' }, 10, 'codec'],
    ['a codec of another kind', { kind: 'scale' }, 9, 'kind'],
    ['an option that the codec lacks', { options: { columns: 48 } }, 14, 'options.columns'],
    ['an option outside its values', { options: { symbologyByte: 'zebra' } }, 14, 'options.symbologyByte'],
    ['no source', { source: undefined }, 4, 'source'],
    ['no confidence', { confidence: undefined }, 4, 'confidence'],
    ['a refusal that nobody named', { codec: undefined, refuse: 'Morse' }, 12, 'refuse'],
    ['a printer language a scanner is refused for', { codec: undefined, refuse: 'ZPL' }, 12, 'refuse'],
    ['a keyboard for a whole vendor', { productId: '*', codec: 'hid-keyboard' }, 4, 'requires'],
  ])('names the file, line and field of %s', (_, fault, line, field) => {
    expect(checkRecipes([file(row(fault))], codecs)).toEqual([
      { path: 'recipes/acme.json', line, row: 'acme-scan', field, reason: expect.stringMatching(/\w/) },
    ]);
  });

  it.each([
    ['an id', second({ id: 'acme-scan' }), 'id'],
    ['ids and match', row({ id: 'acme-second' }), 'productId'],
    ['its place', second({ productId: '0000' }), 'vendorId'],
  ])('names the later of two rows that dispute %s', (_, later, field) => {
    expect(checkRecipes([file(row(), later)], codecs)).toEqual([expect.objectContaining({ row: later.id, field })]);
  });

  it('takes a row for a whole vendor where the codec declares that descriptors tell its devices', () => {
    const rows = file({ ...row({ productId: '*', kind: 'display', codec: 'pole' }) });
    const pole = { name: 'pole', kind: 'display', options: {} };
    const faultsWith = (codec: typeof pole) => checkRecipes([rows], new Map([[codec.name, codec]]));
    expect(faultsWith(pole)).toMatchObject([{ field: 'requires' }]);
    expect(faultsWith({ ...pole, ...{ toldByDescriptor: true } })).toEqual([]);
  });

  it('finds rows that two files have in common', () => {
    const other = { ...file(row()), path: 'recipes/other.json' };
    expect(checkRecipes([file(row()), other], codecs)).toEqual([
      expect.objectContaining({ path: 'recipes/other.json', field: 'id', reason: 'a row of recipes/acme.json has it' }),
    ]);
  });

  it.each([
    ['[]', 'file', 1],
    ['{"maker": "Acme",\n"rows": [{"id": }]}', 'file', 2],
    ['{"maker": "Acme",\n"rows": [\n', 'file', 3],
    ['{"maker": "Acme",\n\n@', 'file', 3],
    ['{"maker": 7,\n"rows": []}', 'maker', 1],
    ['{"maker": "Acme", "rows": [],\n"more": 1}', 'more', 2],
    ['{"maker": "Acme", "rows": [\n7]}', 'row', 2],
  ])('finds the fault in %j', (text, field, line) => {
    expect(checkRecipes([{ path: 'a.json', text }], codecs)).toEqual([expect.objectContaining({ field, line })]);
  });
});
