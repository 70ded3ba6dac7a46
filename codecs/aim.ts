/**
 * AIM symbology identifiers (ISO/IEC 15424): `]`, a code character for the family, a modifier.
 * A scanner sends them beside the value (HID POS) or, where it is set up so, in front of it (keyboard).
 */
import { inferSymbology, type Symbology } from './symbology.ts';

/** One read and its symbology. `value`: as transmitted, without the identifier in front of it. */
export interface IdentifiedRead {
  readonly value: string;
  /** The identifier as sent, for example `]E0`. */
  readonly aim: string | null;
  readonly symbology: Symbology;
  /** `aim`: the scanner sent an identifier. `inferred`: guessed from the value. */
  readonly symbologySource: 'aim' | 'inferred';
}

/** Symbologies by code character, where all modifiers have the same name here. */
const FAMILIES = new Map<string, Symbology>([
  ['A', 'code39'],
  ['B', 'telepen'],
  ['D', 'other'],
  ['F', 'codabar'],
  ['G', 'code93'],
  ['H', 'code11'],
  ['I', 'itf'],
  ['K', 'code16k'],
  ['M', 'msi'],
  ['N', 'other'],
  ['O', 'codablock'],
  ['P', 'plessey'],
  ['Q', 'qr'],
  ['R', 'straight2of5'],
  ['S', 'straight2of5'],
  ['T', 'code49'],
  ['U', 'maxicode'],
  ['c', 'other'],
  ['d', 'datamatrix'],
  ['e', 'databar'],
  ['h', 'hanxin'],
  ['o', 'ocr'],
  ['p', 'other'],
  ['s', 'other'],
  ['z', 'aztec'],
]);

/** Code X is the maker's own. X0, Bookland, is an EAN-13; the rest is what Zebra sends (Zebra DS457 guide). */
const MAKERS_OWN = new Map<string, Symbology>([
  ['0', 'ean13'],
  ['9', 'ean13'],
  ['C', 'ean8'],
  ['g', 'upca'],
  ['k', 'upce'],
  ['r', 'databar'],
  ['s', 'databar'],
  ['t', 'databar'],
  ['V', 'micropdf417'],
  ['S', 'qr'],
]);

/** Honeywell code ids (Honeywell user's guides, symbology charts), where they have a name here. */
const HONEYWELL = new Map<string, Symbology>([
  ['D', 'ean8'],
  ['E', 'upce'],
  ['c', 'upca'],
  ['d', 'ean13'],
  ['a', 'codabar'],
  ['b', 'code39'],
  ['e', 'itf'],
  ['f', 'straight2of5'],
  ['g', 'msi'],
  ['h', 'code11'],
  ['i', 'code93'],
  ['j', 'code128'],
  ['I', 'gs1-128'],
  ['l', 'code49'],
  ['r', 'pdf417'],
  ['R', 'micropdf417'],
  ['s', 'qr'],
  ['w', 'datamatrix'],
  ['x', 'maxicode'],
  ['y', 'databar'],
  ['z', 'aztec'],
  ['t', 'telepen'],
  ['q', 'codablock'],
  ['V', 'codablock'],
  ['H', 'hanxin'],
  ['|', 'gs1-128'],
  ['{', 'databar'],
  ['}', 'databar'],
]);

const IDENTIFIER = /^\](?:X[0-9A-Za-z]|[A-Za-z][0-9A-Fa-f])/;

/** The symbology of an AIM identifier; the length of the value separates EAN and UPC, which share one. Undefined: unknown. */
export function symbologyOfAim(aim: string, value: string): Symbology | undefined {
  if (!IDENTIFIER.test(aim)) return undefined;
  const modifier = aim.charAt(2);
  switch (aim.charAt(1)) {
    case 'C':
      return modifier === '1' ? 'gs1-128' : 'code128';
    case 'E':
      return eanOrUpc(modifier, value.length);
    case 'L':
      // 3 to 5 say how it emulates Code 128, which only MicroPDF417 does.
      return modifier >= '3' && modifier <= '5' ? 'micropdf417' : 'pdf417';
    case 'X':
      return MAKERS_OWN.get(modifier) ?? 'other';
    default:
      return FAMILIES.get(aim.charAt(1));
  }
}

/** The symbology of a Honeywell code id byte, which separates UPC-A from EAN-13; the AIM identifier does not. */
export const symbologyOfHoneywellId = (id: number): Symbology | undefined => HONEYWELL.get(String.fromCharCode(id));

/** Modifiers of E: 0 no add-on, 1 and 2 the add-on alone, 3 the code with its add-on, 4 EAN-8. */
function eanOrUpc(modifier: string, length: number): Symbology {
  if (modifier === '4') return 'ean8';
  if (modifier === '1' || modifier === '2') return 'other';
  const withAddOn = modifier === '3';
  if (length === 12 || (withAddOn && (length === 14 || length === 17))) return 'upca';
  // Six or seven digits: a setting of the scanner leaves out the number system or the check digit.
  if (length <= 8 || (withAddOn && length === 10)) return 'upce';
  return 'ean13';
}

/**
 * Finds the symbology of a read: by the identifier `transmitted` in a field of its own, else by one in front of the text,
 * which is removed, else by a guess from the value.
 */
export function identifyRead(text: string, transmitted?: string): IdentifiedRead {
  const prefix = transmitted === undefined ? IDENTIFIER.exec(text)?.[0] : undefined;
  const value = prefix !== undefined && text.length > prefix.length ? text.slice(prefix.length) : text;
  const aim = transmitted ?? (value === text ? undefined : prefix);
  const symbology = aim === undefined ? undefined : symbologyOfAim(aim, value);
  if (aim === undefined || symbology === undefined) {
    return { value: text, aim: transmitted ?? null, symbology: inferSymbology(text), symbologySource: 'inferred' };
  }
  return { value, aim, symbology, symbologySource: 'aim' };
}
