/** Converts Unicode text to what a receipt printer can lay out: one UTF-16 unit is one column. */

/** Replaces a character that no printer shows; it is in no code page. */
const UNKNOWN = '\ufffd';

const NEEDS_COMPOSING = /[\t\r\p{M}\p{Cf}\p{Cs}\p{Variation_Selector}\u2000-\u200a\u2011\u202f\u205f\u3000]/u;

/** True where a text with this character code has to pass `printable`. */
export const needsComposing = (code: number): boolean => NEEDS_COMPOSING.test(String.fromCharCode(code));

/**
 * Composes accents (NFC), makes line ends LF and wide or narrow spaces plain ones (no-break spaces stay no-break), and drops
 * invisible characters. What does not fit one unit a column then (emoji, single marks and surrogates) becomes U+FFFD.
 */
export const printable = (value: string): string =>
  value
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u2007\u202f]/g, '\u00a0')
    .replace(/[\t\u2000-\u200a\u205f\u3000]/g, ' ')
    .replaceAll('\u2011', '-')
    .replace(/[\p{Cf}\p{Variation_Selector}]/gu, '')
    .replace(/[\p{M}\p{Cs}]|[\u{10000}-\u{10ffff}]/gu, UNKNOWN);

/** Pairs: a character, and the one that is printed for it where the printer lacks the first. */
const TWINS = new Map(
  [...['\u2010-', '\u2212-', '\u2015—', '\u00a0 ', 'ȘŞ', 'șş', 'ȚŢ', 'țţ', '′’', '″”', '∙·']].map(
    ([char = '', twin = '']) => [char.charCodeAt(0), twin.charCodeAt(0)],
  ),
);

/** The character code that may replace this one; undefined where there is none. */
export const twinOf = (code: number): number | undefined => TWINS.get(code);
