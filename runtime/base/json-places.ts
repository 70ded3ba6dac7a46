/** JSON with places: where each value stands in the text, and where the text is no JSON. */
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

export interface Range {
  readonly from: number;
  readonly to: number;
}

export type Parsed =
  /** `place`: of a key of the object at `path`, else of the value there, else of the nearest value around it. */
  | { readonly ok: true; readonly value: unknown; place(path: string, key?: string): Range }
  | { readonly ok: false; readonly message: string; readonly at: Range };

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

/** What is wrong, by the name of the parser's error; `token` is where it noticed. */
const FAULTS: Readonly<Record<string, (token: string) => string>> = {
  InvalidSymbol: (token) => `${token} is no JSON value: text stands in quotes`,
  PropertyNameExpected: (token) => `a key in quotes is missing before ${token}`,
  ValueExpected: (token) => `a value is missing before ${token}`,
  ColonExpected: (token) => `a colon is missing before ${token}`,
  CommaExpected: (token) => `a comma is missing before ${token}`,
  CloseBraceExpected: (token) => `a comma or } is missing before ${token}`,
  CloseBracketExpected: (token) => `a comma or ] is missing before ${token}`,
  EndOfFileExpected: (token) => `${token} stands after the end`,
  UnexpectedEndOfString: () => 'the quote that ends this is missing',
  InvalidEscapeCharacter: (token) => `${token} has an escape that JSON does not know`,
  InvalidCharacter: (token) => `${token} has a control character`,
};

function faultOf(text: string, error: ParseError | undefined): { readonly message: string; readonly at: Range } {
  const at = error === undefined ? START : rangeOf(error);
  const token = text.slice(at.from, at.to).slice(0, 20) || 'the end';
  const words = error && FAULTS[printParseErrorCode(error.error)];
  return { message: words?.(token) ?? `${token} is no JSON`, at };
}

/** Line and column of a place, from 1. */
export function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
