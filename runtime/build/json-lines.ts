/** Where in a JSON text its values stand (RFC 8259), so that a fault in a file written by hand can name its line. */

/** Deeper than any file of ours. */
const MAX_DEPTH = 16;
const TOKEN =
  /[ \t\r\n]*(?:("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:]))/uy;

export interface JsonLines {
  /** Line, from 1, of the value at a path. Of a path that is not there, that of its nearest parent. */
  lineOf(path: readonly (string | number)[]): number;
  /** Where the text is not JSON, the line that stops being it. */
  readonly faultAt: number;
}

export function jsonLines(text: string): JsonLines {
  const lines = new Map<string, number>();
  const token = new RegExp(TOKEN);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  /** The token in hand, and where it begins; without one, where none could be read. */
  let next: string | undefined;
  let start = 0;
  let end = 0;
  const advance = () => {
    token.lastIndex = end;
    const match = token.exec(text);
    next = match?.[1] ?? match?.[2] ?? match?.[3];
    end = match === null ? end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0) : token.lastIndex;
    start = end - (next?.length ?? 0);
  };
  /** The token in hand is the wanted one: goes on to the next. */
  const take = (wanted: string) => {
    if (next !== wanted) return false;
    advance();
    return true;
  };
  const value = (path: readonly (string | number)[]): boolean => {
    if (next === undefined || path.length > MAX_DEPTH) return false;
    lines.set(JSON.stringify(path), lineAt(start));
    if (take('{')) return take('}') || members(path);
    if (take('[')) return take(']') || elements(path);
    if (/^[}\],:]/.test(next)) return false;
    advance();
    return true;
  };
  const members = (path: readonly (string | number)[]): boolean => {
    do {
      if (!next?.startsWith('"')) return false;
      const key: string = JSON.parse(next);
      advance();
      if (!take(':') || !value([...path, key])) return false;
    } while (take(','));
    return take('}');
  };
  const elements = (path: readonly (string | number)[]): boolean => {
    let index = 0;
    do {
      if (!value([...path, index])) return false;
      index += 1;
    } while (take(','));
    return take(']');
  };
  advance();
  value([]);
  return {
    lineOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const line = lines.get(JSON.stringify(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return 1;
    },
    faultAt: lineAt(start),
  };
}
