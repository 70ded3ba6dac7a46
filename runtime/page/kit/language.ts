/**
 * The words of the page. A room has them in a `words.ts` beside its panel: a table a language, each with the same keys.
 * The build puts the tables of one language into the document, and nothing but those.
 */

/** What the page speaks, each by its own name; the first where a browser asks for none of them. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  pt: 'Português',
  nl: 'Nederlands',
  pl: 'Polski',
} as const;
export type Language = keyof typeof LANGUAGES;

/** All languages, each with every word that the English table `En` has. */
export type Catalogue<En> = { readonly en: En } & {
  readonly [Other in Exclude<Language, 'en'>]: { readonly [Key in keyof En]: string };
};

/** The places in a sentence that are filled in: `{n}` of `{most}`. */
type Holes<Words> = Words extends `${string}{${infer Hole}}${infer Rest}` ? Hole | Holes<Rest> : never;
type Values<Words> = [Holes<Words>] extends [never] ? [] : [values: Readonly<Record<Holes<Words>, string | number>>];

export interface Speech<En> {
  /** The words of this key, with what belongs into their places. */
  <Key extends keyof En & string>(key: Key, ...values: Values<En[Key]>): string;
  /** For a code that the node told: its words, undefined where there are none. */
  readonly find: (key: string) => string | undefined;
}

/** Of the document, as `<html lang>` has it. It stays the same for as long as the page is there. */
export const language = globalThis.document?.documentElement.lang as Language;

const HOLE = /\{(\w+)\}/g;

/** How a panel speaks: the words of its room in the language of the document, in English where it has none. */
export function speech<const En extends Readonly<Record<string, string>>>(
  catalogue: { readonly en: En } & { readonly [Other in Language]?: Readonly<Record<keyof En & string, string>> },
): Speech<En> {
  const table: Readonly<Record<string, string>> = catalogue[language] ?? catalogue.en;
  const find = (key: string): string | undefined => (Object.hasOwn(table, key) ? table[key] : undefined);
  const say = (key: string, values: Readonly<Record<string, string | number>> = {}): string =>
    (find(key) ?? key).replace(HOLE, (_, hole: string) => String(values[hole] ?? ''));
  return Object.assign(say, { find }) as Speech<En>;
}

/** Who made a choice keeps it: the node reads it before it reads what the browser asks for. */
export function choose(chosen: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is for secure origins alone.
  document.cookie = `tillnode-language=${chosen};path=/;max-age=31536000;samesite=lax`;
  location.reload();
}
