/**
 * Invisible characters that turn the direction of text (UAX #9, 2). An override shows digits in another order than they have,
 * so that a receipt says another amount than its text; it is left out. So is what has no end in its paragraph, or no
 * beginning: what follows would depend on it. So is what stands in a number. And so is whatever would put words or numbers in
 * another order where no letter and no digit is written from right to left: there it can only deceive.
 */
import { composed, UNKNOWN } from './printable.ts';

/** Controls that do turn it; and behind a digit, the first unit of what is written from right to left. */
const TURNING =
  /[\u061c\u200f\u202a-\u202e\u2066-\u2069]|\d[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\ud802\ud803\ud83a\ud83b]/;
/** Behind one of these, or in it, text is from right to left; without one no order changes. */
const TO_THE_RIGHT = /[\u061c\u200f\u202b\u2067]/;
/** Ends of paragraphs (class B), and what the node takes for one. */
const PARAGRAPHS = /(\r\n?|[\n\v\f\x85\u2028\u2029])/;

const EMBEDDINGS = '\u202a\u202b';
const OVERRIDES = '\u202d\u202e';
const ISOLATES = '\u2066\u2067\u2068';
const END_OF_EMBEDDING = '\u202c';
const END_OF_ISOLATE = '\u2069';

const NUMBER = /^\d+(?:[.,:/]\d+)*$/;
/** Nothing moves these from the beginning of a paragraph: it is one from left to right. */
const FIRST_SIGNS = /^\u200e[-+]*/;

/** Blocks of scripts that are written from right to left (DerivedBidiClass.txt). */
const BLOCKS = '\\u0590-\\u061b\\u061d-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefe\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
/** What of them has not that direction (classes AN, ON, CS, ES and ET). */
const NEUTRAL =
  '\\u0600-\\u0607\\u0609\\u060a\\u060c\\u060e\\u060f\\u066a-\\u066c\\u06dd\\u06de\\u06e9\\u0890\\u0891\\ufb29';

// Patterns with classes of Unicode are made when they are first asked for: no start needs them.
let patterns: ReturnType<typeof makePatterns> | undefined;
const makePatterns = () => ({
  rightToLeft: new RegExp(`(?=[\\p{L}\\p{N}])(?!\\p{Lm})[${BLOCKS}]`, 'u'),
  letterOrDigit: /[\p{L}\p{N}]/u,
  control: /\p{Bidi_Control}/gu,
  /** Signs that belong to the number beside them, and go to its other side from right to left. */
  sign: /[.,:/'\u2019\u00b7\p{Pd}\p{Sm}]/u,
  /**
   * What is between two digits: controls, but those around the slash of a date, which put its parts in their order; or a sign from right
   * to left that looks like a point or an apostrophe. A hyphen from right to left has a range as Hebrew has it.
   */
  inNumber: new RegExp(
    `(?<=\\d)(?:\\p{Bidi_Control}*(?:([.,:'\\u2019])\\p{Bidi_Control}*)?|(?=\\p{Lm}|[^\\p{L}\\p{N}\\p{M}\\p{Pd}])(?![${NEUTRAL}])[${BLOCKS}])(?=\\d)`,
    'gu',
  ),
  /** From a letter to a letter or digit. The signs that do not take the direction of what is on both sides of them are brackets and tabs. */
  words: new RegExp(
    `^(?!\\p{Lm})\\p{L}(?:[^\\p{Bidi_Control}\\p{Ps}\\p{Pe}\\p{Cc}${BLOCKS}]*(?!\\p{Lm})[\\p{L}\\d])?\\p{M}*$`,
    'u',
  ),
});
const patternsOf = () => {
  patterns ??= makePatterns();
  return patterns;
};

interface Open {
  readonly at: number;
  readonly isolate: boolean;
  readonly override: boolean;
}

/** Whether a text may have characters that turn its direction. Most have none, and nothing else has to be looked for in those. */
export const hasControls = (text: string): boolean => TURNING.test(text);

/**
 * A text without direction overrides, without controls that lack their other half or stand in a number, and without those that would change
 * the order of letters and digits where none is from right to left; and how many characters were left out. A sign from right to left in a
 * number is `UNKNOWN`.
 */
export function withoutOverrides(text: string): { readonly text: string; readonly dropped: number } {
  if (!hasControls(text)) return { text, dropped: 0 };
  let dropped = 0;
  const kept = text.split(PARAGRAPHS).map((paragraph) => {
    if (!hasControls(paragraph)) return paragraph;
    const whole = withoutInNumbers(paragraph);
    const harmful = harmfulOf(whole);
    const paired = harmful.size === 0 ? whole : [...whole].filter((_, at) => !harmful.has(at)).join('');
    const plain = keepsOrder(paired) ? paired : paired.replace(patternsOf().control, '');
    // Each of them is one unit, and so is what stands for a sign.
    dropped += lengthOf(paragraph) - lengthOf(plain);
    return plain;
  });
  return { text: kept.join(''), dropped };
}

const lengthOf = (text: string): number => [...text].length;

/** Controls give way to the sign among them, or to nothing; a sign from right to left to `UNKNOWN`. */
const withoutInNumbers = (paragraph: string): string =>
  paragraph.replace(patternsOf().inNumber, (between: string, sign = '') =>
    between.replace(patternsOf().control, '') === sign ? sign : UNKNOWN,
  );

/**
 * Whether letters and digits of a paragraph stand in the order that they have, or one of them is from right to left, so that
 * marks are what puts its numbers where a reader wants them. One number, or words that begin with a letter and have no mark
 * among them, are of one level (UAX #9, W4, W7 and N1): a sum beside its currency, or one at the right edge.
 */
function keepsOrder(paragraph: string): boolean {
  const { rightToLeft, letterOrDigit, sign, words } = patternsOf();
  if (!TO_THE_RIGHT.test(paragraph) || rightToLeft.test(paragraph) || !letterOrDigit.test(paragraph)) return true;
  const chars = [...composed(paragraph).replace(FIRST_SIGNS, '')];
  const first = chars.findIndex((char) => letterOrDigit.test(char));
  const behind = 1 + chars.findLastIndex((char) => letterOrDigit.test(char));
  const written = chars.slice(first, behind).join('');
  const around = [...chars.slice(0, first), ...chars.slice(behind)].join('');
  return (NUMBER.test(written) || words.test(written)) && !(/\d/.test(written) && sign.test(around));
}

/** Where controls stand that are left out, in characters. */
function harmfulOf(paragraph: string): ReadonlySet<number> {
  const harmful = new Set<number>();
  const open: Open[] = [];
  let isolates = 0;
  for (const [at, char] of [...paragraph].entries()) {
    const override = OVERRIDES.includes(char);
    const isolate = ISOLATES.includes(char);
    if (isolate) isolates += 1;
    if (override || isolate || EMBEDDINGS.includes(char)) open.push({ at, isolate, override });
    else if (char === END_OF_EMBEDDING) closeEmbedding(open, at, harmful);
    else if (char !== END_OF_ISOLATE) continue;
    // Looked for only where there is one, and all behind it goes with it: each is looked at once.
    else if (isolates === 0) harmful.add(at);
    else {
      isolates -= 1;
      closeIsolate(open, harmful);
    }
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
function closeIsolate(open: Open[], harmful: Set<number>): void {
  for (const inner of open.splice(open.findLastIndex(({ isolate }) => isolate)))
    if (inner.override) harmful.add(inner.at);
}
