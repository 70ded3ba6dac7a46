/** JSON with places: where each value stands in the text, and where the text is no JSON. */

export interface Range {
  readonly from: number;
  readonly to: number;
}

export type Parsed =
  | { readonly ok: true; readonly value: unknown; place(path: string, key?: string): Range }
  | { readonly ok: false; readonly message: string; readonly at: Range };

interface Token extends Range {
  readonly text: string;
}

const TOKENS = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Strings (also those that do not end, up to the end of their line), signs and words; what stands between is space. */
export function* tokensOf(text: string): Generator<Token> {
  for (const { 0: token, index } of text.matchAll(TOKENS)) yield { text: token, from: index, to: index + token.length };
}

class Misplaced extends Error {
  readonly at: Range;
  constructor(message: string, at: Range) {
    super(message);
    this.at = at;
  }
}

/** A value whose path is `root`; paths below it are joined with `/`. */
export function parse(text: string, root: string): Parsed {
  const places = new Map<string, Range>();
  const keys = new Map<string, Range>();
  const tokens = [...tokensOf(text)];
  const end: Token = { text: '', from: text.length, to: text.length };
  let next = 0;
  const peek = () => tokens[next] ?? end;
  const take = (wanted: string, words: string): Token => {
    const token = peek();
    if (token.text !== wanted) throw new Misplaced(`${words} is missing before ${nameOf(token)}`, token);
    next += 1;
    return token;
  };

  const value = (path: string): void => {
    const first = peek();
    if (first.text === '{') list('}', () => member(path));
    else if (first.text === '[') {
      let index = 0;
      list(']', () => value(`${path}/${index++}`));
    } else {
      scalar(first);
      next += 1;
    }
    places.set(path, { from: first.from, to: (tokens[next - 1] ?? first).to });
  };
  const list = (close: string, one: () => void): void => {
    next += 1;
    if (peek().text !== close) {
      one();
      while (peek().text === ',') {
        next += 1;
        if (peek().text === close) throw new Misplaced(`nothing stands between the comma and ${close}`, peek());
        one();
      }
    }
    take(close, `a comma or ${close}`);
  };
  const member = (path: string): void => {
    const key = peek();
    if (!key.text.startsWith('"')) throw new Misplaced(`a key in quotes is missing before ${nameOf(key)}`, key);
    const name = scalar(key) as string;
    next += 1;
    take(':', 'a colon');
    keys.set(`${path}/${name}`, { from: key.from, to: key.to });
    value(`${path}/${name}`);
  };

  try {
    value(root);
    if (next < tokens.length) throw new Misplaced(`${nameOf(peek())} stands after the end`, peek());
    return {
      ok: true,
      value: JSON.parse(text),
      place: (path, key) =>
        (key === undefined ? undefined : keys.get(`${path}/${key}`)) ?? places.get(path) ?? { from: 0, to: 0 },
    };
  } catch (error) {
    if (!(error instanceof Misplaced)) throw error;
    return { ok: false, message: error.message, at: { from: error.at.from, to: error.at.to } };
  }
}

const nameOf = ({ text }: Token): string => (text === '' ? 'the end' : text.slice(0, 20));

function scalar(token: Token): unknown {
  try {
    return JSON.parse(token.text);
  } catch {
    if (token.text === '') throw new Misplaced('a value is missing at the end', token);
    const unended = token.text.startsWith('"') && !/[^\\](?:\\\\)*"$|^""$/.test(token.text);
    throw new Misplaced(unended ? 'the quote that ends this is missing' : `${nameOf(token)} is no JSON value`, token);
  }
}

/** Line and column of a place, from 1. */
export function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
