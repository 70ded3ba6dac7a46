/** What is wrong with the shape of a value has one sentence, which the page reads and says in every language. */
import { describe, expect, it } from 'vitest';
import { tablesIn } from '../../runtime/assembly/page/word-files.ts';
import { createAjv } from '../../runtime/base/ajv.ts';
import { JSON_SENTENCES } from '../../runtime/base/json-places.ts';
import { LANGUAGES } from '../../runtime/base/language.ts';
import {
  KEYWORDS,
  SHAPE_SENTENCES,
  type ShapeFault,
  type ShapeName,
  sentenceOf,
  shapeFaultIn,
} from '../../runtime/base/shape-faults.ts';
import { compose } from '../../runtime/kernel/composition.ts';
import { CORE_ERRORS } from '../../runtime/kernel/core-errors.ts';
import { inputSchemas } from '../../runtime/kernel/schemas.ts';
import { type CompiledValidator, Contract } from '../../runtime/kernel/validator.ts';
import { shapeFault } from '../../runtime/page/kit/shape-faults.ts';
import { twinPlugins } from '../plugins.ts';

const placesOf = (text = ''): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

/** What may stand in the places of a sentence, odd as it comes. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  type: ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'],
  choices: ['"left" or "right"', '2 or 5', 'true', '-1.5', '"a or b"'],
  most: ['255', '0.5', '1e+21'],
  least: ['-3', '0'],
  pattern: ['^x: "$', '^[\\n]{2}$', 'must be array'],
  key: ['value', 'a b', 'é"\n', "it's"],
  value: ['"hologram"', '7', '{"a":"b c"}'],
  keyword: ['multipleOf'],
};

/** A name that is a word, of a property that says which shape it is. */
const isTag = ({ name, places: { key = '' } }: ShapeFault): boolean => name !== 'unknownTag' || /^\w+$/.test(key);

const faultsOf = (name: ShapeName): ShapeFault[] =>
  placesOf(SHAPE_SENTENCES[name])
    .map((place) => place.slice(1, -1))
    .reduce<ShapeFault[]>(
      (faults, place) =>
        faults.flatMap(({ places }) => PLACES[place]!.map((text) => ({ name, places: { ...places, [place]: text } }))),
      [{ name, places: {} }],
    )
    .filter(isTag);

describe('a sentence about the shape of a value', () => {
  const names = Object.keys(SHAPE_SENTENCES) as ShapeName[];

  it.each(names)('is read as it was written: %s', (name) => {
    for (const fault of faultsOf(name)) expect(shapeFaultIn(sentenceOf(fault))).toEqual(fault);
  });

  it('is told from any other', () => {
    for (const other of ['must be it', 'must be "left', 'has an unknown', 'data: is not canonical base64', ''])
      expect(shapeFaultIn(other)).toBeUndefined();
  });

  it.each(names)('has words on the page, with all that stands in it: %s', (name) => {
    for (const fault of faultsOf(name)) {
      const words = shapeFault(fault);
      expect(words).not.toBe(`shape_${name}`);
      if (name !== 'type' && name !== 'choice')
        for (const text of Object.values(fault.places)) expect(words).toContain(text);
    }
  });
});

describe('every keyword of the shapes that a node takes', () => {
  /** Shapes within shapes, and what says nothing of a value. */
  const NEVER = [
    'properties',
    'patternProperties',
    'items',
    'oneOf',
    'anyOf',
    '$id',
    'description',
    'examples',
    'default',
  ];

  function keywordsIn(schema: unknown): string[] {
    if (Array.isArray(schema)) return schema.flatMap(keywordsIn);
    if (typeof schema !== 'object' || schema === null) return [];
    return Object.entries(schema).flatMap(([keyword, value]) => {
      const isNamed = keyword === 'properties' || keyword === 'patternProperties';
      const within = isNamed
        ? Object.values(value as object)
        : ['items', 'oneOf', 'anyOf'].includes(keyword)
          ? value
          : [];
      return [keyword, ...keywordsIn(within)];
    });
  }

  const used = new Set(keywordsIn([...inputSchemas(compose([...twinPlugins], CORE_ERRORS)).values()]));

  it('has a sentence', () => {
    expect([...used].filter((keyword) => !(keyword in KEYWORDS) && !NEVER.includes(keyword))).toEqual([]);
  });

  const tag = { discriminator: { propertyName: 'type' }, required: ['type'] };
  const variant = { properties: { type: { const: 'a' } }, required: ['type'] };
  const REFUSED: Readonly<Record<string, readonly [schema: object, value: unknown, sentence: string]>> = {
    type: [{ type: 'integer' }, 'x', 'must be integer'],
    maximum: [{ type: 'number', maximum: 5 }, 6, 'must be <= 5'],
    minimum: [{ type: 'number', minimum: 5 }, 4, 'must be >= 5'],
    maxUtf8Bytes: [{ type: 'string', maxUtf8Bytes: 3 }, 'éé', 'must be at most 3 UTF-8 bytes'],
    maxLength: [{ type: 'string', maxLength: 1 }, 'ab', 'must NOT have more than 1 characters'],
    minLength: [{ type: 'string', minLength: 1 }, '', 'must NOT have fewer than 1 characters'],
    maxItems: [{ type: 'array', maxItems: 1 }, [1, 2], 'must NOT have more than 1 items'],
    minItems: [{ type: 'array', minItems: 1 }, [], 'must NOT have fewer than 1 items'],
    uniqueItems: [{ type: 'array', uniqueItems: true }, [1, 1], 'must NOT have duplicate items'],
    pattern: [{ type: 'string', pattern: '^a"$' }, 'b', 'must match pattern "^a"$"'],
    required: [{ type: 'object', required: ['a'] }, {}, "must have required property 'a'"],
    additionalProperties: [{ type: 'object', additionalProperties: false }, { b: 1 }, 'has an unknown key "b"'],
    discriminator: [{ type: 'object', ...tag, oneOf: [variant] }, { type: 'b' }, 'has an unknown type "b"'],
    const: [{ const: true }, false, 'must be true'],
    enum: [{ enum: ['a', 'b'] }, 'c', 'must be "a" or "b"'],
  };

  it.each(Object.entries(REFUSED))('says what is wrong by its parameters: %s', (_, [schema, value, sentence]) => {
    const validators = { shape: createAjv({ messages: false }).compile(schema) as CompiledValidator };
    expect(new Contract(validators).fault({ $id: 'shape' }, value)?.message).toBe(sentence);
  });

  it('is tried', () => {
    expect(Object.keys(REFUSED).sort()).toEqual(Object.keys(KEYWORDS).sort());
  });

  it('is named where a room from outside brings another', () => {
    const validators = { shape: createAjv().compile({ type: 'number', multipleOf: 5 }) as CompiledValidator };
    expect(new Contract(validators).fault({ $id: 'shape' }, 7)?.message).toBe('does not keep to its multipleOf');
  });
});

describe.each(Object.keys(LANGUAGES))('in %s', (language) => {
  const words = tablesIn('runtime/page/words')[language] ?? {};

  it.each([
    ['shape', SHAPE_SENTENCES],
    ['json', JSON_SENTENCES],
  ])('each sentence has words of its own, with the same places: %s', (prefix, sentences: Record<string, string>) => {
    const odd = Object.entries(sentences).filter(
      ([name, sentence]) =>
        placesOf(words[`${prefix}_${name}`]).join() !== placesOf(sentence).join() || !words[`${prefix}_${name}`],
    );
    expect(odd).toEqual([]);
  });
});
