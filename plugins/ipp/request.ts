/** What a request asks for, checked (RFC 8011, 4.1). */
import { type Attributes, type Collection, GROUP, type IppRequest, UNSUPPORTED, type Value } from '../../codecs/ipp.ts';
import type { JobWishes } from './job.ts';
import { CHOICES, COPIES, FINISHING, JOB_TEMPLATE } from './printer-attributes.ts';
import { Refusal, STATUS } from './refusal.ts';

/** Longest name, in octets (RFC 8011, 5.1.3). */
const NAME_OCTETS = 255;
const bad = (message: string) => new Refusal(STATUS.badRequest, message);

/** Throws a Refusal where this is no request that can be understood; gives the attributes of its operation. */
export function operationAttributes({ version, requestId, groups }: IppRequest): Collection {
  if (version.major !== 1 && version.major !== 2)
    throw new Refusal(STATUS.versionNotSupported, 'the versions are 1.1 and 2.0');
  if (requestId <= 0) throw bad('the request id is not positive');
  const [first, ...others] = groups;
  if (first?.tag !== GROUP.operation || others.some(({ tag }) => tag === GROUP.operation))
    throw bad('the group of the operation is not first, or comes twice');
  const names = [...first.attributes.keys()];
  if (names[0] !== 'attributes-charset' || names[1] !== 'attributes-natural-language')
    throw bad('charset and language are not the first attributes');
  const charset = first.attributes.get('attributes-charset')?.[0];
  if (typeof charset !== 'string' || !isCharset(charset))
    throw new Refusal(STATUS.charsetNotSupported, 'the charset is utf-8');
  return first.attributes;
}

/** Whether texts in this charset are read. */
export const isCharset = (name: string): boolean => /^(utf-8|us-ascii)$/i.test(name);

/** The first value of an attribute that is a text; undefined where there is none. Throws a Refusal for another syntax. */
export const wordIn = (from: Collection, name: string): string | undefined => typed(from, name, 'string');
/** As `wordIn`, of a number. */
export const numberIn = (from: Collection, name: string): number | undefined => typed(from, name, 'number');
/** As `wordIn`, of a boolean. */
export const flagIn = (from: Collection, name: string): boolean | undefined => typed(from, name, 'boolean');

interface Types {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}
function typed<Name extends keyof Types>(from: Collection, name: string, type: Name): Types[Name] | undefined {
  const value: unknown = from.get(name)?.[0];
  if (value === undefined) return undefined;
  if (typeof value !== type) throw bad(`${name} has another syntax`);
  return value as Types[Name];
}

/** A name as it is kept: of at most 255 octets, and `fallback` where there is none. */
export function nameIn(from: Collection, name: string, fallback: string): string {
  const word = wordIn(from, name) ?? fallback;
  return word.slice(0, new TextEncoder().encodeInto(word, new Uint8Array(NAME_OCTETS)).read);
}

/** The names that `requested-attributes` has; undefined where a request leaves them out. */
export const requested = (from: Collection): ReadonlySet<string> | undefined => {
  const values = from.get('requested-attributes');
  return values && new Set(values.filter((value): value is string => typeof value === 'string'));
};

/** How a job is printed, and what of it cannot be. */
export interface Checked {
  readonly wishes: JobWishes;
  readonly unsupported: Attributes;
}

/** Reads the attributes of a job. Throws a Refusal where one cannot be met and the client insists (`ipp-attribute-fidelity`). */
export function checkJob(request: IppRequest, operation: Collection): Checked {
  const template: Collection = new Map(
    request.groups.filter(({ tag }) => tag === GROUP.job).flatMap(({ attributes }) => [...attributes]),
  );
  const lacking = [...template]
    .filter(([name, values]) => !values.every((value) => isMet(name, value)))
    .map(([name]) => name);
  if (lacking.length > 0 && flagIn(operation, 'ipp-attribute-fidelity') === true)
    throw new Refusal(STATUS.valuesNotSupported, `not supported: ${lacking.join(', ')}`);
  const met: Collection = new Map([...template].filter(([name]) => !lacking.includes(name)));
  return {
    wishes: {
      copies: numberIn(met, 'copies') ?? 1,
      pages: (met.get('page-ranges') ?? []).filter(isRange),
      cut: met.get('finishings')?.includes(FINISHING.trimAfterPages) === true ? 'page' : 'job',
      optimize: wordIn(met, 'print-content-optimize') ?? 'auto',
    },
    unsupported: Object.fromEntries(lacking.map((name) => [name, UNSUPPORTED])),
  };
}

const isRange = (value: Value): value is { readonly low: number; readonly high: number } =>
  typeof value === 'object' && 'low' in value && value.low >= 1 && value.high >= value.low;

/** Whether an attribute of a job is one that the printer has, with a value that it can do. */
function isMet(name: string, value: Value): boolean {
  const choices = CHOICES.get(name);
  if (choices !== undefined) return choices.some((each) => each === value);
  if (name === 'copies') return typeof value === 'number' && value >= 1 && value <= COPIES;
  if (name === 'page-ranges') return isRange(value);
  if (name === 'media-col') return value instanceof Map;
  return JOB_TEMPLATE.includes(name);
}
