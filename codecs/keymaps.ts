/**
 * Keyboard layouts by HID usage (HID Usage Tables, page 07). Choose the layout that is set in the scanner.
 * Sources. us, uk, de and fr: the key maps of Neradoc/Circuitpython_Keyboard_Layouts (libraries/layouts, MIT licence), in
 * a notation of this project. es and it, and key 64 of uk: the layouts Spanish, Italian and United Kingdom of Windows, as
 * Microsoft's layout charts show them, on boards with the key positions of ISO/IEC 9995.
 */
import type { OemPage } from './alt-code.ts';

export type LayoutName = 'us' | 'uk' | 'de' | 'fr' | 'es' | 'it';

/** A dead key: an accent that combines with the next letter. `composed`: the accented letter by letter. */
export interface DeadKey {
  readonly accent: string;
  readonly composed: ReadonlyMap<string, string>;
}

export interface KeyMeaning {
  /** The character of the key alone, with Shift, with AltGr, with both. */
  readonly levels: readonly (string | DeadKey | undefined)[];
  /** Caps Lock acts on it as Shift does. */
  readonly caps: boolean;
}

export interface KeyboardLayout {
  readonly name: LayoutName;
  /** Keys by usage. */
  readonly keys: readonly (KeyMeaning | undefined)[];
  /** The right Alt key is AltGr; else it is Alt like the left one (Windows' layout United States has no AltGr). */
  readonly altGr: boolean;
  /** The character of the decimal key on the keypad. */
  readonly decimal: string;
  /** The code page of Alt codes without a 0 in front, on a Windows of its country. */
  readonly oemPage: OemPage;
}

/** The usage of a key, then its characters by level; ␣ where a level has none. */
const ROW = /([0-9a-f]{2}) (\S+)/g;
const NONE = '␣';

/** A dead key: usage, level, and the accented letters that it makes, the accent itself last. */
type Dead = readonly [usage: number, level: number, makes: string];

const ACUTE = 'áéíóúýÁÉÍÓÚÝ´';
const GRAVE = 'àèìòùÀÈÌÒÙ`';
const CIRCUMFLEX = 'âêîôûÂÊÎÔÛ^';
const DIAERESIS = 'äëïöüÿÄËÏÖÜ¨';
const TILDE = 'ãÃñÑõÕ~';

const FIRST_DIGIT = 0x1e;
const LAST_DIGIT = 0x27;

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
  .map((letter, index) => `${(4 + index).toString(16).padStart(2, '0')} ${letter}${letter.toUpperCase()}`)
  .join(' ');

const US = `${LETTERS}
  1e 1!  1f 2@  20 3#  21 4$  22 5%  23 6^  24 7&  25 8*  26 9(  27 0)  2d -_  2e =+  2f [{  30 ]}  31 \\|
  32 \\|  33 ;:  34 '"  35 \`~  36 ,<  37 .>  38 /?  64 \\|`;

const UK = `${US}
  04 aAáÁ  08 eEéÉ  0c iIíÍ  12 oOóÓ  18 uUúÚ  1f 2"  20 3£  21 4$€  31 #~  32 #~  34 '@  35 \`¬¦`;

const DE = `${US}
  08 eE€  10 mMµ  14 qQ@  1c zZ  1d yY  1f 2"²  20 3§³  23 6&  24 7/{  25 8([  26 9)]  27 0=}  2d ß?\\  2e ␣
  2f üÜ  30 +*~  31 #'  32 #'  33 öÖ  34 äÄ  35 ␣°  36 ,;  37 .:  38 -_  64 <>|`;

const FR = `${US}
  04 qQ  08 eE€  10 ,?  14 aA  1a zZ  1d wW  1e &1  1f é2  20 "3#  21 '4{  22 (5[  23 -6|  24 è7  25 _8\\
  26 ç9^  27 à0@  2d )°]  2e =+}  2f ␣  30 $£¤  31 *µ  32 *µ  33 mM  34 ù%  35 ²  36 ;.  37 :/  38 !§  64 <>`;

const ES = `${US}
  08 eE€  1e 1!|  1f 2"@  20 3·#  21 4$  22 5%€  23 6&¬  24 7/  25 8(  26 9)  27 0=  2d '?  2e ¡¿  2f ␣␣[
  30 +*]  31 çÇ}  32 çÇ}  33 ñÑ  34 ␣␣{  35 ºª\\  36 ,;  37 .:  38 -_  64 <>`;

const IT = `${US}
  08 eE€  1f 2"  20 3£  22 5%€  23 6&  24 7/  25 8(  26 9)  27 0=  2d '?  2e ì^  2f èé[{  30 +*]}  31 ù§
  32 ù§  33 òç@  34 à°#  35 \\|  36 ,;  37 .:  38 -_  64 <>`;

const deadKey = (makes: string): DeadKey => {
  const characters = [...makes];
  const accent = characters.pop()!;
  return { accent, composed: new Map(characters.map((made) => [made.normalize('NFD')[0]!, made])) };
};

interface LayoutExtras {
  readonly dead?: readonly Dead[];
  readonly decimal?: string;
  /** Caps Lock acts on the digit row, too. */
  readonly capsDigits?: boolean;
}

/** A layout, whose keys are read from `rows` when they are first asked for: few nodes need one, none needs all. */
function layout(name: LayoutName, rows: string, extras: LayoutExtras = {}): KeyboardLayout {
  let keys: KeyboardLayout['keys'] | undefined;
  return {
    name,
    get keys() {
      keys ??= keysOf(rows, extras);
      return keys;
    },
    altGr: name !== 'us',
    decimal: extras.decimal ?? '.',
    oemPage: name === 'us' ? 437 : 850,
  };
}

/** Where `rows` has a key twice, the later one counts. */
function keysOf(rows: string, extras: LayoutExtras): KeyboardLayout['keys'] {
  const keys: (KeyMeaning | undefined)[] = [];
  for (const [, hex = '', row = ''] of rows.matchAll(ROW)) {
    const usage = Number.parseInt(hex, 16);
    const [plain, shifted] = row;
    const letter = plain !== undefined && plain !== shifted && plain.toUpperCase() === shifted;
    const digit = usage >= FIRST_DIGIT && usage <= LAST_DIGIT;
    const levels: KeyMeaning['levels'] = [...row].map((character) => (character === NONE ? undefined : character));
    keys[usage] = { levels, caps: letter || (digit && extras.capsDigits === true) };
  }
  for (const [usage, level, makes] of extras.dead ?? []) {
    const { levels, caps } = keys[usage]!;
    keys[usage] = { levels: Object.assign([...levels], { [level]: deadKey(makes) }), caps };
  }
  return keys;
}

/** The layouts by name. */
export const KEYBOARD_LAYOUTS: Readonly<Record<LayoutName, KeyboardLayout>> = {
  us: layout('us', US),
  uk: layout('uk', UK),
  de: layout('de', DE, {
    decimal: ',',
    dead: [
      [0x2e, 0, ACUTE],
      [0x2e, 1, GRAVE],
      [0x35, 0, CIRCUMFLEX],
    ],
  }),
  fr: layout('fr', FR, {
    decimal: ',',
    capsDigits: true,
    dead: [
      [0x2f, 0, CIRCUMFLEX],
      [0x2f, 1, DIAERESIS],
      [0x1f, 2, TILDE],
      [0x24, 2, GRAVE],
    ],
  }),
  es: layout('es', ES, {
    dead: [
      [0x2f, 0, GRAVE],
      [0x2f, 1, CIRCUMFLEX],
      [0x34, 0, ACUTE],
      [0x34, 1, DIAERESIS],
      [0x21, 2, TILDE],
    ],
  }),
  it: layout('it', IT),
};
