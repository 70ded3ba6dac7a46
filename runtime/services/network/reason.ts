/** Reasons for people, in any language: a key of the words and what belongs into their places. */
import { filled, type Language } from '../../base/language.ts';
import type { RadioFault } from '../../bindings/network.ts';
import { shownSsid } from '../../bindings/ssid.ts';
import { words } from './words/wifi/index.ts';

/** Why credentials are refused, or why a join failed. */
export interface Reason {
  readonly key: keyof (typeof words)['en'];
  readonly values?: Readonly<Record<string, string | number>>;
}

/** The reason as a clause. */
export const inWords = ({ key, values = {} }: Reason, language: Language): string =>
  filled(words[language][key], values);

/** Why the node is in setup mode although it has credentials. */
export interface SetupTrouble {
  readonly ssid: string;
  readonly fault: RadioFault;
}

/** The trouble as a sentence. */
export const troubleWords = ({ ssid, fault }: SetupTrouble, language: Language): string =>
  filled(words[language].trouble, { ssid: shownSsid(ssid), reason: inWords({ key: fault }, language) });
