/** Words for the actions of the virtual scanners. */
import type { Catalogue } from '../../runtime/base/language.ts';

const en = { type: 'Type without Enter', text: 'Characters' } as const;

export const words: Catalogue<typeof en> = {
  en,
  de: { type: 'Ohne Enter tippen', text: 'Zeichen' },
  fr: { type: 'Taper sans Entrée', text: 'Caractères' },
  es: { type: 'Teclear sin Intro', text: 'Caracteres' },
  it: { type: 'Digitare senza Invio', text: 'Caratteri' },
  pt: { type: 'Escrever sem Enter', text: 'Caracteres' },
  nl: { type: 'Typen zonder Enter', text: 'Tekens' },
  pl: { type: 'Wpisz bez Enter', text: 'Znaki' },
};
