/**
 * One-dimensional symbols as a printer draws them: '1' is a dark module. Wide elements are three modules.
 * ISO/IEC 15420 (EAN/UPC), 16388 (Code 39), 16390 (interleaved 2 of 5), AIM USS-93, AIM USS-Codabar.
 */

import { type Code128, code128, code128Auto, gs1of128, type LinearSymbol } from './code128.ts';

export type LinearSymbology = 'upca' | 'upce' | 'ean13' | 'ean8' | 'code39' | 'itf' | 'codabar' | 'code93' | Code128;

const EAN_LEFT = '0001101 0011001 0010011 0111101 0100011 0110001 0101111 0111011 0110111 0001011'.split(' ');
const EAN_RIGHT = EAN_LEFT.map((code) => [...code].map((bit) => (bit === '1' ? '0' : '1')).join(''));
const EAN_MIRRORED = EAN_RIGHT.map((code) => [...code].reverse().join(''));
/** Which left digits are mirrored, by the first digit of an EAN-13; and of a UPC-E, by its check digit. */
const EAN13_PARITY = 'LLLLLL LLGLGG LLGGLG LLGGGL LGLLGG LGGLLG LGGGLL LGLGLG LGLGGL LGGLGL'.split(' ');
const UPCE_PARITY = 'GGGLLL GGLGLL GGLLGL GGLLLG GLGGLL GLLGGL GLLLGG GLGLGL GLGLLG GLLGLG'.split(' ');

const checkDigit = (digits: string): string => {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) sum += Number(digits[digits.length - 1 - at]) * (at % 2 === 0 ? 3 : 1);
  return String((10 - (sum % 10)) % 10);
};

/** Adds the check digit where it is left to the printer; a wrong one makes it no number. */
const completed = (digits: string, length: number): string | undefined => {
  const body = digits.slice(0, length - 1);
  const whole = body + checkDigit(body);
  return digits.length === length - 1 || digits === whole ? whole : undefined;
};

const left = (digits: string, parity: string): string =>
  [...digits].map((digit, at) => (parity[at] === 'G' ? EAN_MIRRORED : EAN_LEFT)[Number(digit)]).join('');
const right = (digits: string): string => [...digits].map((digit) => EAN_RIGHT[Number(digit)]).join('');

const ean13 = (digits: string): LinearSymbol | undefined => {
  const text = completed(digits, 13);
  if (text === undefined) return undefined;
  const parity = EAN13_PARITY[Number(text[0])]!;
  return { text, bars: `101${left(text.slice(1, 7), parity)}01010${right(text.slice(7))}101` };
};

const upca = (digits: string): LinearSymbol | undefined => {
  const text = completed(digits, 12);
  const symbol = ean13(`0${text}`);
  return text && symbol ? { text, bars: symbol.bars } : undefined;
};

const ean8 = (digits: string): LinearSymbol | undefined => {
  const text = completed(digits, 8);
  return text === undefined
    ? undefined
    : { text, bars: `101${left(text.slice(0, 4), 'LLLL')}01010${right(text.slice(4))}101` };
};

/** The UPC-A number body (11 digits) that the six digits of a UPC-E stand for. */
const expanded = (six: string): string => {
  const last = six[5]!;
  if (last <= '2') return `0${six.slice(0, 2)}${last}0000${six.slice(2, 5)}`;
  if (last === '3') return `0${six.slice(0, 3)}00000${six.slice(3, 5)}`;
  if (last === '4') return `0${six.slice(0, 4)}00000${six[4]}`;
  return `0${six.slice(0, 5)}0000${last}`;
};

const compressed = (body: string): string | undefined => {
  const [m, p] = [body.slice(1, 6), body.slice(6)];
  const candidates = [
    m.slice(0, 2) + p.slice(2) + m[2],
    `${m.slice(0, 3)}${p.slice(3)}3`,
    `${m.slice(0, 4)}${p.slice(4)}4`,
    m + p.slice(4),
  ];
  return candidates.find((six) => six.length === 6 && expanded(six) === body);
};

/** Six digits, seven with the leading 0, eight with the check digit too; or a UPC-A number that can be shortened. */
const upce = (digits: string): LinearSymbol | undefined => {
  if (![6, 7, 8, 11, 12].includes(digits.length) || (digits.length !== 6 && digits[0] !== '0')) return undefined;
  const long = digits.length >= 11 ? completed(digits, 12)?.slice(0, 11) : undefined;
  const six = digits.length >= 11 ? long && compressed(long) : digits.length === 6 ? digits : digits.slice(1, 7);
  if (six === undefined) return undefined;
  const check = checkDigit(expanded(six));
  if (digits.length === 8 && digits[7] !== check) return undefined;
  return { text: `0${six}${check}`, bars: `101${left(six, UPCE_PARITY[Number(check)]!)}010101` };
};

/** Elements in turn dark and light, starting dark; set bits of `widths` are wide. */
const elements = (widths: number, count: number): string => {
  let bars = '';
  for (let at = 0; at < count; at += 1) {
    const wide = (widths >> (count - 1 - at)) & 1;
    bars += (at % 2 === 0 ? '1' : '0').repeat(wide ? 3 : 1);
  }
  return bars;
};

const CODE39 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%*';
const CODE39_WIDTHS = [
  0x034, 0x121, 0x061, 0x160, 0x031, 0x130, 0x070, 0x025, 0x124, 0x064, 0x109, 0x049, 0x148, 0x019, 0x118, 0x058, 0x00d,
  0x10c, 0x04c, 0x01c, 0x103, 0x043, 0x142, 0x013, 0x112, 0x052, 0x007, 0x106, 0x046, 0x016, 0x181, 0x0c1, 0x1c0, 0x091,
  0x190, 0x0d0, 0x085, 0x184, 0x0c4, 0x0a8, 0x0a2, 0x08a, 0x02a, 0x094,
];

const code39 = (data: string): LinearSymbol | undefined => {
  const text = data.replaceAll(/^\*|\*$/g, '');
  if (text === '' || text.includes('*')) return undefined;
  return { text, bars: [...`*${text}*`].map((char) => elements(CODE39_WIDTHS[CODE39.indexOf(char)]!, 9)).join('0') };
};

const ITF = ['00110', '10001', '01001', '11000', '00101', '10100', '01100', '00011', '10010', '01010'];

/** Pairs of digits, one in the bars and one in the spaces; an odd last digit is left out. */
const itf = (data: string): LinearSymbol | undefined => {
  const text = data.slice(0, data.length & ~1);
  if (text === '') return undefined;
  let bars = '1010';
  for (let pair = 0; pair < text.length; pair += 2) {
    const [dark, light] = [ITF[Number(text[pair])]!, ITF[Number(text[pair + 1])]!];
    for (let at = 0; at < 5; at += 1) bars += (dark[at] === '1' ? '111' : '1') + (light[at] === '1' ? '000' : '0');
  }
  return { text, bars: `${bars}11101` };
};

const CODABAR = '0123456789-$:/.+ABCD';
const CODABAR_WIDTHS = [
  0x03, 0x06, 0x09, 0x60, 0x12, 0x42, 0x21, 0x24, 0x30, 0x48, 0x0c, 0x18, 0x45, 0x51, 0x54, 0x15, 0x1a, 0x29, 0x0b,
  0x0e,
];

const codabar = (data: string): LinearSymbol | undefined => {
  const text = data.toUpperCase();
  if (!/^[A-D][0-9\-$:/.+]*[A-D]$/.test(text)) return undefined;
  return { text, bars: [...text].map((char) => elements(CODABAR_WIDTHS[CODABAR.indexOf(char)]!, 7)).join('0') };
};

/** By value (AIM USS-93, table 1); values 43 to 46 are the shift characters, 47 is start and stop. */
const CODE93 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%';
const [DOLLAR, PERCENT, SLASH, PLUS, CODE93_ENDS] = [43, 44, 45, 46, 47];
const CODE93_BARS = [
  0x114, 0x148, 0x144, 0x142, 0x128, 0x124, 0x122, 0x150, 0x112, 0x10a, 0x1a8, 0x1a4, 0x1a2, 0x194, 0x192, 0x18a, 0x168,
  0x164, 0x162, 0x134, 0x11a, 0x158, 0x14c, 0x146, 0x12c, 0x116, 0x1b4, 0x1b2, 0x1ac, 0x1a6, 0x196, 0x19a, 0x16c, 0x166,
  0x136, 0x13a, 0x12e, 0x1d4, 0x1d2, 0x1ca, 0x16e, 0x176, 0x1ae, 0x126, 0x1da, 0x1d6, 0x132, 0x15e,
];

/** Full ASCII (AIM USS-93, table 2): runs of characters, the shift character before them, and the letter of the first. */
const CODE93_SHIFTED: readonly (readonly [from: string, to: string, shift: number, letter: string])[] = [
  ['\x00', '\x00', PERCENT, 'U'],
  ['\x01', '\x1a', DOLLAR, 'A'],
  ['\x1b', '\x1f', PERCENT, 'A'],
  ['!', ',', SLASH, 'A'],
  [':', ':', SLASH, 'Z'],
  [';', '?', PERCENT, 'F'],
  ['@', '@', PERCENT, 'V'],
  ['[', '_', PERCENT, 'K'],
  ['`', '`', PERCENT, 'W'],
  ['a', 'z', PLUS, 'A'],
  ['{', '\x7f', PERCENT, 'P'],
];

/** One value, or two with a shift character; none for what is not ASCII. */
const code93Values = (char: string): readonly number[] => {
  const value = CODE93.indexOf(char);
  if (value >= 0) return [value];
  const [from, , shift, letter] = CODE93_SHIFTED.find(([first, last]) => first <= char && char <= last) ?? [];
  if (from === undefined || shift === undefined || letter === undefined) return [];
  return [shift, CODE93.indexOf(letter) + char.charCodeAt(0) - from.charCodeAt(0)];
};

const code93 = (text: string): LinearSymbol => {
  const values = [...text].flatMap(code93Values);
  for (const longest of [20, 15]) {
    const sum = values.reduce((total, value, at) => total + value * (((values.length - 1 - at) % longest) + 1), 0);
    values.push(sum % 47);
  }
  return {
    text,
    bars: `${[CODE93_ENDS, ...values, CODE93_ENDS].map((value) => CODE93_BARS[value]!.toString(2)).join('')}1`,
  };
};

const ENCODERS: Readonly<Record<LinearSymbology, (data: string) => LinearSymbol | undefined>> = {
  upca,
  upce,
  ean13,
  ean8,
  code39,
  itf,
  codabar,
  code93,
  code128,
  'gs1-128': gs1of128,
  'code128-auto': code128Auto,
};

/** The symbol for the data of GS k, which its alphabet holds; undefined where the printer prints none. */
export const encodeBarcode = (symbology: LinearSymbology, data: Uint8Array): LinearSymbol | undefined =>
  ENCODERS[symbology](String.fromCharCode(...data));
