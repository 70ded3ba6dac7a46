/**
 * Detects duplicate member names in a JSON text. RFC 8259 does not define which of two members counts (4), so two
 * parsers can read the text differently; JSON.parse silently takes the last. Then its result has fewer members than the
 * text has names, and these two numbers are counted here.
 */

const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;

/** The number of member names in a JSON text: strings followed by a colon. The text must be valid JSON. */
export function namesIn(json: string): number {
  let names = 0;
  for (let start = json.indexOf('"'); start !== -1; ) {
    let at = endOfString(json, start) + 1;
    // Skips white space: every code up to that of the space. Colon and other punctuation have higher codes.
    while (json.charCodeAt(at) <= SPACE) at += 1;
    if (json.charCodeAt(at) === COLON) names += 1;
    start = json.indexOf('"', at);
  }
  return names;
}

/** The position of the quotation mark that ends a string: the next with an even number of backslashes before it. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}

/** The number of members of all objects in a parsed value; Infinity if it is nested deeper than `levels`. */
export function membersIn(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return Number.POSITIVE_INFINITY;
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += membersIn(item, levels - 1);
  // What JSON.parse makes has no enumerable members but its own.
  else for (const key in value) members += 1 + membersIn((value as Record<string, unknown>)[key], levels - 1);
  return members;
}
