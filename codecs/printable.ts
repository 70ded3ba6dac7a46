/** Unicode text brought to what a receipt printer can lay out: one UTF-16 unit is one column. */

/** What stands for a character that no printer shows; no code page has it. */
const UNKNOWN = '\ufffd';

const NEEDS_COMPOSING = /[\t\r\p{M}\p{Cf}\p{Cs}\p{Variation_Selector}\u2000-\u200a\u2011\u202f\u205f\u3000]/u;

/** True for a character that makes its text need `printable` first. */
export const needsComposing = (code: number): boolean => NEEDS_COMPOSING.test(String.fromCharCode(code));

/**
 * Accents composed (NFC), line ends as LF, spaces of any width as one (those that do not break stay so), invisible
 * characters dropped; what is left beyond one unit a column (emoji, lone marks and surrogates) is U+FFFD.
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

/** Characters that are as good as another where a printer has only that one. */
const TWINS = new Map(
  [...['\u2010-', '\u2212-', '\u2015—', '\u00a0 ', 'ȘŞ', 'șş', 'ȚŢ', 'țţ', '′’', '″”', '∙·']].map(
    ([char = '', twin = '']) => [char.charCodeAt(0), twin.charCodeAt(0)],
  ),
);

export const twinOf = (code: number): number | undefined => TWINS.get(code);
