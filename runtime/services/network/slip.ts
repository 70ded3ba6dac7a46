/** The printed notices of this room, as lines of a print command. */
import { type Language, languagesOfNotice } from '../../base/language.ts';
import { words } from './words/slip/index.ts';

interface SetupSlip {
  readonly ssid: string;
  readonly key: string;
  /** URL of the portal. */
  readonly url: string;
  /** Why it is open although there are credentials, or a fixed address, in sentences. */
  readonly because: (language: Language) => readonly string[];
}

/**
 * Escapes the special characters of a Wi-Fi QR code by a backslash (WPA3 specification 3.4, 7.1; ZXing, "Barcode
 * Contents").
 */
const escaped = (text: string): string => text.replace(/[\\;,:"]/g, '\\$&');

/** The text of the QR code with which a phone joins the network. */
export const joinCode = (ssid: string, key: string): string => `WIFI:T:WPA;S:${escaped(ssid)};P:${escaped(key)};;`;

const text = (value: string, rest: object = {}) => ({ type: 'text', value, ...rest });
const center = { align: 'center' };

type Words = (typeof words)['en'];

/** A sentence in both. */
const sayIn =
  (language: Language) =>
  (key: keyof Words, style: object = {}): readonly object[] =>
    languagesOfNotice(language).map((each) => text(words[each][key], style));

/** Reasons in both, each a paragraph. */
const reasons = (because: (language: Language) => readonly string[], language: Language): readonly object[] =>
  languagesOfNotice(language)
    .flatMap(because)
    .flatMap((words) => [text(words), { type: 'feed' }]);

/** The lines that say how to join the setup network. */
export function slipLines({ ssid, key, url, because }: SetupSlip, language: Language = 'en'): readonly object[] {
  const say = sayIn(language);
  return [
    ...say('connect', { ...center, bold: true, size: '2x' }),
    { type: 'feed' },
    ...reasons(because, language),
    ...say('join'),
    { type: 'feed' },
    text(ssid, { ...center, bold: true }),
    text(key, { ...center, bold: true }),
    { type: 'feed' },
    { type: 'barcode', symbology: 'qr', value: joinCode(ssid, key), align: 'center', size: 8 },
    { type: 'feed' },
    ...say('open'),
    text(url, { ...center, bold: true }),
    { type: 'barcode', symbology: 'qr', value: url, align: 'center', size: 6 },
    ...say('choose'),
  ];
}

interface Here {
  /** What people call it. */
  readonly name: string | undefined;
  /** URL of its page, by its address and by its host name. */
  readonly url: string;
  readonly hostUrl: string;
  /** Why it is not where it was to be. */
  readonly because: (language: Language) => readonly string[];
  /** No other host but the router was heard. */
  readonly isAlone: boolean;
}

/** The lines that say where the node is. */
export function hereLines(
  { name, url, hostUrl, because, isAlone }: Here,
  language: Language = 'en',
): readonly object[] {
  const say = sayIn(language);
  return [
    ...say('ready', { ...center, bold: true, size: '2x' }),
    ...(name === undefined ? [] : [text(name, { ...center, bold: true })]),
    { type: 'feed' },
    ...reasons(because, language),
    ...say('page'),
    text(url, { ...center, bold: true }),
    text(hostUrl, center),
    { type: 'feed' },
    { type: 'barcode', symbology: 'qr', value: url, align: 'center', size: 8 },
    ...(isAlone ? [{ type: 'feed' }, ...say('alone')] : []),
  ];
}
