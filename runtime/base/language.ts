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

/** Words with these values in their places, such as `{n}`; `show` says how a value is written. */
export const filled = (
  words: string,
  values: Readonly<Record<string, string | number>>,
  show: (value: string | number) => string = String,
): string => words.replace(/\{(\w+)\}/g, (_, hole: string) => show(values[hole] ?? ''));
