/** Converts Unicode text to what a receipt printer can lay out without shaping: one UTF-16 unit is one column. */

/** Stands for a character that no printer shows; it is in no code page. */
export const UNKNOWN = '\ufffd';

/** Line ends beside LF (UAX #14, LB 4 and 5): VT, FF, CR with or without LF, NEL, line and paragraph separator. */
const LINE_ENDS = /\r\n?|[\v\f\x85\u2028\u2029]/g;

/** Places where a row may end inside of a word: a soft hyphen, which is shown there, and a zero width space (LB 8). */
export const SOFT_HYPHEN = '\u00ad';
export const ZERO_WIDTH_SPACE = '\u200b';

// Patterns with classes of Unicode are made when they are first asked for: V8 takes a millisecond for some, and no start needs them.
const unlikePrinted = () =>
  /[\t\v\f\r\x85\u2028\u2029\p{M}\p{Cf}\p{Cs}\p{Variation_Selector}\u2000-\u200a\u2011\u202f\u205f\u3000]/u;

/** True where a text with this character code has to pass `printable`. */
export const needsComposing = (code: number): boolean => unlikePrinted().test(String.fromCharCode(code));

/** More marks on a letter than the Stream-Safe Text Format has (UAX #15, section 13), and that letter. */
const excessMarks = () => /[^\p{M}\s]?\p{M}{31,}/gu;

/**
 * Composes accents (NFC), makes line ends LF, and wide or narrow spaces plain ones (no-break spaces stay no-break). A letter
 * with over 30 marks becomes U+FFFD.
 */
export const composed = (value: string): string =>
  value
    .replace(excessMarks(), UNKNOWN)
    .normalize('NFC')
    .replace(LINE_ENDS, '\n')
    .replace(/[\u2007\u202f]/g, '\u00a0')
    .replace(/[\u2000-\u200a\u205f]/g, ' ')
    .replaceAll('\u2011', '-');

/**
 * Invisible characters, but those that turn the direction of text (UAX #9): a text with these has to be shaped. And but the
 * places to break.
 */
const invisible = () =>
  /(?![\u00ad\u061c\u200b\u200f\u202b\u202e\u2067])[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Spaces, at which no row may end where a word joiner is behind them (LB 11). */
const SPACES = / +([\u2060\ufeff])?/g;

/** A composed text without invisible characters but places to break; a lone surrogate becomes U+FFFD. */
export const printable = (value: string): string =>
  composed(value)
    .replace(SPACES, (spaces, joiner) => (joiner === undefined ? spaces : '\u00a0'.repeat(spaces.length - 1)))
    .replace(invisible(), '')
    .replace(/\p{Cs}/gu, UNKNOWN);

/** True where a character has no shape of its own: of control, private and unassigned ones no printer and no face has any. */
export const isNoCharacter = (char: string): boolean => /^[\p{Cc}\p{Cn}\p{Co}\p{Cs}\ufffd]$/u.test(char);

/** Pairs of signs: one, and what is printed for it where the printer lacks it. A letter is never printed as another. */
const TWINS = new Map(
  [...['\u2010-', '\u2212-', '\u2015—', '\u00a0 ', '′’', '″”', '∙·', '〜～', '‖∥']].map(([char = '', twin = '']) => [
    char.charCodeAt(0),
    twin.charCodeAt(0),
  ]),
);

/** The character code that may replace this one; undefined where there is none. */
export const twinOf = (code: number): number | undefined => TWINS.get(code);
