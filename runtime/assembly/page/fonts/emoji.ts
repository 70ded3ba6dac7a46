/** Emoji of several code points: those of Unicode that a font can have one glyph for (UTS #51, RGI sequences). */
const ZWJ = '\u200d';
const VARIATION_SELECTOR_16 = '\ufe0f';
/** The compiler knows no flag `v` for this project's target, Node 20 does: properties of strings need it. */
const RGI = new RegExp('^[\\p{RGI_Emoji_Flag_Sequence}\\p{RGI_Emoji_ZWJ_Sequence}]$', ['v'].join(''));
const REGIONAL_INDICATORS = Array.from({ length: 26 }, (_, letter) => String.fromCodePoint(0x1f1e6 + letter));
/** Couples and families: up to four of these. */
const FAMILY = Array.from('👨👩👦👧❤💋');

/** Flags and joined emoji, of the emoji that a font has, as Unicode spells them: fonts join them by their joiners. */
export function emojiSequences(codePoints: readonly number[]): string[] {
  const emoji = codePoints
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((character) => /^(?![\p{ASCII}\p{Regional_Indicator}\p{Emoji_Modifier}])\p{Emoji}$/u.test(character));
  const found = [
    ...pairs(REGIONAL_INDICATORS, REGIONAL_INDICATORS),
    ...pairs(emoji, emoji, joined),
    ...pairs(pairs(FAMILY, FAMILY, joined), FAMILY, joined),
    ...pairs(pairs(FAMILY, FAMILY, joined), pairs(FAMILY, FAMILY, joined), joined),
  ].filter((sequence) => RGI.test(sequence));
  return [...new Set(found)];
}

const joined = (first: string, second: string): string => `${qualified(first)}${ZWJ}${qualified(second)}`;

/** The character with the selector that it needs to be shown as an emoji where it is text by itself. */
const qualified = (text: string): string =>
  /^(?!\p{Emoji_Presentation}).$/u.test(text) ? text + VARIATION_SELECTOR_16 : text;

const pairs = (
  firsts: readonly string[],
  seconds: readonly string[],
  join = (first: string, second: string) => first + second,
): string[] => firsts.flatMap((first) => seconds.map((second) => join(first, second)));
