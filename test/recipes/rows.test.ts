import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAjv } from '../../runtime/base/ajv.ts';
import { checkRecipes } from '../../runtime/recipes/check.ts';
import { codecs, files, makerFiles, read, rows } from './files.ts';

const schema = read('recipe.schema.json');
const languages: { name: string; commandSets: string[]; words: string[] }[] = read('refused.json').languages;

const repeats = (keys: readonly string[]) => keys.filter((key, index) => keys.indexOf(key) !== index);
describe('a maker file', () => {
  const validate = createAjv().compile(schema);

  it.each(makerFiles)('%s is of the schema', (_, file) => {
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
  });

  const good = makerFiles.find(([name]) => name.endsWith('epson.json'))?.[1];
  it.each([
    ['an unknown field', { colour: 'red' }],
    ['an option outside its bounds', { options: { columns: 200 } }],
    ['an option that the codec lacks', { options: { format: 'GS v 0' } }],
    ['a codec beside a refusal', { refuse: 'ZPL' }],
    ['capitals in a product id', { productId: '0E28' }],
    ['an empty match', { match: {} }],
    ['a codec of another kind', { codec: 'hid-scale', options: {} }],
    ['an option of another codec', { options: { noAim: true } }],
  ])('the schema refuses %s', (_, fault) => {
    expect(validate({ ...good, rows: [{ ...good?.rows[0], ...fault }] })).toBe(false);
  });

  it('the schema has each codec that declares options, and of those that it names the options, bounds and all', () => {
    const names: string[] = schema.$defs.row.properties.codec.examples;
    const withOptions = [...codecs.values()].filter(({ options }) => Object.keys(options).length > 0);
    expect(withOptions.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([]);
    for (const name of names) expect(schema.$defs[name].properties).toEqual(codecs.get(name)?.options);
  });
});

describe('a maker file of a room from outside', () => {
  const outside = 'test/third-party/pole-display/recipes';
  it.each(readdirSync(outside))('is of the schema, whatever its codec and the options of that: %s', (name) => {
    const validate = createAjv().compile(schema);
    const file = JSON.parse(readFileSync(join(outside, name), 'utf8'));
    expect(codecs.has(file.rows[0].codec)).toBe(false);
    expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
    const [row] = file.rows;
    for (const codec of [7, '', 'x'.repeat(65)])
      expect([codec, validate({ ...file, rows: [{ ...row, codec }] })]).toEqual([codec, false]);
  });
});

describe('all rows together', () => {
  it('are in order: sorted, of their codec, refused by a known name, each saying its own', () => {
    expect(checkRecipes(files, codecs)).toEqual([]);
  });

  it('name public sources, not numbers of some private index', () => {
    expect(rows.filter(({ source }) => source === undefined || /\d{9,}/.test(source))).toEqual([]);
  });
});

describe('refused.json', () => {
  it('names the languages of section 1 of the specification', () => {
    expect(languages.map(({ name }) => name)).toEqual(expect.arrayContaining(['Star', 'ZPL', 'TSPL', 'EPL2', 'CPCL']));
  });

  it('advises what to do about every mode of a scanner that cannot be read', () => {
    const modes: { name: string; kind: string; advice: string }[] = read('refused.json').modes;
    expect(modes.map(({ name }) => name)).toEqual(expect.arrayContaining(['SNAPI', 'IBM hand-held', 'USB serial']));
    expect(modes.filter(({ advice }) => !/\w/.test(advice))).toEqual([]);
    expect(repeats([...languages, ...modes].map(({ name }) => name))).toEqual([]);
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
