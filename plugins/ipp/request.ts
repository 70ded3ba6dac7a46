/** What a request asks for, checked (RFC 8011, 4.1). */
import {
  type Collection,
  GROUP,
  type IntegerRange,
  type IppAttributes,
  type IppRequest,
  UNSUPPORTED,
  type Value,
  viewOf,
} from '../../codecs/ipp.ts';
import type { Head } from './document.ts';
import type { JobWishes } from './job.ts';
import { isMedia, isSize } from './media.ts';
import { CHOICES, COPIES, FINISHING, JOB_TEMPLATE } from './printer-attributes.ts';
import { IppRefusal, STATUS } from './refusal.ts';

/** Longest name, in octets (RFC 8011, 5.1.3). */
const NAME_OCTETS = 255;
/** job-priority is 1 to 100 (RFC 8011, 5.2.1). */
const MOST_PRIORITY = 100;
const bad = (message: string) => new IppRefusal(STATUS.badRequest, message);

/** Throws an IppRefusal where this is no request that can be understood; gives the attributes of its operation. */
export function operationAttributes({ version, requestId, groups }: IppRequest): Collection {
  if (version.major !== 1 && version.major !== 2)
    throw new IppRefusal(STATUS.versionNotSupported, 'the versions are 1.1 and 2.0');
  if (requestId <= 0) throw bad('the request id is not positive');
  const [first, ...others] = groups;
  if (first?.tag !== GROUP.operation || others.some(({ tag }) => tag === GROUP.operation))
    throw bad('the group of the operation is not first, or comes twice');
  const names = [...first.attributes.keys()];
  if (names[0] !== 'attributes-charset' || names[1] !== 'attributes-natural-language')
    throw bad('charset and language are not the first attributes');
  const charset = firstOf(first.attributes, 'attributes-charset');
  if (typeof charset !== 'string' || !isCharset(charset))
    throw new IppRefusal(STATUS.charsetNotSupported, 'the charset is utf-8');
  return first.attributes;
}

/** Whether texts in this charset are read. */
export const isCharset = (name: string): boolean => /^(utf-8|us-ascii)$/i.test(name);

/** The first value of an attribute that is a text; undefined where there is none. Throws an IppRefusal for another syntax. */
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
  const value: unknown = firstOf(from, name);
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

/** What a job asks for that can be done, and the attributes that cannot. */
export interface Checked {
  readonly wishes: JobWishes;
  readonly unsupported: IppAttributes;
}

/**
 * Reads the attributes of a job for this head. Throws an IppRefusal where one cannot be met and the client insists
 * (`ipp-attribute-fidelity`), and for ranges of pages that do not ascend (RFC 8011, 5.2.7).
 */
export function checkJob(request: IppRequest, operation: Collection, head: Head): Checked {
  const template: Collection = new Map(
    request.groups.filter(({ tag }) => tag === GROUP.job).flatMap(({ attributes }) => [...attributes]),
  );
  const lacking = [...template]
    .filter(([name, values]) => !values.every((value) => isMet(name, value, head)))
    .map(([name]) => name);
  if (lacking.length > 0 && flagIn(operation, 'ipp-attribute-fidelity') === true)
    throw new IppRefusal(STATUS.valuesNotSupported, `not supported: ${lacking.join(', ')}`);
  const met: Collection = new Map([...template].filter(([name]) => !lacking.includes(name)));
  const pages = (met.get('page-ranges') ?? []).filter(isRange);
  if (pages.some(({ low }, n) => n > 0 && low <= pages[n - 1]!.high)) throw bad('the ranges of pages do not ascend');
  return {
    wishes: {
      copies: numberIn(met, 'copies') ?? 1,
      pages,
      cut: met.get('finishings')?.includes(FINISHING.trimAfterPages) === true ? 'page' : 'job',
      optimize: wordIn(met, 'print-content-optimize') ?? 'auto',
    },
    unsupported: Object.fromEntries(lacking.map((name) => [name, UNSUPPORTED])),
  };
}

const isRange = (value: Value): value is IntegerRange =>
  typeof value === 'object' && 'low' in value && value.low >= 1 && value.high >= value.low;

/** Whether an attribute of a job is one that the printer has, with a value that it can do. */
function isMet(name: string, value: Value, head: Head): boolean {
  const choices = CHOICES.get(name);
  if (choices !== undefined) return choices.some((each) => each === value);
  switch (name) {
    case 'copies':
      return isBetween(value, 1, COPIES);
    case 'job-priority':
      return isBetween(value, 1, MOST_PRIORITY);
    case 'page-ranges':
      return isRange(value);
    case 'media':
      return typeof value === 'string' && isMedia(value, head);
    case 'media-col':
      return value instanceof Map && isColumn(value, head);
    case 'printer-resolution':
      return value instanceof Uint8Array && isResolution(value, head);
    default:
      return JOB_TEMPLATE.includes(name);
  }
}

const isBetween = (value: Value, low: number, high: number): boolean =>
  typeof value === 'number' && value >= low && value <= high;

/** Whether the paper of a media-col is there. What else it says of the paper, its type for example, makes no difference on a roll. */
function isColumn(column: Collection, head: Head): boolean {
  const size = firstOf(column, 'media-size');
  const name = firstOf(column, 'media-size-name');
  if (size instanceof Map) {
    const x = firstOf(size, 'x-dimension');
    const y = firstOf(size, 'y-dimension');
    if (typeof x !== 'number' || typeof y !== 'number' || !isSize({ x, y }, head)) return false;
  }
  return name === undefined || isMet('media', name, head);
}

const firstOf = (from: Collection, name: string): Value | undefined => from.get(name)?.[0];

/** The same number of dots an inch both ways (RFC 8010, 3.9). */
function isResolution(octets: Uint8Array, { dpi }: Head): boolean {
  const view = viewOf(octets);
  return octets.length === 9 && view.getInt32(0) === dpi && view.getInt32(4) === dpi && octets[8] === 3;
}
