/**
 * Whether an object in a JSON text names a member twice. RFC 8259 leaves open which of the two counts (4), so two readers
 * can understand the text differently; JSON.parse takes the last without a word. What it gives then has fewer members
 * than the text has names.
 */

const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;

/** How many names of members stand in a JSON text: strings with a colon behind them. The text must have been parsed. */
export function namesIn(json: string): number {
  let names = 0;
  for (let start = json.indexOf('"'); start !== -1; ) {
    let at = endOfString(json, start) + 1;
    // What may stand there beside a colon: white space, which is at most a space, and punctuation, which is not.
    while (json.charCodeAt(at) <= SPACE) at += 1;
    if (json.charCodeAt(at) === COLON) names += 1;
    start = json.indexOf('"', at);
  }
  return names;
}

/** Where the string ends that begins there: at the next quotation mark with an even number of backslashes before it. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}

/** How many members the objects in a parsed value have; undefined where it is nested over so many levels. */
export function membersIn(value: unknown, levels: number): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return undefined;
  const parts = Array.isArray(value) ? value : Object.values(value);
  let members = parts === value ? 0 : parts.length;
  for (const part of parts) {
    const inside = membersIn(part, levels - 1);
    if (inside === undefined) return undefined;
    members += inside;
  }
  return members;
}
