/**
 * The words of the project are data: `words/{en,de,…}.json` in the folder of a room, one file a language. What a language
 * lacks is said in English. A page carries the words of one language (`speech.ts`); what the node itself says, such as a
 * printed notice, it says in any (`catalogue`).
 */

/** What page and node speak, each by its own name; the first where a browser asks for none of them. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  pt: 'Português',
  nl: 'Nederlands',
  pl: 'Polski',
  tr: 'Türkçe',
  ro: 'Română',
  ar: 'العربية',
  zh: '简体中文',
  ja: '日本語',
} as const;
export type Language = keyof typeof LANGUAGES;

/** The words of one language by their keys. */
export type Table = Readonly<Record<string, string>>;

/** The languages of a printed notice: that of the image, if it has one, and English. */
export const languagesOfNotice = (language: Language = 'en'): readonly Language[] => [
  ...new Set([language, 'en'] as const),
];

/** Which way a language is written, for `dir` of HTML. */
export const directionOf = (language: string): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** The plural forms of a sentence, as keys have them at their end (Unicode TR 35 part 3, section 5). */
export const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;

/** The forms that whole numbers up to some hundreds take in this language. */
export function formsOf(language: string): readonly string[] {
  const rules = new Intl.PluralRules(language);
  const used = new Set(Array.from({ length: 200 }, (_, n) => rules.select(n)));
  return FORMS.filter((form) => used.has(form) || form === 'other');
}

/** The words of one language with all keys of the English ones. */
type Whole<En> = { readonly [Key in keyof En]: string };

/** All languages of what the node itself says, with English in the place of what one lacks. */
export function catalogue<En extends Table>(
  en: En,
  others: Readonly<Record<Exclude<Language, 'en'>, Partial<Whole<En>>>>,
): Readonly<Record<Language, Whole<En>>> {
  const tables: Readonly<Record<Language, Partial<Whole<En>>>> = { en, ...others };
  const whole = {} as Record<Language, Whole<En>>;
  for (const language of Object.keys(tables) as Language[]) {
    // Most nodes speak one of them, and none before a notice is to be printed.
    const once = () => {
      const value = { ...en, ...tables[language] };
      Object.defineProperty(whole, language, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(whole, language, { get: once, enumerable: true, configurable: true });
  }
  return whole;
}

/** Words with these values in their places, such as `{n}`; `show` says how a value is written. */
export const filled = (
  words: string,
  values: Readonly<Record<string, string | number>>,
  show: (value: string | number) => string = String,
): string => words.replace(/\{(\w+)\}/g, (_, hole: string) => show(values[hole] ?? ''));
