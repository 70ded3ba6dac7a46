/**
 * Whether an object in a JSON text names a member twice. RFC 8259 leaves open which of the two counts (4), so two readers
 * can understand the text differently; JSON.parse takes the last without a word. The text must have been parsed.
 */
export function hasDuplicateKeys(json: string): boolean {
  /** The names met in each object that is open; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  TOKEN.lastIndex = 0;
  for (let [token] = TOKEN.exec(json) ?? []; token !== undefined; [token] = TOKEN.exec(json) ?? []) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const names = open.at(-1);
      // Escapes are read: "a" and "\\u0061" are one name.
      const name = JSON.parse(token.slice(0, -1)) as string;
      if (names?.has(name) === true) return true;
      names?.add(name);
    }
  }
  return false;
}

/** A bracket, or a string; with the colon that makes it a name. */
const TOKEN = /[{}[\]]|"(?:[^"\\]|\\.)*"(?:[ \t\r\n]*:)?/g;
