/**
 * The language of filters: terms with spaces between them, which all must fit. A term is `key:value`, `key:a,b` (either),
 * or a word that is looked for in id, names, site and address; `-` in front turns it around, quotes hold spaces, and `*`
 * stands for any characters. Keys: id, name, site, tag, state, variant, version (also `version:<0.2.0`), muted.
 */
import type { Parameter } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { orderOf } from '../ingest/version-order.ts';
import { STATES } from './contract.ts';

/** Terms of one filter; more is a list that should be a tag. */
const TERMS = 32;
/** A piece with its quotes: `-`, key and values, or a word. */
const TERM = /^(-?)(?:([a-z]+):)?((?:"[^"]*"|[^\s"])+)$/i;
const VERSION = /^(<=?|>=?)(\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[\w.-]{1,16})?)$/;

/** The name of a node: what an operator gave it, else what it calls itself. */
export const NAME = 'coalesce(node.name, node.said_name)';

/** Puts a value among the parameters, and gives its place in the statement. */
type Bind = (value: Parameter) => string;
type Fits = (value: string, bind: Bind) => string;

const text =
  (column: string): Fits =>
  (value, bind) =>
    value.includes('*') ? `${column} LIKE ${bind(patternOf(value))}` : `${column} = ${bind(value)}`;
/**
 * Neither true nor unknown where that is unknown. Of such a condition the planner takes it that half fits; of a pattern that it cannot
 * look up in its statistics, a two-hundredth: then it sorts those by what they are counted by, which for a million takes two seconds.
 */
const orFalse = (condition: string) => `coalesce(${condition}, false)`;
/** In a LIKE pattern, `\` takes its meaning from the character behind it. */
const literally = (value: string) => value.replace(/[\\%_]/g, '\\$&');
const patternOf = (value: string) => literally(value).replaceAll('*', '%');

/** What each key compares. */
const KEYS: Readonly<Record<string, Fits>> = {
  id: text('node.id'),
  name: (value, bind) => orFalse(text(NAME)(value, bind)),
  // As the index on sites has it, of which there is none for nodes without; and neither true nor unknown for those.
  site(value, bind) {
    if (value === '') return 'node.site IS NULL';
    // No site, too, is what stars alone fit.
    if (/^\*+$/.test(value)) return 'true';
    return `(node.site IS NOT NULL AND ${text('node.site')(value, bind)})`;
  },
  variant: text('node.variant'),
  tag(value, bind) {
    if (!value.includes('*')) return `node.tags @> ARRAY[${bind(value)}::text]`;
    // Most have none, and to look into a list takes longer than all else.
    if (/^\*+$/.test(value)) return "node.tags <> '{}'";
    // Nothing else stands in a tag.
    if (/[^\p{L}\p{N}._*-]/u.test(value)) return 'false';
    // One pattern for all of them: what is asked of a list as of a table, one process alone can answer.
    const tag = value.replaceAll('.', '\\.').replaceAll('*', '[^ ]*');
    return orFalse(`node.tags <> '{}' AND array_to_string(node.tags, ' ') ~ ${bind(`(^| )${tag}( |$)`)}`);
  },
  version(value, bind) {
    const [, sign, version] = VERSION.exec(value) ?? [];
    if (sign !== undefined && version !== undefined) return `node.version_order ${sign} ${bind(orderOf(version))}`;
    if (/^[<>]/.test(value)) throw new Refusal('invalid_request', `filter: ${value} is not a version`);
    return text('node.version')(value, bind);
  },
  state(value, bind) {
    if (value === 'fine') return "node.states = '{}'";
    const state = STATES.find((each) => each === value);
    // As the index on states has it: most nodes have none.
    if (state !== undefined) return `(node.states <> '{}' AND node.states @> ARRAY[${bind(state)}::text])`;
    throw new Refusal('invalid_request', `filter: ${value} is none of the states ${[...STATES, 'fine'].join(', ')}`);
  },
  muted(value) {
    if (value === 'yes') return 'coalesce(node.muted_until > now(), false)';
    if (value === 'no') return 'coalesce(node.muted_until <= now(), true)';
    throw new Refusal('invalid_request', 'filter: muted is yes or no');
  },
};

/** Where words are looked for in the table `node`: what LISTED, which lists and counts read under its name, has made. */
const WORDS = '(SELECT listed.words FROM listed WHERE listed.id = node.id)';
export const LISTED = 'listed AS node';
export const LISTED_WORDS = 'node.words';

/** Splits at the given character, but not within quotes. */
const split = (from: string, at: RegExp) => from.match(at) ?? [];
const unquoted = (from: string) => from.replaceAll('"', '');

/**
 * The condition on the table `node`, or with LISTED_WORDS on LISTED, that a filter comes to, with its values put among `parameters`. '' fits all. Throws the
 * Refusal `invalid_request` that says what is wrong with it.
 */
export function conditionOf(filter: string, parameters: Parameter[], words = WORDS): string {
  const conditions = conditionsOf(filter, parameters, words).map(({ isNot, fits }) => (isNot ? `NOT ${fits}` : fits));
  return conditions.length === 0 ? 'true' : conditions.join(' AND ');
}

/** One term: what fits it, or where it begins with a minus, what does not. */
interface Condition {
  readonly isNot: boolean;
  readonly fits: string;
}

/** The conditions of its terms one by one; as `conditionOf`. */
export function conditionsOf(filter: string, parameters: Parameter[], words = WORDS): readonly Condition[] {
  // Of LIKE, and not of strpos, the planner knows that most words are rare.
  const word: Fits = (value, bound) => `${words} LIKE fold(${bound(`%${literally(value)}%`)})`;
  const bind: Bind = (value) => `$${parameters.push(value)}`;
  return termsOf(filter).map(({ not, key, values }) => ({
    isNot: not !== '',
    fits: key === undefined ? word(unquoted(values), bind) : oneOf(key, values, bind),
  }));
}

/** The keys of its terms; undefined stands for a word. Throws as `conditionOf`. */
export const keysOf = (filter: string): readonly (string | undefined)[] => termsOf(filter).map(({ key }) => key);

interface Term {
  /** `-` or nothing. */
  readonly not: string;
  readonly key: string | undefined;
  readonly values: string;
}
function termsOf(filter: string): Term[] {
  const terms = split(filter.trim(), /(?:"[^"]*"?|[^\s"])+/g);
  if (terms.length > TERMS) throw new Refusal('invalid_request', `filter: more than ${TERMS} terms`);
  return terms.map((term) => {
    const [, not = '', key, values] = TERM.exec(term) ?? [];
    if (values === undefined || /^-?[a-z]+:$/i.test(term) || /^--./.test(term))
      throw new Refusal('invalid_request', `filter: ${term} is no term`);
    // A phone begins with a capital letter.
    return { not, key: key?.toLowerCase(), values };
  });
}

function oneOf(key: string, values: string, bind: Bind): string {
  const fits = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
  if (fits === undefined)
    throw new Refusal(
      'invalid_request',
      `filter: ${key} is none of the keys ${Object.keys(KEYS).join(', ')}; "${key}:${values}" in quotes is a word`,
    );
  const alternatives = split(values, /(?:"[^"]*"|[^,"])+/g).map((value) => fits(unquoted(value), bind));
  if (alternatives.length === 0) throw new Refusal('invalid_request', `filter: ${key}: has no value`);
  return `(${alternatives.join(' OR ')})`;
}
