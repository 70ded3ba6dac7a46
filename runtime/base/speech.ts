/** How the page speaks: in the one language that its document came in. */
import { filled, type Language } from './language.ts';

/** The places in a sentence that are filled in: `{n}` of `{most}`. */
type Holes<Words> = Words extends `${string}{${infer Hole}}${infer Rest}` ? Hole | Holes<Rest> : never;
type Values<Words> = [Holes<Words>] extends [never] ? [] : [values: Readonly<Record<Holes<Words>, string | number>>];

export interface Speech<En> {
  /** The words of this key, with what belongs into their places. */
  <Key extends keyof En & string>(key: Key, ...values: Values<En[Key]>): string;
  /** For a code that the node told: its words, undefined where there are none. */
  readonly find: (key: string) => string | undefined;
}

type Table = Readonly<Record<string, string>>;

/** What words need of a document. */
interface Spoken {
  readonly documentElement: { readonly lang: string };
  querySelector(selector: string): { readonly textContent: string | null } | null;
}

/** Undefined where there is no page: then English is spoken. */
const { document: page } = globalThis as { readonly document?: Spoken };

/** Of the document, as `<html lang>` has it. It stays the same for as long as the page is there. */
export const language = (page?.documentElement.lang ?? 'en') as Language;

const tables = JSON.parse(page?.querySelector('#words')?.textContent ?? '[]') as readonly Table[];

/** What the build puts in the place of a `words.ts`: of its catalogue, the table that came with the document. */
export const wordsAt = (index: number): { readonly [In in Language]?: Table } => ({ [language]: tables[index] ?? {} });

/** Characters of scripts that are written from right to left (Unicode: Bidi_Class R and AL). */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A value in a sentence of another direction: between FSI and PDI (Unicode Annex 9, 2.4) where it has such characters. */
export const isolated = (value: string | number): string =>
  RIGHT_TO_LEFT.test(String(value)) ? `\u2068${value}\u2069` : String(value);

/** How a panel speaks: the words of its room in the language of the document, in English where it has none. */
export function speech<const En extends Readonly<Record<string, string>>>(
  catalogue: { readonly en: En } & { readonly [Other in Language]?: Readonly<Record<keyof En & string, string>> },
): Speech<En> {
  const table: Readonly<Record<string, string>> = catalogue[language] ?? catalogue.en;
  const find = (key: string): string | undefined => (Object.hasOwn(table, key) ? table[key] : undefined);
  const say = (key: string, values: Readonly<Record<string, string | number>> = {}): string =>
    filled(find(key) ?? key, values, isolated);
  return Object.assign(say, { find }) as Speech<En>;
}
