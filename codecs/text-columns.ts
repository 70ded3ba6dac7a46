/**
 * Columns that text takes where a node prints it, in Latin, Greek, Cyrillic and East Asian scripts, signs and emoji: East Asian Width (UAX #11)
 * and emoji sequences (UTS #51). A mark of another script counts as a letter: its words are drawn, and wide.
 */

/** Text of which each character takes a column. */
const NARROW = /^[ -~\xa0-\xac\xae-\u01a1\u01dd-\u01f0]*$/;
/** Characters that take two columns: East Asian Width W and F, and emoji; two of these are drawn in one. */
const WIDE =
  /[\u1100-\u115e\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6]|(?![\u25fd\u25fe])[\p{Emoji_Presentation}\p{Regional_Indicator}]|(?=[\u{1f000}-\u{1faff}])\p{Extended_Pictographic}/u;
/** Signs of ambiguous or neutral width that the node draws in two, where the code pages of the printer lack them (`runtime/assembly/page/fonts`). */
const WIDE_SIGN =
  /[\u203b\u2042\u2047\u2053\u2057\u20a8\u20b7\u2103\u2109\u210b\u2110\u2112\u2114\u2118\u211b\u211c\u212c\u2131\u2133\u213a\u214f-\u2151\u2153-\u215e\u2160-\u216b\u2170-\u217b\u2189\u2196-\u2199\u219c-\u219e\u21a0\u21a2-\u21a4\u21a6\u21a9\u21aa\u21b8\u21b9\u21c4-\u21c6\u21cb\u21cc\u21d0\u21d2\u21d4\u21da\u21db\u21e6-\u21e9\u21f5\u2205\u220f\u2211\u2213\u2215\u221d\u221f\u2225\u2226\u222b-\u222e\u2266\u2267\u226a\u226b\u2276\u2277\u228a\u228b\u2295-\u229c\u22a0\u22bf\u22da\u22db\u22ef\u2305-\u2307\u2312\u2318\u231a\u231b\u2328-\u232a\u233d\u233e\u2349\u235a\u235c\u235d\u235f\u2365-\u2367\u236b-\u236d\u2371\u2372\u23be-\u23cc\u23ce\u23cf\u23da\u23db\u23e9-\u23f3\u23f8-\u23fa\u2423\u2460-\u24ff\u25a2-\u25a9\u25ad\u25b0\u25b1\u25b3\u25b6\u25b7\u25bb\u25bd\u25c0\u25c1\u25c5-\u25c8\u25cd\u25e2-\u25e5\u25e7-\u25f3\u2600-\u2604\u2606\u2609\u260e\u260f\u2614-\u2618\u261c-\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640-\u2642\u2648-\u2653\u265f-\u2664\u2666-\u266c\u2672-\u267f\u2692-\u2697\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2716\u271a\u271d\u2721\u2728\u2733\u2734\u2736\u273d\u273f\u2740\u2744\u2747\u274c\u274e\u2753-\u2757\u2763\u2764\u2776-\u2793\u2795-\u2797\u27a1\u27b0\u27bf\u27d5-\u27d7\u27f5\u27f6\u2934\u2935\u29b8\u29bf\u29fa\u29fb\u2a00\u2b05-\u2b07\u2b1a-\u2b1c\u2b50\u2b55\u2b95\u2d80\u2dd2\u2dd4\u2e0e\u2e3a\u303f\ufffc\u{1f67c}-\u{1f67f}]/u;
/** Letters that are drawn so: of several (ǆ ﬁ), with an iota or accents before them (ᾼ Ἂ). */
const WIDE_LETTER =
  /[\u01a2\u01c4-\u01cc\u01f1-\u01f3\u02a5\u02a8\u0468\u046c\u046d\u0478\u0479\u0518\u0520-\u0523\u052a\u052b\u1d7a\u1f0a-\u1f0f\u1f1a-\u1f1d\u1f2a-\u1f2f\u1f4a-\u1f4d\u1f5b\u1f5d\u1f5f\u1f6a-\u1f6f\u1f88-\u1f8f\u1f98-\u1f9f\u1fa8-\u1faf\u1fbc\u1fcc\u1ffc\ua656\ua657\ua65c\ua65d\ua666\ua667\ua66c\ua66d\ua684\ua698\ua699\ua728\ua729\ua732\ua734\ua736\ua738\ua73a\ua73c\ua74e\ua74f\ua773\ua7ff\ufb00-\ufb04\u{1df00}]/u;
/** Signs of three. */
const WIDEST_SIGN = /[\u2031\u2152\u23dc-\u23e1\u2e3b]/;
/** Accents on the letter before them, and what is not seen. */
const NO_COLUMN = /^[\u0300-\u036f\u20e3\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/u;
/** An emoji of several characters: a flag, or emoji with their modifiers and joined ones (UTS #51, ED-14a, ED-13, ED-16); else a character, with what takes no column behind it. */
const CLUSTER =
  /(\p{Regional_Indicator}{2}|\p{Emoji}(?:\p{Emoji_Modifier}|\ufe0f(?=\u200d)|[\u{e0020}-\u{e007e}]+\u{e007f})?(?:\u200d\p{Emoji}(?:\p{Emoji_Modifier}|\ufe0f)?)*|[^ ])[\u0300-\u036f\u20e3\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]*| /gu;

/** Columns that a letter or mark takes at most in words of scripts that are drawn, on average. */
const DRAWN: readonly (readonly [RegExp, number])[] = [
  [/[\ufb13-\ufb17]/, 3.25],
  [/[\p{Script=Armenian}\p{Script=Bengali}\p{Script=Ethiopic}\p{Script=Georgian}]/u, 1.5],
  [
    /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Kannada}\p{Script=Khmer}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}]/u,
    1.25,
  ],
  [/[\p{Script=Devanagari}\p{Script=Lao}\p{Script=Thai}]/u, 1.1],
];

/** What stands together in a row. */
export interface TextCluster {
  readonly text: string;
  readonly columns: number;
}

/** Columns that a text of one row takes, of characters at single width; a tab is one, and so is a letter of a script that is drawn. */
export function columnsIn(text: string): number {
  if (NARROW.test(text)) return text.length;
  let columns = 0;
  for (const { 0: whole, 1: seen = whole } of text.normalize('NFC').matchAll(CLUSTER)) columns += columnsOf(seen);
  return columns;
}

/** The columns to leave for a text beside another one: words that are drawn are wider than a column a letter, or narrower. */
export function roomFor(text: string): number {
  if (NARROW.test(text)) return text.length;
  let columns = 0;
  for (const { 0: whole, 1: seen = whole } of text.normalize('NFC').matchAll(CLUSTER)) columns += roomOf(seen);
  return Math.ceil(columns);
}

/** The clusters of a text with the room for them, in order; together they are the text. */
export const clustersIn = (text: string): TextCluster[] =>
  Array.from(text.matchAll(CLUSTER), ({ 0: whole, 1: seen = whole }) => ({
    text: whole,
    columns: roomOf(seen.normalize('NFC')),
  }));

function roomOf(seen: string): number {
  const columns = columnsOf(seen);
  if (columns !== 1 || NARROW.test(seen)) return columns;
  return DRAWN.find(([script]) => script.test(seen))?.[1] ?? 1;
}

function columnsOf(seen: string): number {
  if (NO_COLUMN.test(seen)) return 0;
  if (WIDEST_SIGN.test(seen)) return 3;
  return WIDE.test(seen) || WIDE_LETTER.test(seen) || WIDE_SIGN.test(seen) || seen.includes('\u200d') ? 2 : 1;
}
