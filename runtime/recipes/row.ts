/** One row of the recipes: its shape, and what is wrong with one that somebody wrote. */

import type { CodecDeclaration, OptionSchema } from '../../codecs/codec.ts';
import { isRecord } from '../base/record.ts';

/** One device. Exactly one of `codec` and `refuse` is set. Every field is explained in recipes/README.md. */
export interface RecipeRow {
  readonly id: string;
  /** Four lower-case hexadecimal digits. */
  readonly vendorId: string;
  /** Four lower-case hexadecimal digits, or `*` for every product of the vendor. */
  readonly productId: string;
  readonly make: string;
  readonly model: string;
  readonly kind: string;
  readonly codec?: string;
  /** Name of the unsupported language or mode because of which the device is refused. */
  readonly refuse?: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** By field of `Said`: a string that the field must contain, ignoring case. */
  readonly match?: Readonly<Record<string, string>>;
  /** `device-id`: the row applies only to a device whose device id names the language of the row's codec. Not with `refuse`. */
  readonly requires?: 'device-id';
  readonly confidence?: 'high' | 'medium' | 'low';
  readonly source?: string;
}

/** A row as it is written in a file: `options` may be left out. */
export type WrittenRow = Omit<RecipeRow, 'options'> & Partial<Pick<RecipeRow, 'options'>>;

/**
 * The rows of a maker file (recipes/README.md) with defaults filled in; not checked, see `checkRow`. Throws on another
 * shape.
 */
export function expandMakerFile(file: {
  readonly maker: string;
  readonly rows: readonly (Omit<WrittenRow, 'make'> & { readonly make?: string })[];
}): RecipeRow[] {
  if (typeof file?.maker !== 'string' || !Array.isArray(file.rows))
    throw new Error('a maker file is {"maker": "...", "rows": [...]}');
  return file.rows.map((row) => ({ make: file.maker, options: {}, ...row }));
}

type Check = (value: unknown) => string | undefined;
const pattern =
  (wanted: RegExp, what: string): Check =>
  (value) =>
    typeof value === 'string' && wanted.test(value) ? undefined : `must be ${what}`;
const text = (longest: number) =>
  pattern(new RegExp(`^[^\\p{Cc}]{1,${longest}}$`, 'u'), `text of 1 to ${longest} characters`);
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : `must be ${values.join(', ')}`;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value);

/** A USB string descriptor holds 126 characters at most. */
const NAME = text(126);

const FIELDS: ReadonlyMap<string, Check> = new Map([
  ['id', pattern(/^[a-z0-9][a-z0-9-]{0,63}$/, '1 to 64 lower-case letters, digits and hyphens')],
  ['vendorId', pattern(/^[0-9a-f]{4}$/, 'four lower-case hexadecimal digits')],
  ['productId', pattern(/^([0-9a-f]{4}|\*)$/, 'four lower-case hexadecimal digits, or *')],
  ['make', NAME],
  ['model', NAME],
  ['kind', pattern(/^[a-z][a-z-]{0,31}$/, 'a device kind')],
  ['codec', optional(text(64))],
  ['refuse', optional(text(64))],
  ['options', optional((value) => (isRecord(value) ? undefined : 'must be an object'))],
  ['match', optional((value) => (isRecord(value) ? undefined : 'must be an object'))],
  ['requires', optional(oneOf('device-id'))],
  ['confidence', optional(oneOf('high', 'medium', 'low'))],
  ['source', optional(text(300))],
]);

/** Codecs that rows may name, by name. */
export type Codecs = ReadonlyMap<string, CodecDeclaration>;
/** What becomes of a row with a codec that is not among those: it is refused, or taken as it is. */
export type OtherCodecs = 'refused' | 'taken';

/** What is wrong with a row, beginning with the field; undefined where it can be used. Never throws. */
export function checkRow(row: unknown, codecs: Codecs, others: OtherCodecs = 'refused'): string | undefined {
  if (!isRecord(row)) return 'row: must be an object';
  const strange = Object.keys(row).find((field) => !FIELDS.has(field));
  if (strange !== undefined) return `${strange.slice(0, 64)}: is no field of a row`;
  for (const [field, check] of FIELDS) {
    const fault = check(row[field]);
    if (fault !== undefined) return `${field}: ${fault}`;
  }
  const { codec, refuse, kind, options = {}, match, requires } = row as unknown as WrittenRow;
  if (codec !== undefined && !codecs.has(codec) && others === 'taken' && refuse === undefined) return undefined;
  const mismatch = match && checkMatch(match, codecs);
  if (mismatch !== undefined) return `match: ${mismatch}`;
  if ((codec === undefined) === (refuse === undefined)) return 'codec: a row has either this or refuse';
  if (codec === undefined) {
    if (requires !== undefined) return 'requires: has no meaning in a row that refuses';
    return Object.keys(options).length > 0 ? 'options: a row that refuses sets none' : undefined;
  }
  const declaration = codecs.get(codec);
  if (declaration === undefined) return `codec: this image has no ${JSON.stringify(codec)}`;
  if (declaration.kind !== kind) return `kind: codec ${codec} drives a ${declaration.kind}`;
  return checkOptions(options, declaration);
}

function checkMatch(match: Readonly<Record<string, unknown>>, codecs: Codecs) {
  const known = [...codecs.values()].flatMap(({ says = [] }) => says);
  const fields = Object.keys(match);
  if (fields.length === 0 || !fields.every((field) => known.includes(field)))
    return `must have any of ${known.join(', ')}`;
  const fault = fields.map((field) => NAME(match[field])).find((found) => found !== undefined);
  return fault && `its strings ${fault}`;
}

function checkOptions(options: RecipeRow['options'], { name, options: declared }: CodecDeclaration) {
  for (const [key, value] of Object.entries(options)) {
    const schema = Object.hasOwn(declared, key) ? declared[key] : undefined;
    if (schema === undefined) return `options.${key.slice(0, 64)}: codec ${name} declares no such option`;
    const fault = checkOption(value, schema);
    if (fault !== undefined) return `options.${key}: must be ${fault}`;
  }
  return undefined;
}

/** What the option must be, where `value` is not that. */
function checkOption(value: unknown, { type, minimum, maximum, enum: values, items }: OptionSchema) {
  if (type === 'array') {
    const fits = (entry: unknown) =>
      typeof entry === 'string' && (items?.enum === undefined || items.enum.includes(entry));
    return Array.isArray(value) && value.every(fits) ? undefined : `a list of ${items?.enum?.join(', ') ?? 'strings'}`;
  }
  if (type === 'integer') {
    const [low, high] = [minimum ?? Number.MIN_SAFE_INTEGER, maximum ?? Number.MAX_SAFE_INTEGER];
    const fits = Number.isInteger(value) && (value as number) >= low && (value as number) <= high;
    return fits ? undefined : `an integer from ${low} to ${high}`;
  }
  if (typeof value !== type) return `a ${type}`;
  return values === undefined || values.includes(String(value)) ? undefined : `one of ${values.join(', ')}`;
}
