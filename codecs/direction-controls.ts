/**
 * Invisible characters that turn the direction of text (UAX #9, 2). An override shows digits in another order than they have,
 * so that a receipt says another amount than its text; it is left out. So is what has no end in its paragraph, or no
 * beginning: what follows would depend on it.
 */

const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/;
/** Ends of paragraphs (class B), and what the node takes for one. */
const PARAGRAPHS = /(\r\n?|[\n\v\f\x85\u2028\u2029])/;

const EMBEDDINGS = '\u202a\u202b';
const OVERRIDES = '\u202d\u202e';
const ISOLATES = '\u2066\u2067\u2068';
const END_OF_EMBEDDING = '\u202c';
const END_OF_ISOLATE = '\u2069';

interface Open {
  readonly at: number;
  readonly isolate: boolean;
  readonly override: boolean;
}

/** Whether a text has characters that turn its direction. Most have none, and nothing else has to be looked for in those. */
export const hasControls = (text: string): boolean => CONTROLS.test(text);

/** A text without direction overrides and without controls that lack their other half, and how many were left out. */
export function withoutOverrides(text: string): { readonly text: string; readonly dropped: number } {
  if (!hasControls(text)) return { text, dropped: 0 };
  let dropped = 0;
  const kept = text.split(PARAGRAPHS).map((paragraph) => {
    const harmful = harmfulOf(paragraph);
    dropped += harmful.size;
    return harmful.size === 0 ? paragraph : [...paragraph].filter((_, at) => !harmful.has(at)).join('');
  });
  return { text: kept.join(''), dropped };
}

/** Where controls stand that are left out, in characters. */
function harmfulOf(paragraph: string): ReadonlySet<number> {
  const harmful = new Set<number>();
  const open: Open[] = [];
  for (const [at, char] of [...paragraph].entries()) {
    const override = OVERRIDES.includes(char);
    const isolate = ISOLATES.includes(char);
    if (override || isolate || EMBEDDINGS.includes(char)) open.push({ at, isolate, override });
    else if (char === END_OF_EMBEDDING) closeEmbedding(open, at, harmful);
    else if (char === END_OF_ISOLATE) closeIsolate(open, at, harmful);
  }
  for (const { at } of open) harmful.add(at);
  return harmful;
}

/** X7: it closes the embedding or override that was opened last, if no isolate was opened since. */
function closeEmbedding(open: Open[], at: number, harmful: Set<number>): void {
  const last = open.at(-1);
  if (last === undefined || last.isolate) {
    harmful.add(at);
    return;
  }
  open.pop();
  if (!last.override) return;
  harmful.add(last.at);
  harmful.add(at);
}

/** X6a: it closes the isolate that was opened last, and all that was opened in it. */
function closeIsolate(open: Open[], at: number, harmful: Set<number>): void {
  const from = open.findLastIndex(({ isolate }) => isolate);
  if (from < 0) {
    harmful.add(at);
    return;
  }
  for (const inner of open.splice(from)) if (inner.override) harmful.add(inner.at);
}
