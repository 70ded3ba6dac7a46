import { describe, expect, it } from 'vitest';
import { createAjv } from '../../runtime/kernel/ajv.ts';
import { checkRow, type RecipeRow } from '../../runtime/kernel/recipes.ts';
import { codecs, makerFiles, read, rows } from './files.ts';

const schema = read('recipe.schema.json');
const languages: { name: string; commandSets: string[]; words: string[] }[] = read('refused.json').languages;

const repeats = (keys: readonly string[]) => keys.filter((key, index) => keys.indexOf(key) !== index);
/** Vendor id, product id with `*` last, rows with a match before the one without. */
const place = ({ vendorId, productId, match }: RecipeRow) =>
  `${vendorId} ${productId === '*' ? 'z' : productId} ${match === undefined ? 1 : 0}`;

describe('a maker file', () => {
  const validate = createAjv().compile(schema);

  it.each(makerFiles)('%s is of the schema', (_, file) => {
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each(makerFiles)('%s is sorted by vendor id and product id, whole vendors last', (_, file) => {
    const places = file.rows.map(place);
    expect(places).toEqual([...places].sort());
  });

  const good = makerFiles.find(([name]) => name === 'epson.json')?.[1];
  it.each([
    ['an unknown field', { colour: 'red' }],
    ['an option outside its bounds', { options: { columns: 200 } }],
    ['an option that the codec lacks', { options: { format: 'GS v 0' } }],
    ['a codec beside a refusal', { refuse: 'ZPL' }],
    ['capitals in a product id', { productId: '0E28' }],
    ['an empty match', { match: {} }],
  ])('the schema refuses %s', (_, fault) => {
    expect(validate({ ...good, rows: [{ ...good?.rows[0], ...fault }] })).toBe(false);
  });

  it('the schema declares the options of the codec, bounds and all', () => {
    for (const name of schema.$defs.row.properties.codec.enum) {
      expect(schema.$defs[name].properties).toEqual(codecs.get(name)?.options);
    }
  });
});

describe('all rows together', () => {
  it('have ids of their own', () => {
    expect(repeats(rows.map(({ id }) => id))).toEqual([]);
  });

  it('say only one thing of a device', () => {
    expect(repeats(rows.map(({ vendorId, productId, match }) => JSON.stringify([vendorId, productId, match])))).toEqual(
      [],
    );
  });

  it('set only what their codec declares', () => {
    expect(rows.map((row) => [row.id, checkRow(row, codecs)]).filter(([, fault]) => fault !== undefined)).toEqual([]);
  });

  it('refuse only for a language that refused.json names', () => {
    const names = new Set(languages.map(({ name }) => name));
    expect(rows.filter(({ refuse }) => refuse !== undefined && !names.has(refuse))).toEqual([]);
  });

  it('drive nothing by its vendor id alone', () => {
    const careless = rows.filter(
      (row) => row.productId === '*' && row.codec !== undefined && row.requires === undefined,
    );
    expect(careless.map(({ id }) => id)).toEqual([]);
  });

  it('name public sources, not numbers of some private index', () => {
    expect(rows.filter(({ source }) => source === undefined || /\d{9,}/.test(source))).toEqual([]);
  });
});

describe('refused.json', () => {
  it('names the languages of section 1 of the specification', () => {
    expect(languages.map(({ name }) => name)).toEqual(expect.arrayContaining(['Star', 'ZPL', 'TSPL', 'EPL2', 'CPCL']));
  });

  it('gives every name, command set and word to one language', () => {
    for (const part of [
      languages.map(({ name }) => name),
      languages.flatMap(({ commandSets }) => commandSets),
      languages.flatMap(({ words }) => words),
    ]) {
      expect(repeats(part)).toEqual([]);
    }
  });
});
