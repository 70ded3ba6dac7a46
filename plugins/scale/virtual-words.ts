/** Words for the actions of the virtual scale. */
import type { Catalogue } from '../../runtime/base/language.ts';

const en = { tare: 'Press the tare key' } as const;

export const words: Catalogue<typeof en> = {
  en,
  de: { tare: 'Tara-Taste drücken' },
  fr: { tare: 'Appuyer sur la touche tare' },
  es: { tare: 'Pulsar la tecla de tara' },
  it: { tare: 'Premere il tasto tara' },
  pt: { tare: 'Premir a tecla de tara' },
  nl: { tare: 'Op de tarratoets drukken' },
  pl: { tare: 'Naciśnij przycisk tary' },
};
