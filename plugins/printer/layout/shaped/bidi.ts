/** Order of text that is written from right to left: the Unicode Bidirectional Algorithm (UAX #9), by bidi-js. */
import bidiFactory, { type Bidi, type BidiCharTypeName } from 'bidi-js';

/** The direction of one paragraph, and the embedding level of each UTF-16 unit: odd ones are from right to left. */
export interface Directions {
  readonly rightToLeft: boolean;
  readonly levels: Uint8Array;
}

let made: Bidi | undefined;
/** Made at the first text that needs it. The types of the package are those of its other module format. */
const bidi = (): Bidi => (made ??= (bidiFactory as unknown as () => Bidi)());

/** Characters that are from right to left, or turn the direction; without one of them every level is 0. */
const TURNS =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
/** Controls of direction in one paragraph; no text nests deeper than 125 levels (BD 2). What is over it has no effect. */
const MOST_CONTROLS = 500;
/** Neither a direction of its own nor a width (class BN). */
const NEUTRAL = '\u200b';

/** A character of one UTF-16 unit for each class, because bidi-js looks at units; brackets are all of one unit. */
const OF_CLASS: Readonly<Partial<Record<BidiCharTypeName, string>>> = {
  R: '\u05d0',
  AL: '\u0627',
  AN: '\u0660',
  EN: '0',
  ES: '+',
  ET: '#',
  CS: ',',
  NSM: '\u0300',
  BN: NEUTRAL,
  ON: '!',
};

/** The directions of a paragraph; its own is that of its first strong character (P2, P3) where it is not given. */
export function directionsOf(paragraph: string, direction: 'auto' | 'ltr' | 'rtl' = 'auto'): Directions {
  if (direction !== 'rtl' && !TURNS.test(paragraph)) {
    return { rightToLeft: false, levels: new Uint8Array(paragraph.length) };
  }
  const { getBidiCharTypeName, getEmbeddingLevels } = bidi();
  let controls = 0;
  const units = paragraph
    .replace(CONTROLS, (control) => {
      controls += 1;
      return controls > MOST_CONTROLS ? NEUTRAL : control;
    })
    .replace(/[\u{10000}-\u{10ffff}]/gu, (char) => (OF_CLASS[getBidiCharTypeName(char)] ?? 'a') + NEUTRAL);
  const { levels, paragraphs } = getEmbeddingLevels(units, direction);
  return { rightToLeft: (paragraphs[0]?.level ?? 0) % 2 === 1, levels };
}

/** The other one of a pair of brackets or the like, which stands for it from right to left (L4). */
export const mirrored = (char: string): string => bidi().getMirroredCharacter(char) ?? char;

/** The order in which the parts of a row stand from left to right, by the level of each (L2): indices of the parts. */
export function visualOrder(levels: readonly number[]): number[] {
  const order = levels.map((_, index) => index);
  const highest = Math.max(0, ...levels);
  const lowestOdd = Math.min(...levels.map((level) => level | 1));
  for (let level = highest; level >= lowestOdd; level -= 1) {
    for (let from = 0; from < order.length; from += 1) {
      let to = from;
      while (to < order.length && levels[order[to]!]! >= level) to += 1;
      if (to - from > 1) order.splice(from, to - from, ...order.slice(from, to).reverse());
      if (to > from) from = to;
    }
  }
  return order;
}
