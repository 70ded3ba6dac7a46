/** What a reader takes for one character: grapheme clusters (UAX #29), by the segmenter of the platform. */

/** Code units that are segmented at once. */
const WINDOW = 1024;

/**
 * The segments of a text, in order. It is segmented by windows, because V8 takes time by the square of the length: the last
 * segment of a window, which may go on behind it, begins the next one, and one as long as its window gets a window twice as
 * long.
 */
function segments(by: Intl.Segmenter, text: string): string[] {
  const found: string[] = [];
  let size = WINDOW;
  for (let from = 0; from < text.length; ) {
    // No window ends between two surrogates.
    const end = from + size + (text.codePointAt(from + size - 1)! > 0xffff ? 1 : 0);
    const within = Array.from(by.segment(text.slice(from, end)), ({ segment }) => segment);
    if (end < text.length) {
      if (within.length === 1) {
        size *= 2;
        continue;
      }
      within.pop();
    }
    for (const segment of within) {
      found.push(segment);
      from += segment.length;
    }
    size = WINDOW;
  }
  return found;
}

/** Made at the first text that needs them. */
let characters: Intl.Segmenter | undefined;
let words: Intl.Segmenter | undefined;

/** Where a grapheme may have more than one code unit: marks, joiners, emoji, conjoining Hangul, Thai and Lao am. */
const CLUSTERS =
  /[\p{M}\p{Cf}\p{Cs}\p{Variation_Selector}\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f\u{10000}-\u{10ffff}]/u;

/** The graphemes of a text, in order; together they are the text. */
export function graphemesOf(text: string): readonly string[] {
  if (!CLUSTERS.test(text)) return text.split('');
  characters ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segments(characters, text);
}

/** Text without spaces between its words; ICU has a dictionary. */
const UNSPACED = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\p{M}]+/gu;

/** Calls `at` with the index (UTF-16) of each word of Thai, Lao, Khmer and Burmese that begins within such text. */
export function eachWordStart(text: string, at: (index: number) => void): void {
  for (const { 0: run, index } of text.matchAll(UNSPACED)) {
    words ??= new Intl.Segmenter('th', { granularity: 'word' });
    let start = index;
    for (const word of segments(words, run)) {
      if (start > index) at(start);
      start += word.length;
    }
  }
}
