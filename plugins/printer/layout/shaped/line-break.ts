/**
 * Where a row of text may end: the Unicode Line Breaking Algorithm (UAX #14, revision 49, with the numbers of its example 7).
 * The classes of characters are made of their general categories and of the lists here, for the scripts that are drawn.
 */
import { eachWordStart } from './graphemes.ts';

/** Line breaking classes (UAX #14, table 1) that the rules tell apart. */
type BreakClass =
  | (
      | 'AL'
      | 'B2'
      | 'BA'
      | 'BB'
      | 'BK'
      | 'CB'
      | 'CL'
      | 'CM'
      | 'CP'
      | 'EB'
      | 'EM'
      | 'EX'
      | 'GL'
      | 'H2'
      | 'H3'
      | 'HL'
      | 'HY'
    )
  | (
      | 'ID'
      | 'IN'
      | 'IS'
      | 'JL'
      | 'JT'
      | 'JV'
      | 'NS'
      | 'NU'
      | 'OP'
      | 'PO'
      | 'PR'
      | 'QU'
      | 'RI'
      | 'SA'
      | 'SP'
      | 'SY'
      | 'WJ'
    )
  | ('ZW' | 'ZWJ');

/** Classes that general category and script do not say (LineBreak.txt): characters, and ranges of them with a hyphen. */
const LISTED: readonly (readonly [BreakClass, RegExp])[] = [
  ['BK', /[\n-\r\x85\u2028\u2029]/],
  ['SP', / /],
  ['ZW', /\u200b/],
  ['ZWJ', /\u200d/],
  ['WJ', /[\u2060\ufeff]/],
  ['GL', /[\xa0\u0f08\u0f0c\u0f12\u180e\u2007\u2011\u202f]|\u034f|[\u035c-\u0362]/],
  ['CP', /[)\]]/],
  ['HY', /-/],
  ['SY', /\//],
  ['IS', /[,.:;\u037e\u0589\u060c\u060d\u07f8\u2044\ufe10\ufe13\ufe14]/],
  [
    'EX',
    /[!?\u05c6\u061b\u061d-\u061f\u06d4\u07f9\u0f0d-\u0f11\u0f14\u1802\u1803\u2762\u2763\u2e2e\u2e53\u2e54\ufe15\ufe16\ufe56\ufe57\uff01\uff1f]/,
  ],
  ['CL', /[\u3001\u3002\ufe11\ufe12\ufe50\ufe52\uff0c\uff0e\uff61\uff64]/],
  ['QU', /["'\u275b-\u2760]/],
  ['OP', /[\xa1\xbf]/],
  [
    'NS',
    /[\u17d6\u203c\u203d\u2047-\u2049\u3005\u301c\u303b\u303c\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087\u308e\u3095\u3096\u309b-\u309e\u30a0\u30a1\u30a3\u30a5\u30a7\u30a9\u30c3\u30e3\u30e5\u30e7\u30ee\u30f5\u30f6\u30fb-\u30fe\u31f0-\u31ff\ufe54\ufe55\uff1a\uff1b\uff65\uff67-\uff70\uff9e\uff9f]/,
  ],
  ['IN', /[\u2024-\u2026\u22ef\ufe19]/],
  ['B2', /\u2014/],
  ['CB', /\ufffc/],
  ['BB', /[\xb4\u02c8\u02cc\u02df\u0c77\u0c84\u1806\u1ffd]/],
  [
    'BA',
    /[\t|\xad\u058a\u05be\u0964\u0965\u0e5a\u0e5b\u0f0b\u104a\u104b\u1361\u1400\u1680\u17d4\u17d5\u17d8\u17da\u1804\u1805\u2000-\u2006\u2008-\u200a\u2010\u2012\u2013\u2027\u2056\u2058-\u205b\u205d-\u205f\u3000]/,
  ],
  [
    'PO',
    /[%\xa2\xb0\u0609-\u060b\u066a\u09f2\u09f3\u09f9\u0d79\u2030-\u2037\u2057\u20a7\u20b6\u20bb\u20be\u20c0\u2103\u2109\ufdfc\ufe6a\uff05\uffe0]/,
  ],
  ['PR', /[+\\\xb1\u2116\u2212\u2213]/],
  ['NU', /[\u066b\u066c]/],
  [
    'ID',
    /[\u231a\u231b\u23f0-\u23f3\u2600-\u2603\u2614\u2615\u2618\u261a-\u261c\u261e\u261f\u2639-\u263b\u2668\u267f\u26bd-\u26c8\u26cd\u26cf-\u26d1\u26d3\u26d4\u26d8\u26d9\u26dc\u26df-\u26e1\u26ea\u26f1-\u26f5\u26f7\u26f8\u26fa\u26fd-\u2704\u2708\u2709\u2764\uff10-\uff19]/,
  ],
];

/** General categories and scripts, in the order in which they are asked. */
const DERIVED: readonly (readonly [BreakClass, RegExp])[] = [
  ['RI', /\p{Regional_Indicator}/u],
  ['EM', /\p{Emoji_Modifier}/u],
  ['EB', /\p{Emoji_Modifier_Base}/u],
  ['SA', /(?=\p{L})[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u],
  ['CM', /[\p{M}\p{Cc}\u061c\u200c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/u],
  ['JL', /[\u1100-\u115f\ua960-\ua97c]/],
  ['JV', /[\u1160-\u11a7\ud7b0-\ud7c6]/],
  ['JT', /[\u11a8-\u11ff\ud7cb-\ud7fb]/],
  ['OP', /\p{Ps}/u],
  ['CL', /\p{Pe}/u],
  ['QU', /[\p{Pi}\p{Pf}]/u],
  ['HL', /(?=\p{L})\p{sc=Hebr}/u],
  ['NU', /\p{Nd}/u],
  ['PR', /\p{Sc}/u],
  // A pictograph without a code point yet is an ideograph, too.
  [
    'ID',
    /[\u2e80-\u2fff\u3003-\u4dbf\u4e00-\ua4cf\uf900-\ufaff\ufe30-\ufe6b\uff01-\uffe6\u{16fe0}-\u{1b2ff}\u{20000}-\u{3fffd}]/u,
  ],
  ['ID', /(?=[\u{1f000}-\u{1faff}])[\p{Emoji_Presentation}\p{So}\p{Cn}]/u],
];

/** East Asian Width F, W or H (UAX #11). */
const EAST_ASIAN =
  /[\u1100-\u115f\u20a9\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uffee\p{Emoji_Presentation}\u{16fe0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;

/** True where a character takes two columns (East Asian Width F or W) or is of half width (H). */
export const isEastAsian = (char: string): boolean => EAST_ASIAN.test(char);

const classes = new Map<string, BreakClass>();
/** Most classes that are kept. */
const MOST_CLASSES = 4096;

function classOf(char: string): BreakClass {
  let found = classes.get(char);
  if (found === undefined) {
    const code = char.charCodeAt(0);
    if (code >= 0xac00 && code <= 0xd7a3) found = (code - 0xac00) % 28 === 0 ? 'H2' : 'H3';
    else found = [...LISTED, ...DERIVED].find(([, members]) => members.test(char))?.[0] ?? 'AL';
    if (classes.size >= MOST_CLASSES) classes.clear();
    classes.set(char, found);
  }
  return found;
}

/** A character with the marks on it (LB 9). */
interface Item {
  readonly kind: BreakClass;
  readonly char: string;
  /** Index in the text. */
  readonly start: number;
  joins: boolean;
}

function itemsOf(text: string): Item[] {
  const items: Item[] = [];
  let start = 0;
  for (const char of text) {
    const kind = classOf(char);
    const before = items.at(-1);
    if ((kind === 'CM' || kind === 'ZWJ') && before !== undefined && !['BK', 'SP', 'ZW'].includes(before.kind)) {
      before.joins = kind === 'ZWJ';
    } else items.push({ kind: kind === 'CM' || kind === 'ZWJ' ? 'AL' : kind, char, start, joins: kind === 'ZWJ' });
    start += char.length;
  }
  return items;
}

const among = (kinds: string): ReadonlySet<BreakClass | undefined> => new Set(kinds.split(' ') as BreakClass[]);
const LETTER = among('AL HL SA');
const IDEOGRAPH = among('ID EB EM');
const HANGUL = among('JL JV JT H2 H3');
const AFFIX = among('PO PR');
/** Kept free for pictographs of later editions. */
const FUTURE_EMOJI = /(?=\p{Cn})\p{Extended_Pictographic}/u;
const NEVER_FIRST = among('CL CP EX IS SY');

/** Whether a row may end before each UTF-16 unit of a text (1) or not (0); not before the first, and not by words. */
export function breakOpportunities(text: string): Uint8Array {
  const breaks = new Uint8Array(text.length);
  const items = itemsOf(text);
  /** Index of the last item that is no space. */
  let solid = -1;
  /** Regional indicators before here, one after the other. */
  let flags = 0;
  /** Inside a number: 1 after its digits, 2 after what closes it. */
  let number = 0;
  for (const [at, item] of items.entries()) {
    const before = items[at - 1];
    if (before !== undefined) {
      breaks[item.start] = breaksBetween(items, at, { solid: items[solid], flags, number }) ? 1 : 0;
    }
    const { kind } = item;
    if (kind === 'NU') number = 1;
    else if (number === 1 && (kind === 'CL' || kind === 'CP')) number = 2;
    else if (!(number === 1 && (kind === 'SY' || kind === 'IS'))) number = 0;
    flags = kind === 'RI' ? flags + 1 : 0;
    if (kind !== 'SP') solid = at;
  }
  return breaks;
}

interface Context {
  readonly solid: Item | undefined;
  readonly flags: number;
  readonly number: number;
}

/** The rules, in their order; true where a row may end before the item at this index. */
function breaksBetween(items: readonly Item[], at: number, { solid, flags, number }: Context): boolean {
  const [b, a] = [items[at - 1]!, items[at]!];
  const [before, after] = [b.kind, a.kind];
  const next = items[at + 1];
  if (before === 'BK') return true; // LB 4, 5
  if (after === 'BK' || after === 'SP' || after === 'ZW') return false; // LB 6, 7
  if (solid?.kind === 'ZW') return true; // LB 8
  if (b.joins) return false; // LB 8a
  if (after === 'WJ' || before === 'WJ' || before === 'GL') return false; // LB 11, 12
  if (after === 'GL' && before !== 'SP' && before !== 'BA' && before !== 'HY') return false; // LB 12a
  if (NEVER_FIRST.has(after) || solid?.kind === 'OP') return false; // LB 13, 14
  if (after === 'OP' && solid?.kind === 'QU') return false; // LB 15
  if (after === 'NS' && (solid?.kind === 'CL' || solid?.kind === 'CP')) return false; // LB 16
  if (after === 'B2' && solid?.kind === 'B2') return false; // LB 17
  if (before === 'SP') return true; // LB 18
  if (after === 'QU' || before === 'QU') return false; // LB 19
  if (after === 'CB' || before === 'CB') return true; // LB 20
  if (after === 'BA' || after === 'HY' || after === 'NS' || before === 'BB') return false; // LB 21
  if ((before === 'BA' || before === 'HY') && items[at - 2]?.kind === 'HL') return false; // LB 21a
  if (before === 'SY' && after === 'HL') return false; // LB 21b
  if (after === 'IN') return false; // LB 22
  if ((LETTER.has(before) && after === 'NU') || (before === 'NU' && LETTER.has(after))) return false; // LB 23
  if ((before === 'PR' && IDEOGRAPH.has(after)) || (IDEOGRAPH.has(before) && after === 'PO')) return false; // LB 23a
  if ((AFFIX.has(before) && LETTER.has(after)) || (LETTER.has(before) && AFFIX.has(after))) return false; // LB 24
  if (number === 1 && (after === 'NU' || after === 'SY' || after === 'IS')) return false; // LB 25, from here
  if (number > 0 && AFFIX.has(after)) return false;
  if (after === 'NU' && (AFFIX.has(before) || before === 'HY')) return false;
  if (AFFIX.has(before) && after === 'OP' && next?.kind === 'NU') return false;
  if (before === 'JL' && (after === 'JL' || after === 'JV' || after === 'H2' || after === 'H3')) return false; // LB 26
  if ((before === 'JV' || before === 'H2') && (after === 'JV' || after === 'JT')) return false;
  if ((before === 'JT' || before === 'H3') && after === 'JT') return false;
  if ((HANGUL.has(before) && after === 'PO') || (before === 'PR' && HANGUL.has(after))) return false; // LB 27
  if (LETTER.has(before) && LETTER.has(after)) return false; // LB 28
  if (before === 'IS' && LETTER.has(after)) return false; // LB 29
  if ((LETTER.has(before) || before === 'NU') && after === 'OP' && !isEastAsian(a.char)) return false; // LB 30
  if (before === 'CP' && !isEastAsian(b.char) && (LETTER.has(after) || after === 'NU')) return false;
  if (before === 'RI' && after === 'RI' && flags % 2 === 1) return false; // LB 30a
  return !(after === 'EM' && (before === 'EB' || FUTURE_EMOJI.test(b.char))); // LB 30b, 31
}

/** Letters, digits and signs of Latin, Greek, Cyrillic and Armenian, which the printer has or could have; no soft hyphen. */
const ALPHABET = /^[\x21-\xac\xae-\u058f\u1e00-\u1fff\u2010-\u27bf]/;

/**
 * Where a row may end, for rows of a printer: the opportunities of UAX #14, and the beginnings of words of Thai, Lao, Khmer and
 * Burmese. Words of alphabets end at spaces, soft hyphens and zero width spaces alone, as in rows that need no shaping;
 * a tab is a space.
 */
export function rowBreaks(text: string): Uint8Array {
  const spaced = text.replaceAll('\t', ' ');
  const breaks = breakOpportunities(spaced);
  for (let at = 1; at < text.length; at += 1) {
    if (breaks[at] === 1 && isOfAlphabet(spaced, at - 1) && isOfAlphabet(spaced, at)) breaks[at] = 0;
  }
  eachWordStart(text, (index) => {
    breaks[index] = 1;
  });
  return breaks;
}

const isOfAlphabet = (text: string, at: number): boolean => {
  const char = text.charAt(at);
  return ALPHABET.test(char) && !isEastAsian(char);
};
