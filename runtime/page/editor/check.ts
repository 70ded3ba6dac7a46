/** Checks a value against a schema, and finds what the node would refuse it for. */
import { defined } from '../../base/defined.ts';
import {
  atLeast,
  atMost,
  isMissing,
  isUnknownKey,
  isUnknownTag,
  mustBe,
  mustBeOneOf,
  type ShapeFault,
} from '../../base/shape-faults.ts';
import { type Schema, variantOf } from './schema.ts';

export interface Fault {
  /** Keys and indexes joined with `/`. */
  readonly path: string;
  readonly shape: ShapeFault;
  /** The key of the object at `path` that the fault is about. */
  readonly key?: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Everything that is wrong; the first is the one that the node would name. */
export function faultsOf(schema: Schema, value: unknown, path = ''): Fault[] {
  const faults: Fault[] = [];
  check(schema, value, path, faults);
  return faults;
}

function check(schema: Schema, value: unknown, path: string, faults: Fault[]): void {
  const wrong = (shape: ShapeFault, key?: string) => faults.push({ path, shape, ...defined({ key }) });
  const { type, discriminator, anyOf } = schema;
  if (type !== undefined && !isOf(type, value)) wrong(mustBe(type));
  else if (schema.const !== undefined && value !== schema.const) wrong(mustBeOneOf([schema.const]));
  else if (anyOf?.every((choice) => choice.const !== value)) {
    const like = anyOf[0]?.type;
    if (like !== undefined && !isOf(like, value)) wrong(mustBe(like));
    else wrong(mustBeOneOf(anyOf.map((choice) => choice.const)));
  } else if (discriminator !== undefined) {
    const { propertyName } = discriminator;
    const tag = (value as Values)[propertyName];
    const variant = variantOf(schema, tag);
    if (variant !== undefined) check(variant, value, path, faults);
    else if (tag === undefined) wrong(isMissing(propertyName));
    else wrong(isUnknownTag(propertyName, tag), propertyName);
  } else if (type === 'string') checkString(schema, value as string, wrong);
  else if (type === 'array') checkArray(schema, value as readonly unknown[], path, faults, wrong);
  else if (type === 'object') checkObject(schema, value as Values, path, faults, wrong);
  else if (type === 'integer' || type === 'number') checkNumber(schema, value as number, wrong);
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  // The names of JSON Schema are those of typeof here.
  return typeof value === type;
}

type Wrong = (shape: ShapeFault, key?: string) => void;

function checkNumber({ minimum, maximum }: Schema, value: number, wrong: Wrong): void {
  if (maximum !== undefined && value > maximum) wrong(atMost('most', maximum));
  if (minimum !== undefined && value < minimum) wrong(atLeast('least', minimum));
}

function checkString({ minLength = 0, maxLength, pattern }: Schema, value: string, wrong: Wrong): void {
  const { length } = [...value];
  if (maxLength !== undefined && length > maxLength) wrong(atMost('mostCharacters', maxLength));
  if (length < minLength) wrong(atLeast('leastCharacters', minLength));
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) wrong({ name: 'pattern', places: { pattern } });
}

function checkArray(
  { minItems = 0, maxItems, items = {} }: Schema,
  value: readonly unknown[],
  path: string,
  faults: Fault[],
  wrong: Wrong,
): void {
  if (maxItems !== undefined && value.length > maxItems) wrong(atMost('mostItems', maxItems));
  if (value.length < minItems) wrong(atLeast('leastItems', minItems));
  for (const [index, item] of value.entries()) check(items, item, `${path}/${index}`, faults);
}

function checkObject(schema: Schema, value: Values, path: string, faults: Fault[], wrong: Wrong): void {
  const { properties = {}, required = [], additionalProperties } = schema;
  for (const key of required) {
    if (!Object.hasOwn(value, key)) wrong(isMissing(key));
  }
  for (const key of Object.keys(value)) {
    if (additionalProperties === false && !Object.hasOwn(properties, key)) {
      wrong(isUnknownKey(key), key);
    }
  }
  for (const [key, property] of Object.entries(properties)) {
    if (Object.hasOwn(value, key)) check(property, value[key], `${path}/${key}`, faults);
  }
}
