/** Reasons for people, in any language: a key of the words and what belongs into their places. */
import { filled, type Language } from '../../base/language.ts';
import { words } from './words/wifi/index.ts';

/** Why credentials are refused, or why a join failed. */
export interface Reason {
  readonly key: keyof (typeof words)['en'];
  readonly values?: Readonly<Record<string, string | number>>;
}

/** The reason as a clause. */
export const inWords = ({ key, values = {} }: Reason, language: Language): string =>
  filled(words[language][key], values);
