import { describe, expect, it } from 'vitest';
import { type CodecDeclaration, defineCodec } from '../../codecs/codec.ts';
import { checkRow, expandMakerFile, type RecipeRow } from '../../runtime/recipes/row.ts';
import { isOfCloud, RecipeTable } from '../../runtime/recipes/table.ts';

const lamp = defineCodec({
  name: 'lamp-1',
  kind: 'lamp',
  says: ['mfg', 'mdl'],
  options: {
    level: { type: 'integer', description: 'brightness', minimum: 1, maximum: 8 },
    hue: { type: 'string', description: 'colour', enum: ['red', 'blue'] },
    dims: { type: 'boolean', description: 'can be dimmed' },
    scenes: { type: 'array', description: 'scenes', items: { type: 'string', enum: ['day', 'night'] } },
  },
  decisive: { level: 4, dims: true },
});
const codecs = new Map<string, CodecDeclaration>([
  [lamp.name, lamp],
  ['lamp-2', { ...lamp, name: 'lamp-2' }],
]);
const row = (over: Partial<RecipeRow> = {}): RecipeRow => ({
  id: 'lamp',
  vendorId: '1234',
  productId: '0001',
  make: 'Acme',
  model: 'Lamp',
  kind: 'lamp',
  codec: 'lamp-1',
  options: {},
  ...over,
});
const refusing = (over: Partial<RecipeRow> = {}): RecipeRow => {
  const { codec: _codec, ...rest } = row({ refuse: 'Morse', ...over });
  return rest;
};
const device = { vendorId: '1234', productId: '0001' };

describe('a tier', () => {
  it('answers with the most specific row, the longest match first', () => {
    const table = new RecipeTable([
      row({ id: 'vendor', productId: '*' }),
      row({ id: 'vendor-match', productId: '*', match: { mfg: 'acme' } }),
      row({ id: 'product' }),
      row({ id: 'match', match: { mdl: 'LX' } }),
      row({ id: 'longer', match: { mdl: 'lx-9' } }),
    ]);
    const other = { vendorId: '1234', productId: '0002' };
    expect(table.resolve(device, { mfg: 'ACME', mdl: 'LX-90' })?.row.id).toBe('longer');
    expect(table.resolve(device, { mdl: 'LX-1' })?.row.id).toBe('match');
    expect(table.resolve(device, { mfg: 'ACME' })?.row.id).toBe('product');
    expect(table.resolve(other, { mfg: 'Acme Ltd' })?.row.id).toBe('vendor-match');
    expect(table.resolve(other)?.row.id).toBe('vendor');
    expect(table.resolve({ vendorId: '4321', productId: '0001' })).toBeUndefined();
  });

  it('answers with the first of two rows whose matches are equally long', () => {
    const rows = [row({ id: 'first', match: { mdl: 'LX' } }), row({ id: 'second', match: { mdl: 'X9' } })];
    expect(new RecipeTable(rows).resolve(device, { mdl: 'LX9' })?.row.id).toBe('first');
    expect(new RecipeTable(rows.toReversed()).resolve(device, { mdl: 'LX9' })?.row.id).toBe('second');
  });

  it('is asked by the hexadecimal numbers of the device', () => {
    const table = new RecipeTable([
      row({ id: 'product', vendorId: '0c2e', productId: '0b87' }),
      row({ id: 'vendor', vendorId: '0c2e', productId: '*' }),
    ]);
    expect(table.resolve({ vendorId: '0c2e', productId: '0b87' })?.row.id).toBe('product');
    expect(table.resolve({ vendorId: '0c2e', productId: '0b88' })?.row.id).toBe('vendor');
    for (const vendorId of ['0c2f', '8c2e']) expect(table.resolve({ vendorId, productId: '0b87' })).toBeUndefined();
  });

  it('reads the rows of an image for the vendors of the devices that came, once', () => {
    const read: string[] = [];
    const table = new RecipeTable((vendorId) => {
      read.push(vendorId);
      return [row({ id: 'product', vendorId }), row({ id: 'vendor', vendorId, productId: '*' })];
    });
    expect(read).toEqual([]);
    for (const [productId, id] of [
      ['0001', 'product'],
      ['0002', 'vendor'],
    ] as const)
      expect(table.resolve({ vendorId: '0C2E', productId })?.row.id).toBe(id);
    expect(table.own(device)?.row.id).toBe('product');
    expect(read).toEqual(['0c2e', '1234']);
  });

  it('goes on with the next row for a device that could not be driven by one, until it is plugged in again', () => {
    const table = new RecipeTable([row({ id: 'product' }), row({ id: 'vendor', productId: '*' })]);
    const [first, second] = [table.resolve(device)?.row, { ...device }];
    if (first) table.passOver(device, first, 'it was silent');
    expect(table.resolve(device)?.row.id).toBe('vendor');
    expect(table.passedOver(device)).toEqual([{ row: first, reason: 'it was silent' }]);
    expect([table.resolve(second)?.row.id, table.passedOver(second)]).toEqual(['product', []]);
  });

  it('passes over a row that needs a device id until the device id speaks', () => {
    const table = new RecipeTable([row({ requires: 'device-id' }), refusing({ id: 'no', productId: '*' })]);
    expect(table.resolve(device)?.row.id).toBe('no');
    expect(table.resolve(device, { mdl: 'LX' })?.row.id).toBe('no');
    expect(table.resolve(device, { codec: 'lamp-1' })?.row.id).toBe('lamp');
    expect(table.resolve({ ...device, productId: '0002' }, { codec: 'lamp-1' })).toBeUndefined();
  });
});

describe('tiers', () => {
  const derived = { row: row({ id: 'derived' }) };

  it('stand in the order cloud, cached, compiled in, derived', () => {
    const table = new RecipeTable([row({ id: 'builtin' })], codecs);
    const tier = () => {
      const resolution = table.resolve(device, {}, derived);
      expect(isOfCloud(resolution)).toBe(resolution?.tier === 'cloud' || resolution?.tier === 'cached');
      return resolution?.tier;
    };
    expect(table.resolve({ ...device, vendorId: '4321' }, {}, derived)).toEqual({ row: derived.row, tier: 'derived' });
    expect(tier()).toBe('builtin');
    table.replace('cached', [row({ id: 'cached', productId: '*' })]);
    expect(tier()).toBe('cached');
    table.replace('cloud', [row({ id: 'cloud', productId: '*' })]);
    expect(tier()).toBe('cloud');
    table.replace('cloud', []);
    table.replace('cached', []);
    expect(tier()).toBe('builtin');
  });

  it.each(['cloud', 'cached'] as const)('tell of a %s row that chose another codec', (tier) => {
    const table = new RecipeTable([], codecs);
    table.replace(tier, [row({ codec: 'lamp-2' })]);
    expect(table.resolve(device, {}, derived)?.disagreement).toEqual({
      derived: { codec: 'lamp-1', kind: 'lamp' },
      row: { id: expect.any(String), codec: 'lamp-2', kind: 'lamp' },
      followed: true,
      reason: expect.any(String),
    });
    expect(table.resolve(device)).not.toHaveProperty('disagreement');
  });

  it('tell of no disagreement where rows agree, or are compiled in', () => {
    const table = new RecipeTable([row({ codec: 'lamp-2' })], codecs);
    expect(table.resolve(device, {}, derived)).toEqual({ row: row({ codec: 'lamp-2' }), tier: 'builtin' });
    table.replace('cloud', [row({ options: { level: 2 } })]);
    expect(table.resolve(device, {}, derived)).not.toHaveProperty('disagreement');
  });
});

describe('a cloud row for a device that the image has a row for', () => {
  const resolved = (own: RecipeRow['options'], cloud: RecipeRow['options'], match?: RecipeRow['match']) => {
    const table = new RecipeTable([row({ id: 'own', options: own, ...(match && { match }) })], codecs);
    table.replace('cached', [row({ id: 'theirs', options: cloud })]);
    return table.resolve(device, { mdl: 'LX-9' }, { row: row({ id: 'derived' }) });
  };

  it.each([[undefined], [{ mdl: 'LX' }]])(
    'says which options that decide what comes out it changes (match %o)',
    (match) => {
      expect(resolved({ dims: false }, { level: 1, hue: 'red' }, match)).toMatchObject({
        ...{ row: { id: 'theirs' }, tier: 'cached' },
        disagreement: {
          builtin: { id: 'own', codec: 'lamp-1', kind: 'lamp', options: { level: 4, dims: false } },
          row: { id: 'theirs', codec: 'lamp-1', kind: 'lamp', options: { level: 1, dims: true } },
          followed: true,
        },
      });
    },
  );

  it('says nothing where it means the same, or differs in what does not come out', () => {
    expect(resolved({ level: 4 }, { dims: true, hue: 'blue' })).not.toHaveProperty('disagreement');
  });
});

describe('rows from outside', () => {
  it('are refused one by one, by index, id and field', () => {
    const table = new RecipeTable([], codecs);
    const { options: _options, ...bare } = row({ id: 'fifth', productId: '0005' });
    const rows = [row(), row({ id: 'two', codec: 'steam' }), 7, row({ id: 'three' }), row({ productId: '2' }), bare];
    expect(table.replace('cloud', rows)).toEqual({
      accepted: 2,
      refused: [
        { index: 1, id: 'two', reason: 'codec: this image has no "steam"' },
        { index: 2, reason: 'row: must be an object' },
        { index: 3, id: 'three', reason: 'productId: another row has the same ids and match' },
        { index: 4, id: 'lamp', reason: 'productId: must be four lower-case hexadecimal digits, or *' },
      ],
    });
    expect(table.resolve({ vendorId: '1234', productId: '0005' })?.row.options).toEqual({});
  });

  it('are refused where they say again the id of an earlier one, of whatever device', () => {
    const rows = [row(), row({ productId: '0002' }), row({ id: 'other', productId: '0003' })];
    expect(new RecipeTable([], codecs).replace('cloud', rows)).toEqual({
      accepted: 2,
      refused: [{ index: 1, id: 'lamp', reason: 'id: another row has it' }],
    });
  });

  it('are refused without an id where theirs is none, with 64 characters of a longer one, and where their match differs by capitals alone', () => {
    const rows = [
      null,
      { ...row(), id: 7 },
      row({ id: 'x'.repeat(65) }),
      row({ match: { mdl: 'LX' } }),
      row({ id: 'same', match: { mdl: 'lx' } }),
    ];
    expect(new RecipeTable([], codecs).refused(rows)).toEqual([
      { index: 0, reason: 'row: must be an object' },
      { index: 1, reason: expect.stringMatching(/^id: /) },
      { index: 2, id: 'x'.repeat(64), reason: expect.stringMatching(/^id: /) },
      { index: 4, id: 'same', reason: 'productId: another row has the same ids and match' },
    ]);
  });

  it.each([null, [], 'LX', 7])('are refused by their number where match is %j, and the others stand', (match) => {
    const rows = [row(), { ...row({ id: 'two', productId: '0002' }), match }];
    expect(new RecipeTable([], codecs).replace('cloud', rows)).toEqual({
      accepted: 1,
      refused: [{ index: 1, id: 'two', reason: 'match: must be an object' }],
    });
  });

  it('are bounded in number', () => {
    const many = Array.from({ length: 20_001 }, (_, n) => row({ id: `n${n}`, match: { mdl: `m${n}` } }));
    const { accepted, refused } = new RecipeTable([], codecs).replace('cloud', many);
    expect([accepted, refused.map(({ index }) => index)]).toEqual([20_000, [20_000]]);
    const all = new RecipeTable([], codecs).replace('cloud', many.slice(0, 20_000));
    expect(all).toEqual({ accepted: 20_000, refused: [] });
  });

  it.each<[string, object]>([
    ['colour: is no field', { colour: 'red' }],
    ['__proto__: is no field', JSON.parse('{"__proto__": {}}')],
    ['id: ', { id: 'A lamp' }],
    ['vendorId: ', { vendorId: '04B8' }],
    ['model: ', { model: '' }],
    ['source: ', { source: 'x'.repeat(301) }],
    ['kind: codec lamp-1 drives a lamp', { kind: 'fan' }],
    ['codec: a row has either', { refuse: 'Morse' }],
    ['codec: a row has either', { codec: undefined }],
    ['options: must be an object', { options: [] }],
    ['options.level: must be an integer from 1 to 8', { options: { level: 9 } }],
    ['options.level: must be an integer', { options: { level: '4' } }],
    ['options.hue: must be one of red, blue', { options: { hue: 'green' } }],
    ['options.dims: must be a boolean', { options: { dims: 1 } }],
    ['options.scenes: must be a list of day, night', { options: { scenes: ['noon'] } }],
    ['options.bytes: codec lamp-1 declares no such option', { options: { bytes: '1b40' } }],
    ['options.constructor: codec lamp-1 declares no such option', { options: { constructor: 1 } }],
    ['match: must have any of mfg, mdl', { match: { serial: '1' } }],
    ['match: its strings must be text', { match: { mdl: '' } }],
    ['requires: must be device-id', { requires: 'luck' }],
    ['requires: has no meaning', { codec: undefined, refuse: 'Morse', requires: 'device-id' }],
    ['options: a row that refuses sets none', { codec: undefined, refuse: 'Morse', options: { level: 1 } }],
  ])('"%s" names the field at fault', (reason, fault) => {
    const entries = [...Object.entries(row()), ...Object.entries(fault)];
    expect(checkRow(Object.fromEntries(entries), codecs)).toMatch(new RegExp(`^${reason.replace('.', '\\.')}`));
  });
});

describe('a maker file', () => {
  it('gives its maker to rows that name none', () => {
    const { make: _make, options: _options, ...short } = row();
    const [first, second] = expandMakerFile({ maker: 'Acme', rows: [short, { ...short, make: 'Other' }] });
    expect([first, second?.make]).toEqual([row(), 'Other']);
  });
});
