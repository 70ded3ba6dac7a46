/**
 * What the node says of a value without the expected shape, and of a text that is no JSON, in words of the page. The node says
 * it in English (`runtime/kernel/validator.ts`, `runtime/base/json-places.ts`), and the page is of the same image. What stands
 * in no row is shown as it came.
 */
import { say } from '../say.ts';

type Row = readonly [said: RegExp, words: (places: Readonly<Record<string, string>>) => string];

const typeOf = (type: string): string => say.find(`type_${type}`) ?? type;
const placeOf = (token: string): string => (token === 'the end' ? say('json_end') : token);

const SHAPES: readonly Row[] = [
  [
    /^must be (?<type>string|integer|number|boolean|array|object)$/,
    ({ type = '' }) => say('shape_type', { type: typeOf(type) }),
  ],
  [/^must be <= (?<most>\S+)$/, ({ most = '' }) => say('shape_most', { most })],
  [/^must be >= (?<least>\S+)$/, ({ least = '' }) => say('shape_least', { least })],
  [/^must be at most (?<most>\d+) UTF-8 bytes$/, ({ most = '' }) => say('shape_mostBytes', { most })],
  [/^must NOT have more than (?<most>\d+) characters$/, ({ most = '' }) => say('shape_mostCharacters', { most })],
  [/^must NOT have fewer than (?<least>\d+) characters$/, ({ least = '' }) => say('shape_leastCharacters', { least })],
  [/^must NOT have more than (?<most>\d+) items$/, ({ most = '' }) => say('shape_mostItems', { most })],
  [/^must NOT have fewer than (?<least>\d+) items$/, ({ least = '' }) => say('shape_leastItems', { least })],
  [/^must match pattern "(?<pattern>.*)"$/s, ({ pattern = '' }) => say('shape_pattern', { pattern })],
  [/^must have required property '(?<key>.*)'$/s, ({ key = '' }) => say('shape_required', { key })],
  [/^needs a (?<key>\S+)$/, ({ key = '' }) => say('shape_required', { key })],
  [/^has an unknown key "(?<key>.*)"$/s, ({ key = '' }) => say('shape_unknownKey', { key })],
  [
    /^has an unknown (?<key>\S+) "(?<value>.*)"$/s,
    ({ key = '', value = '' }) => say('shape_unknownTag', { key, value }),
  ],
  [
    /^must be (?<choices>"[^"]*"|-?\d+|true|false)(?<more>( or ("[^"]*"|-?\d+|true|false))*)$/,
    ({ choices = '', more = '' }) => say('shape_choice', { choices: choices + more.replaceAll(' or ', ', ') }),
  ],
];

const TEXTS: readonly Row[] = [
  [
    /^(?<token>.+) is no JSON value: text stands in quotes$/s,
    ({ token = '' }) => say('json_symbol', { token: placeOf(token) }),
  ],
  [/^a key in quotes is missing before (?<token>.+)$/s, ({ token = '' }) => say('json_key', { token: placeOf(token) })],
  [/^a value is missing before (?<token>.+)$/s, ({ token = '' }) => say('json_value', { token: placeOf(token) })],
  [/^a colon is missing before (?<token>.+)$/s, ({ token = '' }) => say('json_colon', { token: placeOf(token) })],
  [
    /^a comma or (?<end>[\]}]) is missing before (?<token>.+)$/s,
    ({ end = '', token = '' }) => say('json_commaOr', { end, token: placeOf(token) }),
  ],
  [/^a comma is missing before (?<token>.+)$/s, ({ token = '' }) => say('json_comma', { token: placeOf(token) })],
  [/^(?<token>.+) stands after the end$/s, ({ token = '' }) => say('json_after', { token })],
  [/^the quote that ends this is missing$/, () => say('json_quote')],
  [/^(?<token>.+) has an escape that JSON does not know$/s, ({ token = '' }) => say('json_escape', { token })],
  [/^(?<token>.+) has a control character$/s, ({ token = '' }) => say('json_control', { token })],
  [/^(?<token>.+) is no JSON$/s, ({ token = '' }) => say('json_none', { token: placeOf(token) })],
];

/** In words of the page; `message` itself where the node says something else. A path and a colon may stand before it. */
export function shapeFault(message: string): string {
  const [path, rest] = /^([^\s:]+): (.*)$/s.exec(message)?.slice(1) ?? [];
  const shaped = rest === undefined ? undefined : wordsFor(SHAPES, rest);
  if (shaped !== undefined) return `${path}: ${shaped}`;
  return wordsFor(SHAPES, message) ?? message;
}

/** The same of a text that is no JSON. */
export const textFault = (message: string): string => wordsFor(TEXTS, message) ?? message;

function wordsFor(rows: readonly Row[], message: string): string | undefined {
  for (const [said, words] of rows) {
    const found = said.exec(message);
    if (found !== null) return words({ ...found.groups });
  }
  return undefined;
}
