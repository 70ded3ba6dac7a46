/**
 * Characters typed by their number, as Windows takes them: Alt held and digits on the keypad, with 0 in front for code
 * page 1252, without for the OEM page; Alt held and + on the keypad, then hexadecimal digits, for a code point of Unicode
 * (EnableHexNumpad); hexadecimal digits and then Alt+x, as Word and WordPad take it. Num Lock does not matter.
 */
import { WINDOWS_1252 } from './windows-1252.ts';

/** Usage of 1 on the keypad; 2 to 9 and 0 follow (HID Usage Tables, page 07). */
export const KEYPAD_1 = 0x59;
const KEYPAD_0 = 0x62;
const KEYPAD_PLUS = 0x57;
const MOST_DIGITS = 8;

const ASCII = WINDOWS_1252.slice(0, 128).join('');
/** The OEM code pages of Windows: 437 in the USA, 850 in Western Europe. */
const OEM = {
  437:
    ASCII +
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
    '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850:
    ASCII +
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
} as const;
export type OemPage = keyof typeof OEM;

/** The digits so far, and what they are: begun with 0, with another digit, or with + on the keypad. */
export interface AltCode {
  readonly of: 'ansi' | 'oem' | 'unicode';
  readonly digits: string;
}

/** The code after one more key while Alt is held. `letter`: what the key types alone. Other keys change nothing. */
export function typeAlt(code: AltCode | undefined, usage: number, letter: string): AltCode | undefined {
  if (code === undefined && usage === KEYPAD_PLUS) return { of: 'unicode', digits: '' };
  const digit = usage >= KEYPAD_1 && usage <= KEYPAD_0 ? String((usage - KEYPAD_1 + 1) % 10) : undefined;
  if (code === undefined)
    return digit === undefined ? undefined : { of: digit === '0' ? 'ansi' : 'oem', digits: digit };
  const more = digit ?? (code.of === 'unicode' && /^[0-9a-f]$/i.test(letter) ? letter : '');
  return { ...code, digits: (code.digits + more).slice(0, MOST_DIGITS) };
}

/** The character when Alt is released; '' where the number is none. Numbers of a code page count modulo 256. */
export function altText({ of, digits }: AltCode, page: OemPage): string {
  if (of === 'unicode') return fromHex(digits);
  const number = Number(digits) % 256;
  return number === 0 ? '' : (of === 'ansi' ? WINDOWS_1252 : OEM[page])[number]!;
}

/** Stands for Alt+x in typed text; a noncharacter (Unicode, 23.7), which no keyboard types. */
export const BY_CODE_POINT = '\ufdd0';

/**
 * The text once Alt+x was typed behind it: the digits at its end become their character. They are four, as scanners send
 * them, or more where four are no character; a digit that belongs to the text before is thus left alone.
 */
export function byCodePoint(text: string): string {
  for (const form of [/U\+([0-9a-f]{4,6})$/i, /([0-9a-f]{4})$/i, /([0-9a-f]{5})$/i, /([0-9a-f]{6})$/i]) {
    const [whole = '', digits = ''] = form.exec(text) ?? [];
    const character = fromHex(digits);
    if (/^[^\p{Co}\p{Cn}]$/u.test(character)) return text.slice(0, text.length - whole.length) + character;
  }
  return text;
}

/** The character of a code point; '' where there is none, or it is a surrogate, a noncharacter or NUL. */
function fromHex(digits: string): string {
  const code = Number.parseInt(digits, 16);
  const character = code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  return /^[\p{Cs}\p{Noncharacter_Code_Point}]$/u.test(character) ? '' : character;
}
