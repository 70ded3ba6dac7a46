/** Completion in the editor: keys and values by the schema, also while the text is not valid JSON yet. */
import { type Range, tokensOf } from '../../base/json-places.ts';
import { choicesOf, leastOf, type Schema, variantOf, wordsFor } from './schema.ts';

/** One entry of the list: `insert` replaces the completed range. */
export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  readonly insert: string;
}

/** The range that a suggestion replaces, and the suggestions. */
export interface Completion extends Range {
  readonly suggestions: readonly Suggestion[];
}

/** An object or array that the caret may be in. */
interface Frame {
  readonly kind: '{' | '[';
  readonly parent: Frame | undefined;
  /** The key of the parent that it is the value of. */
  readonly at: string | undefined;
  /** Scalar values of the frame before the caret, by key. */
  readonly values: Map<string, unknown>;
  key: string | undefined;
  expects: 'key' | 'colon' | 'value' | 'comma';
}

/** The position of the caret: its frame, what is expected there, and the text already written. */
interface Spot extends Range {
  readonly frame: Frame | undefined;
  readonly key: string | undefined;
  readonly expects: 'key' | 'value';
  readonly written: string;
  /** A colon follows: only the key itself is replaced. */
  readonly colon: boolean;
}

/** The suggestions at the caret (an index into the text); undefined if there are none. */
export function complete(schema: Schema, text: string, caret: number): Completion | undefined {
  const spot = spotAt(text, caret);
  if (spot === undefined) return undefined;
  const offered = spot.expects === 'key' ? keysFor(schema, spot) : valuesFor(schema, spot);
  const written = spot.written.replace(/^"/, '').toLowerCase();
  const suggestions = offered.filter(({ label }) => label.toLowerCase().startsWith(written));
  return suggestions.length === 0 ? undefined : { from: spot.from, to: spot.to, suggestions };
}

function spotAt(text: string, caret: number): Spot | undefined {
  let frame: Frame | undefined;
  let spot: Spot | undefined;
  let done = false;
  const look = ({ from, to }: Range): void => {
    done = true;
    const expects = frame?.expects ?? 'value';
    if (expects !== 'key' && expects !== 'value') return;
    spot = {
      frame,
      key: frame?.key,
      expects,
      written: text.slice(from, caret),
      colon: /^\s*:/.test(text.slice(to)),
      from,
      to,
    };
  };
  for (const token of tokensOf(text)) {
    const { text: word, from } = token;
    const sign = /^[{}[\],:]$/.test(word);
    const ended = sign || /^"(?:[^"\\]|\\.)*"$/.test(word);
    if (!done && caret <= from) look({ from: caret, to: caret });
    // At the end of a string that has its closing quote nothing more is written.
    else if (!done && !sign && (ended && word.startsWith('"') ? caret < token.to : caret <= token.to)) {
      look({ from, to: ended ? token.to : word.startsWith('"') ? caret : token.to });
    }
    frame = after(frame, word);
  }
  if (!done) look({ from: caret, to: caret });
  return spot;
}

/** The innermost frame once `word` was read. */
function after(frame: Frame | undefined, word: string): Frame | undefined {
  switch (word) {
    case '{':
    case '[':
      return {
        kind: word,
        parent: frame,
        at: frame?.key,
        values: new Map(),
        key: undefined,
        expects: word === '{' ? 'key' : 'value',
      };
    case '}':
    case ']':
      if (frame?.parent) frame.parent.expects = 'comma';
      return frame?.parent;
    case ',':
      if (frame) Object.assign(frame, { key: undefined, expects: frame.kind === '{' ? 'key' : 'value' });
      return frame;
    case ':':
      if (frame) frame.expects = 'value';
      return frame;
  }
  if (frame?.expects === 'key') {
    const key = readWord(word);
    frame.key = String(key);
    frame.values.set(frame.key, undefined);
    frame.expects = 'colon';
  } else if (frame) {
    if (frame.key !== undefined) frame.values.set(frame.key, readWord(word));
    frame.expects = 'comma';
  }
  return frame;
}

function readWord(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return word.replace(/^"/, '');
  }
}

/** The schema of a frame; a union is told apart by what is written of its tag. */
function schemaOf(root: Schema, frame: Frame | undefined): Schema | undefined {
  if (frame === undefined) return root;
  const { parent } = frame;
  const own = parent === undefined ? root : below(schemaOf(root, parent), frame.at);
  if (own?.discriminator === undefined) return own;
  return variantOf(own, frame.values.get(own.discriminator.propertyName)) ?? own;
}

const below = (schema: Schema | undefined, key: string | undefined): Schema | undefined =>
  key === undefined ? schema?.items : schema?.properties?.[key];

function keysFor(root: Schema, { frame, written, colon }: Spot): Suggestion[] {
  const schema = schemaOf(root, frame);
  const properties: Readonly<Record<string, Schema>> = schema?.discriminator
    ? { [schema.discriminator.propertyName]: { type: 'string' } }
    : (schema?.properties ?? {});
  const current = String(readWord(written));
  return Object.entries(properties)
    .filter(([key]) => key === current || !frame?.values.has(key))
    .map(([key, property]) => ({
      label: key,
      detail: wordsFor(property),
      insert: JSON.stringify(key) + (colon ? '' : ': '),
    }));
}

function valuesFor(root: Schema, { frame, key }: Spot): Suggestion[] {
  const container = schemaOf(root, frame);
  const tag = container?.discriminator?.propertyName;
  if (frame?.kind === '{' && key !== undefined && frame.values.has(key)) {
    const union = frame.parent && below(schemaOf(root, frame.parent), frame.at);
    // Another variant may be chosen too.
    if (union?.discriminator?.propertyName === key) return tagsOf(union).map(plain);
  }
  if (tag !== undefined && key === tag) return tagsOf(container ?? {}).map(plain);
  const schema = frame === undefined ? root : below(container, key);
  if (schema === undefined) return [];
  if (schema.oneOf !== undefined) {
    return schema.oneOf.map((variant) => ({
      label: String(variant.properties?.[schema.discriminator?.propertyName ?? '']?.const),
      detail: Object.keys(variant.properties ?? {}).join(', '),
      insert: written(leastOf(variant)),
    }));
  }
  const choices = choicesOf(schema);
  if (choices !== undefined) return choices.map(plain);
  return [{ label: written(leastOf(schema)), detail: wordsFor(schema), insert: written(leastOf(schema)) }];
}

const tagsOf = ({ oneOf = [], discriminator }: Schema): unknown[] =>
  oneOf.map(({ properties }) => properties?.[discriminator?.propertyName ?? '']?.const);

const plain = (value: unknown): Suggestion => ({ label: String(value), detail: '', insert: JSON.stringify(value) });

/** JSON on one line, with spaces to read it by. */
const written = (value: unknown): string => JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
