/**
 * Invisible characters that turn the direction of text (UAX #9, 2). An override shows digits in another order than they have,
 * so that a receipt says another amount than its text; it is left out. So is what has no end in its paragraph, or no
 * beginning: what follows would depend on it. And so is whatever would put words or numbers in another order where no letter
 * and no digit is written from right to left: there it can only deceive.
 */
import { composed } from './printable.ts';

const CONTROLS = /[\u061c\u200f\u202a-\u202e\u2066-\u2069]/;
/** Behind one of these, or in it, text is from right to left; without one no order changes. */
const TO_THE_RIGHT = /[\u061c\u200f\u202b\u2067]/;
const OF_DIRECTION = /\p{Bidi_Control}/u;
/** Ends of paragraphs (class B), and what the node takes for one. */
const PARAGRAPHS = /(\r\n?|[\n\v\f\x85\u2028\u2029])/;

const EMBEDDINGS = '\u202a\u202b';
const OVERRIDES = '\u202d\u202e';
const ISOLATES = '\u2066\u2067\u2068';
const END_OF_EMBEDDING = '\u202c';
const END_OF_ISOLATE = '\u2069';

/** Blocks of scripts that are written from right to left (DerivedBidiClass.txt). */
const BLOCKS = '\\u0590-\\u061b\\u061d-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefe\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
// Patterns with classes of Unicode are made when they are first asked for: no start needs them.
const rightToLeft = () => new RegExp(`(?=[\\p{L}\\p{N}])[${BLOCKS}]`, 'u');
const letterOrDigit = () => /[\p{L}\p{N}]/u;
const NUMBER = /^\d+(?:[.,:/]\d+)*$/;
/** From a letter to a letter or digit. The signs that do not take the direction of what is on both sides of them are brackets and tabs. */
const words = () =>
  new RegExp(
    `^(?!\\p{Lm})\\p{L}(?:[^\\p{Bidi_Control}\\p{Ps}\\p{Pe}\\p{Cc}${BLOCKS}]*(?!\\p{Lm})[\\p{L}\\d])?\\p{M}*$`,
    'u',
  );

interface Open {
  readonly at: number;
  readonly isolate: boolean;
  readonly override: boolean;
}

/** Whether a text has characters that turn its direction. Most have none, and nothing else has to be looked for in those. */
export const hasControls = (text: string): boolean => CONTROLS.test(text);

/**
 * A text without direction overrides, without controls that lack their other half, and without those that would change the order
 * of letters and digits where none is from right to left; and how many characters were left out.
 */
export function withoutOverrides(text: string): { readonly text: string; readonly dropped: number } {
  if (!hasControls(text)) return { text, dropped: 0 };
  let dropped = 0;
  const kept = text.split(PARAGRAPHS).map((paragraph) => {
    const harmful = harmfulOf(paragraph);
    dropped += harmful.size;
    const paired = harmful.size === 0 ? paragraph : [...paragraph].filter((_, at) => !harmful.has(at)).join('');
    if (keepsOrder(paired)) return paired;
    const plain = [...paired].filter((char) => !OF_DIRECTION.test(char));
    dropped += [...paired].length - plain.length;
    return plain.join('');
  });
  return { text: kept.join(''), dropped };
}

/**
 * Whether letters and digits of a paragraph stand in the order that they have, or one of them is from right to left, so that
 * marks are what puts its numbers where a reader wants them. One number, or words that begin with a letter and have no mark
 * among them, are of one level (UAX #9, W4, W7 and N1): a sum beside its currency, or one at the right edge.
 */
function keepsOrder(paragraph: string): boolean {
  if (!TO_THE_RIGHT.test(paragraph) || rightToLeft().test(paragraph)) return true;
  const chars = [...composed(paragraph)];
  const isWritten = letterOrDigit();
  const first = chars.findIndex((char) => isWritten.test(char));
  if (first < 0) return true;
  const written = chars.slice(first, 1 + chars.findLastIndex((char) => isWritten.test(char))).join('');
  return NUMBER.test(written) || words().test(written);
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
