/** How the page speaks: in the one language that its document came in. */
import { directionOf, type FORMS, filled, type Language, type Table } from './language.ts';

/**
 * The places in a sentence that are filled in: `{n}` of `{most}`. Of a text that is only known to be a string, any.
 * `npm run words` writes the texts of `en.json` down as types.
 */
type Holes<Words> = Words extends `${string}{${infer Hole}}${infer Rest}` ? Hole | Holes<Rest> : never;
type Values<Words> = string extends Words
  ? [values?: Readonly<Record<string, string | number>>]
  : [Holes<Words>] extends [never]
    ? []
    : [values: Readonly<Record<Holes<Words>, string | number>>];

type Form = (typeof FORMS)[number];

/** What can be said: sentences with plural forms, which `n` chooses from; and every other one. */
type Plural<En> = keyof En extends infer Key ? (Key extends `${infer Base}_other` ? Base : never) : never;
type Single<En> = Exclude<keyof En & string, `${Plural<En>}_${Form}`>;
type Said<En, Key extends string> = `${Key}_other` extends keyof En
  ? En[`${Key}_other`]
  : Key extends keyof En
    ? En[Key]
    : never;

export interface Speech<En> {
  /** The words of this key, with what belongs into their places. */
  <Key extends Single<En> | Plural<En>>(key: Key, ...values: Values<Said<En, Key>>): string;
  /** For a code that the node told: its words, undefined where there are none. */
  readonly find: (key: string) => string | undefined;
}

/** What words need of a document. */
interface Spoken {
  readonly documentElement: { readonly lang: string };
  querySelector(selector: string): { readonly textContent: string | null } | null;
}

/** Undefined where there is no page: then English is spoken. */
const { document: page } = globalThis as { readonly document?: Spoken };

/** The language of the document, as `<html lang>` has it. It stays the same for as long as the page is there. */
export const language = (page?.documentElement.lang ?? 'en') as Language;

const tables = JSON.parse(page?.querySelector('#words')?.textContent ?? '[]') as readonly Table[];

/** What the build puts in the place of an `en.json`: of this catalogue, the table that came with the document. */
export const wordsAt = (index: number): Table => tables[index] ?? {};

/** The words of a key in whichever catalogue of the document has it: what a room calls what is its own, on cards of another. */
export const wordsOfAny = (key: string): string | undefined => tables.find((table) => Object.hasOwn(table, key))?.[key];

/** Characters of scripts that are written from right to left (Unicode: Bidi_Class R and AL). */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const isMirrored = directionOf(language) === 'rtl';

/**
 * A value in a sentence of another direction: between FSI and PDI (Unicode Annex 9, 2.4) where it has such characters, and
 * every text in a sentence that is itself written from right to left, such as an address or the name of a device.
 */
export const isolated = (value: string | number): string =>
  typeof value === 'string' && (isMirrored || RIGHT_TO_LEFT.test(value)) ? `\u2068${value}\u2069` : String(value);

const plurals = new Intl.PluralRules(language);

/**
 * How a panel speaks: the words of its room in the language of the document. `en`: its `words/en.json`. Three kinds of keys
 * there are for other cards, such as recent jobs: `command_<type>` is what a command of the room is called, `kind_<kind>` a device of its kind,
 * `fault_<code>` what one of its errors means, a sentence.
 */
export function speech<const En extends Table>(en: En): Speech<En> {
  const find = (key: string): string | undefined => (Object.hasOwn(en, key) ? en[key] : undefined);
  const say = (key: string, values: Readonly<Record<string, string | number>> = {}): string => {
    const words = find(key) ?? find(`${key}_${plurals.select(Number(values['n']))}`) ?? find(`${key}_other`) ?? key;
    return filled(words, values, isolated);
  };
  return Object.assign(say, { find }) as Speech<En>;
}
