/** Checks a value against a schema, and says what is wrong in the words in which the node refuses it. */
import { defined } from '../../base/defined.ts';
import { type Schema, variantOf } from './schema.ts';

export interface Fault {
  /** Keys and indexes joined with `/`. */
  readonly path: string;
  readonly message: string;
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
  const wrong = (message: string, key?: string) => faults.push({ path, message, ...defined({ key }) });
  const { type, discriminator, anyOf } = schema;
  if (type !== undefined && !isOf(type, value)) wrong(`must be ${type}`);
  else if (schema.const !== undefined && value !== schema.const) wrong(`must be ${JSON.stringify(schema.const)}`);
  else if (anyOf?.every((choice) => choice.const !== value)) {
    const like = anyOf[0]?.type;
    if (like !== undefined && !isOf(like, value)) wrong(`must be ${like}`);
    else wrong(`must be ${anyOf.map((choice) => JSON.stringify(choice.const)).join(' or ')}`);
  } else if (discriminator !== undefined) {
    const { propertyName } = discriminator;
    const tag = (value as Values)[propertyName];
    const variant = variantOf(schema, tag);
    if (variant !== undefined) check(variant, value, path, faults);
    else if (typeof tag === 'string') wrong(`has an unknown ${propertyName} "${tag.slice(0, 64)}"`, propertyName);
    else wrong(tag === undefined ? `must have required property '${propertyName}'` : `needs a ${propertyName}`);
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

type Wrong = (message: string, key?: string) => void;

function checkNumber({ minimum, maximum }: Schema, value: number, wrong: Wrong): void {
  if (maximum !== undefined && value > maximum) wrong(`must be <= ${maximum}`);
  if (minimum !== undefined && value < minimum) wrong(`must be >= ${minimum}`);
}

function checkString({ minLength = 0, maxLength, pattern }: Schema, value: string, wrong: Wrong): void {
  const { length } = [...value];
  if (maxLength !== undefined && length > maxLength) wrong(`must NOT have more than ${maxLength} characters`);
  if (length < minLength) wrong(`must NOT have fewer than ${minLength} characters`);
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) wrong(`must match pattern "${pattern}"`);
}

function checkArray(
  { minItems = 0, maxItems, items = {} }: Schema,
  value: readonly unknown[],
  path: string,
  faults: Fault[],
  wrong: Wrong,
): void {
  if (maxItems !== undefined && value.length > maxItems) wrong(`must NOT have more than ${maxItems} items`);
  if (value.length < minItems) wrong(`must NOT have fewer than ${minItems} items`);
  for (const [index, item] of value.entries()) check(items, item, `${path}/${index}`, faults);
}

function checkObject(schema: Schema, value: Values, path: string, faults: Fault[], wrong: Wrong): void {
  const { properties = {}, required = [], additionalProperties } = schema;
  for (const key of required) {
    if (!Object.hasOwn(value, key)) wrong(`must have required property '${key}'`);
  }
  for (const key of Object.keys(value)) {
    if (additionalProperties === false && !Object.hasOwn(properties, key)) {
      wrong(`has an unknown key "${key.slice(0, 64)}"`, key);
    }
  }
  for (const [key, property] of Object.entries(properties)) {
    if (Object.hasOwn(value, key)) check(property, value[key], `${path}/${key}`, faults);
  }
}
