/** The words of the page as its catalogues have them, and whether a text is made of them. */
import { readFileSync } from 'node:fs';
import { tablesIn, wordFolders } from '../runtime/assembly/page/word-files.ts';
import { LANGUAGES, type Language, type Table } from '../runtime/base/language.ts';

/** A table of words in this language, with English in the place of what it lacks. */
export function wordsAt(folder: string, language: Language): Table {
  const tables = tablesIn(folder);
  return { ...tables.en, ...tables[language] };
}

/** Every sentence of this language. */
export const sentencesIn = (language: Language): string[] =>
  wordFolders().flatMap((folder) => Object.values(wordsAt(folder, language)));

export const languages = Object.keys(LANGUAGES) as Language[];

/**
 * One of each kind: long words, three plurals, right to left, without spaces. What the page does with words is tried in
 * these; that there are words, in all.
 */
export const languageKinds = ['en', 'de', 'pl', 'ar', 'ja'] as const satisfies readonly Language[];

/** Every string that stands in this, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** What schemas offer to choose from: names of the API, the same in every language. */
export function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { const: name, enum: names } = schema as { readonly const?: unknown; readonly enum?: unknown };
  return [...stringsIn(name), ...stringsIn(names), ...Object.values(schema).flatMap(namesIn)];
}

/** The schemas of fields with this name, at whatever depth. */
export function fieldsOf(name: string, schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, inner]) => (key === name ? [inner] : fieldsOf(name, inner)));
}

export const openapi = (): unknown => JSON.parse(readFileSync('dist/twin/openapi.json', 'utf8'));

const LETTERS = /\p{L}+/gu;

/** Tells of a text whether all of it is words of `sentences`, with `data` in their places. */
export function speaker(sentences: readonly string[], data: readonly string[]): (text: string) => boolean {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const exact = new Set(sentences.map((sentence) => sentence.trim()));
  const templates = sentences
    .filter((sentence) => /\{\w+\}/.test(sentence))
    .map(
      (sentence) =>
        new RegExp(
          `^${sentence
            .trim()
            .split(/\{\w+\}/)
            .map(literal)
            .join('(.*?)')}$`,
          'su',
        ),
    );
  const told = new Set(data.flatMap((text) => text.match(LETTERS) ?? []));
  const isSaid = (text: string): boolean => {
    const words = text.match(LETTERS) ?? [];
    if (exact.has(text) || words.every((word) => told.has(word))) return true;
    // Two sentences that share a line, and a title with the name of the node behind it.
    const [, first, second] = /^(.+?)(?:; | · )(.+)$/su.exec(text) ?? [];
    if (first !== undefined && second !== undefined && isSaid(first) && isSaid(second)) return true;
    return templates.some((template) => {
      const places = template.exec(text)?.slice(1);
      return places?.every((place) => place.length < text.length && isSaid(place.trim())) === true;
    });
  };
  return (text) => isSaid(text.trim());
}
