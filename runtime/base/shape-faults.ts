/**
 * The sentences in which a value without the expected shape is refused. Each stands here once: the node writes it, and the
 * page, which is of the same image, knows it again and says it in its own language (`shape_…` of `runtime/page/words`).
 */
import { filled } from './language.ts';

/** `{key}` of `unknownKey` comes before `unknownTag`, which takes any name in its place. */
export const SHAPE_SENTENCES = {
  type: 'must be {type}',
  most: 'must be <= {most}',
  least: 'must be >= {least}',
  choice: 'must be {choices}',
  mostBytes: 'must be at most {most} UTF-8 bytes',
  mostCharacters: 'must NOT have more than {most} characters',
  leastCharacters: 'must NOT have fewer than {least} characters',
  mostItems: 'must NOT have more than {most} items',
  leastItems: 'must NOT have fewer than {least} items',
  twice: 'must NOT have duplicate items',
  pattern: 'must match pattern "{pattern}"',
  required: "must have required property '{key}'",
  unknownKey: 'has an unknown key "{key}"',
  unknownTag: 'has an unknown {key} {value}',
  unmet: 'does not keep to its {keyword}',
} as const;

export type ShapeName = keyof typeof SHAPE_SENTENCES;
type PlacesIn<Words> = Words extends `${string}{${infer Place}}${infer Rest}` ? Place | PlacesIn<Rest> : never;
export type ShapePlace = PlacesIn<(typeof SHAPE_SENTENCES)[ShapeName]>;

/** Which sentence it is, and what stands in its places. */
export interface ShapeFault {
  readonly name: ShapeName;
  readonly places: Readonly<Partial<Record<ShapePlace, string>>>;
}

/** One error of ajv: where (JSON pointer, RFC 6901), which keyword failed, and its parameters. */
export interface AjvFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const LONGEST = 64;
/** A value of JSON as it is written there, and a long one in part. */
const shown = (value: unknown): string =>
  typeof value === 'string' ? `"${value.slice(0, LONGEST)}"` : JSON.stringify(value).slice(0, LONGEST);

/** A value over this bound. `name`: of the sentence, which tells what is bounded. */
export const atMost = (name: ShapeName, most: unknown): ShapeFault => ({ name, places: { most: String(most) } });
/** A value under this bound, as `atMost`. */
export const atLeast = (name: ShapeName, least: unknown): ShapeFault => ({ name, places: { least: String(least) } });
/** A value of another type of JSON Schema than this. */
export const mustBe = (type: string): ShapeFault => ({ name: 'type', places: { type } });
/** A value that is none of these. */
export const mustBeOneOf = (values: readonly unknown[]): ShapeFault => ({
  name: 'choice',
  places: { choices: values.map((value) => JSON.stringify(value)).join(' or ') },
});
/** An object without this key. */
export const isMissing = (key: string): ShapeFault => ({ name: 'required', places: { key } });
/** An object with this key, which its shape has not. */
export const isUnknownKey = (key: string): ShapeFault => ({
  name: 'unknownKey',
  places: { key: key.slice(0, LONGEST) },
});
/** An object whose property `key`, which says what shape it has, has a value that stands for none. */
export const isUnknownTag = (key: string, value: unknown): ShapeFault => ({
  name: 'unknownTag',
  places: { key, value: shown(value) },
});

/** What each keyword of JSON Schema says by its parameters, as ajv gives them. */
export const KEYWORDS: Readonly<Record<string, (params: AjvFault['params']) => ShapeFault>> = {
  type: ({ type }) => mustBe(String(type)),
  maximum: ({ limit }) => atMost('most', limit),
  minimum: ({ limit }) => atLeast('least', limit),
  maxUtf8Bytes: ({ limit }) => atMost('mostBytes', limit),
  maxLength: ({ limit }) => atMost('mostCharacters', limit),
  minLength: ({ limit }) => atLeast('leastCharacters', limit),
  maxItems: ({ limit }) => atMost('mostItems', limit),
  minItems: ({ limit }) => atLeast('leastItems', limit),
  uniqueItems: () => ({ name: 'twice', places: {} }),
  pattern: ({ pattern }) => ({ name: 'pattern', places: { pattern: String(pattern) } }),
  required: ({ missingProperty }) => isMissing(String(missingProperty)),
  additionalProperties: ({ additionalProperty }) => isUnknownKey(String(additionalProperty)),
  discriminator: ({ tag, tagValue }) =>
    tagValue === undefined ? isMissing(String(tag)) : isUnknownTag(String(tag), tagValue),
  const: ({ allowedValue }) => mustBeOneOf([allowedValue]),
  enum: ({ allowedValues }) => mustBeOneOf(allowedValues as readonly unknown[]),
};

/** The fault that ajv found. */
export const shapeFaultOf = ({ keyword, params }: AjvFault): ShapeFault =>
  KEYWORDS[keyword]?.(params) ?? { name: 'unmet', places: { keyword } };

/** As the node says it. */
export const sentenceOf = ({ name, places }: ShapeFault): string => filled(SHAPE_SENTENCES[name], places);

const JSON_CHOICE = '(?:"[^"]*"|-?[\\d.]+|true|false|null)';
/** What may stand in a place where not everything may. */
const EXPRESSIONS: Readonly<Partial<Record<string, string>>> = {
  type: '(?:string|integer|number|boolean|array|object|null)',
  choices: `${JSON_CHOICE}(?: or ${JSON_CHOICE})*`,
  most: '\\S+',
  least: '\\S+',
  keyword: '\\w+',
};
const NAMES = Object.keys(SHAPE_SENTENCES) as ShapeName[];
const READERS = NAMES.map((name) => {
  const places = SHAPE_SENTENCES[name].replaceAll(
    /\{(\w+)\}/g,
    (_, place) => `(?<${place}>${EXPRESSIONS[place] ?? '.*?'})`,
  );
  return [name, new RegExp(`^${places}$`, 's')] as const;
});

/** The fault that such a sentence tells of; undefined of any other text. */
export function shapeFaultIn(sentence: string): ShapeFault | undefined {
  for (const [name, reader] of READERS) {
    const found = reader.exec(sentence);
    if (found !== null) return { name, places: { ...found.groups } };
  }
  return undefined;
}
