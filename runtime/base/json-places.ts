/** JSON with places: where each value stands in the text, and where the text is no JSON. */
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { filled } from './language.ts';

export interface Range {
  readonly from: number;
  readonly to: number;
}

export type Parsed =
  /** `place`: of a key of the object at `path`, else of the value there, else of the nearest value around it. */
  | { readonly ok: true; readonly value: unknown; place(path: string, key?: string): Range }
  | { readonly ok: false; readonly fault: JsonFault; readonly message: string; readonly at: Range };

interface Token extends Range {
  readonly text: string;
}

/** Strings (also those that do not end, up to the end of their line), signs and words; what stands between is space. */
export function* tokensOf(text: string): Generator<Token> {
  const scanner = createScanner(text, true);
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const from = scanner.getTokenOffset();
    const to = from + scanner.getTokenLength();
    yield { text: text.slice(from, to), from, to };
  }
}

const STRICT = { disallowComments: true };
const START: Range = { from: 0, to: 0 };

/** A value whose path is `root`; paths below it are joined with `/`. JSON is what JSON.parse takes (RFC 8259). */
export function parse(text: string, root: string): Parsed {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, STRICT);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, ...faultOf(text, errors[0]) };
  }
  const places = new Map<string, Range>();
  const keys = new Map<string, Range>();
  if (tree !== undefined) note(tree, root);
  const at = (path: string): Range =>
    places.get(path) ?? (path === root || path === '' ? START : at(path.slice(0, Math.max(0, path.lastIndexOf('/')))));
  return { ok: true, value, place: (path, key) => keys.get(`${path}/${key}`) ?? at(path) };

  function note(node: Node, path: string): void {
    places.set(path, rangeOf(node));
    for (const [index, child] of (node.children ?? []).entries()) {
      const [key, member] = node.type === 'object' ? (child.children ?? []) : [undefined, child];
      const below = `${path}/${key === undefined ? index : key.value}`;
      if (key !== undefined) keys.set(below, rangeOf(key));
      if (member !== undefined) note(member, below);
    }
  }
}

const rangeOf = ({ offset, length }: { readonly offset: number; readonly length: number }): Range => ({
  from: offset,
  to: offset + length,
});

/** What is wrong with a text that is no JSON. The page says each in its own words (`json_…` of `runtime/page/words`). */
export const JSON_SENTENCES = {
  symbol: '{token} is no JSON value: text stands in quotes',
  key: 'a key in quotes is missing before {token}',
  value: 'a value is missing before {token}',
  colon: 'a colon is missing before {token}',
  comma: 'a comma is missing before {token}',
  commaOr: 'a comma or {end} is missing before {token}',
  after: '{token} stands after the end',
  quote: 'the quote that ends this is missing',
  escape: '{token} has an escape that JSON does not know',
  control: '{token} has a control character',
  none: '{token} is no JSON',
} as const;

export interface JsonFault {
  readonly name: keyof typeof JSON_SENTENCES;
  /** Where it was noticed; undefined at the end of the text. */
  readonly token: string | undefined;
  /** The bracket that could stand there as well. */
  readonly end: string;
}

/** By the name of the parser's error. */
const FAULTS: Readonly<Record<string, readonly [JsonFault['name'], end?: string]>> = {
  InvalidSymbol: ['symbol'],
  PropertyNameExpected: ['key'],
  ValueExpected: ['value'],
  ColonExpected: ['colon'],
  CommaExpected: ['comma'],
  CloseBraceExpected: ['commaOr', '}'],
  CloseBracketExpected: ['commaOr', ']'],
  EndOfFileExpected: ['after'],
  UnexpectedEndOfString: ['quote'],
  InvalidEscapeCharacter: ['escape'],
  InvalidCharacter: ['control'],
};

type Told = Omit<Extract<Parsed, { ok: false }>, 'ok'>;

function faultOf(text: string, error: ParseError | undefined): Told {
  const at = error === undefined ? START : rangeOf(error);
  const token = text.slice(at.from, at.to).slice(0, 20) || undefined;
  const [name, end = ''] = (error && FAULTS[printParseErrorCode(error.error)]) ?? ['none'];
  const message = filled(JSON_SENTENCES[name], { token: token ?? 'the end', end });
  return { fault: { name, token, end }, message, at };
}

/** Line and column of a place, from 1. */
export function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
