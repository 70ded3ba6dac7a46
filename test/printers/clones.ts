/**
 * 80 mm printers of Chinese makers, which read ESC/POS by a shorter table and check little. Commands: Xprinter XP-80 series
 * Programmer Manual and Gainscha GP-80 series Programming Manual, chapter "Commands" (their FS & says: after power-on the
 * printer is in Chinese mode, "the first byte 81…FE hex and the byte behind it are one character"). Second bytes: GBK 1.0 has
 * 40…7E and 80…FE; GB18030-2005 section 5 has four-byte characters, whose second and fourth bytes are 30…39.
 */
import { AGAIN, type Commands, type Habits, Interpreter, type Reading } from './interpreter.ts';
import {
  any,
  barCode,
  bitImage,
  carrier,
  command,
  downloadedImage,
  from,
  functions,
  initialise,
  kanjiModes,
  macros,
  named,
  one,
  pass,
  prints,
  pulse,
  rasterImage,
  realTimePulse,
  storedImages,
  styles,
  tabs,
  userCharacters,
  withData,
} from './reading.ts';

const BAR_CODES = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [65 + at, from(1, 255)]));
const single = Object.fromEntries(
  [...' %-3?EGRTVatu{7'].map((second) => [`ESC ${second}`, command([any])]),
) as Commands;
const singleGs = Object.fromEntries(
  [...'!/BEHITabfhrw|'].map((second) => [`GS ${second}`, command([any])]),
) as Commands;

export const CLONE: Commands = {
  ...macros,
  ...styles,
  ...kanjiModes,
  ...single,
  ...singleGs,
  'DLE \x04': command([from(1, 4)]),
  'DLE \x05': command([any]),
  'DLE \x14': realTimePulse,
  'ESC $': command([any, any]),
  'ESC &': userCharacters(from(1, 3), from(32, 126), () => 12),
  'ESC *': bitImage({ 0: 1, 1: 1, 32: 3, 33: 3 }, from(0, 3)),
  'ESC 2': command([]),
  'ESC @': initialise,
  'ESC B': command([any, any]),
  'ESC D': tabs,
  'ESC J': prints(any),
  'ESC \\': command([any, any]),
  'ESC c': named({ 3: command([any]), 4: command([any]), 5: command([any]) }),
  'ESC d': prints(any),
  'ESC i': prints(),
  'ESC m': prints(),
  'ESC p': pulse(any),
  'FS !': command([any]),
  'FS -': command([any]),
  'FS 2': withData([any, any], 72),
  'FS S': command([any, any]),
  'FS W': command([any]),
  'FS p': prints(any, any),
  'FS q': storedImages(any, any, () => true),
  'GS $': command([any, any]),
  'GS (': functions('k'),
  'GS *': downloadedImage(any, any, 65_025),
  'GS L': command([any, any]),
  'GS P': command([any, any]),
  'GS V': carrier([any], function* (_, [m = 0]) {
    if (m >= 65) yield 1;
  }),
  'GS W': command([any, any]),
  'GS \\': command([any, any]),
  'GS k': barCode(6, BAR_CODES, true),
  'GS v': rasterImage(from(0, 65_535), from(0, 65_535), true),
};

const without = (names: RegExp): Commands =>
  Object.fromEntries(Object.entries(CLONE).filter(([name]) => !names.test(name)));

const isLead = from(0x81, 0xfe);
const isSecond = (byte: number) => byte >= 0x40 && byte !== 0x7f && byte <= 0xfe;
const isDigit = from(0x30, 0x39);

/** Two bytes a character in Chinese mode: what cannot be a second byte is read anew (strict), or is one (lax). */
const gbk = (second: 'strict' | 'lax'): NonNullable<Habits['characters']> =>
  function* (printer, first) {
    if (!printer.kanji || !isLead(first)) return;
    if (!isSecond(yield 1) && second === 'strict') yield AGAIN;
  };

/** Four bytes where the second is a digit: the third and the fourth are not looked at. */
function* gb18030(printer: Interpreter, first: number): Reading {
  if (!printer.kanji || !isLead(first)) return;
  if (isDigit(yield 1)) yield* pass(2);
}

/** A sequence is as long as its first byte says (RFC 3629, section 3; to six bytes in RFC 2279): what follows is not looked at. */
function* utf8(_: Interpreter, first: number): Reading {
  if (first >= 0xc0) yield* pass(first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf8 ? 3 : first < 0xfc ? 4 : 5);
}

const clone = (name: string, rest: Partial<Habits> = {}) =>
  new Interpreter({ name, commands: CLONE, unknown: 'both', realTime: 'commands', macroMemory: 2048, ...rest });

export const gbkStrict = () => clone('GBK, strict second byte', { characters: gbk('strict'), unknown: 'lead' });
export const gbkLax = () => clone('GBK, any second byte', { characters: gbk('lax') });
export const gb18030Lax = () => clone('GB18030, four bytes uncounted', { characters: gb18030, macroMemory: 4096 });
export const utf8Counting = () =>
  clone('UTF-8, counted by the first byte', { characters: utf8, commands: without(/^ESC D/) });

/**
 * HCC POS80B and Woosim. ESC Z: POS80B Thermal Printer Technical Manual V1.02, "ESC Z v r k nL nH d1…dn" (QR code); Woosim
 * Command Manual 2.7, 1.7 "Barcode Commands", ESC Z m n k dL dH d1…dn. Real-time: POS80B manual, DLE DC4 fn m t.
 */
export const pos80b = () =>
  clone('POS80B', {
    commands: {
      ...CLONE,
      'ESC Z': carrier([any, any, any, any, any], (_, [, , , low = 0, high = 0]) => pass(low + high * 256)),
    },
  });

/**
 * Printers without a name that take any parameter, and pass over two or three bytes more where they do not know the command:
 * most commands have one or two parameters. They print pictures by ESC * alone. A macro is kept and not printed while it is defined.
 */
export const skipping = (unknown: 'two more' | 'three more') =>
  clone(`clone that skips ${unknown}`, {
    commands: without(/^GS [(!LPW$v]|^FS [q2]|^ESC [&7B]/),
    unknown,
    macroDefinition: 'kept',
    realTime: unknown === 'two more' ? 'commands' : 'anywhere, taken out',
  });

const LANGUAGE = [0x1f, 0xfc, 1, 2, 3];

/**
 * Printers of receipts and labels: US ESC US FC 01 02 03 and 33 or 44 select TSPL or CPCL (Gprinter SDK for Android, "change mode"),
 * and in TSPL the line `CASHDRAWER m,t1,t2` opens the drawer (Gprinter TSPL SDK, `addCashdrawer`).
 */
export const bilingual = (realTime: Habits['realTime']) =>
  clone(`two languages, real-time ${realTime}`, {
    realTime,
    commands: {
      ...CLONE,
      'US \x1b': function* (printer) {
        for (const expected of LANGUAGE) {
          if ((yield 1) === expected) continue;
          yield AGAIN;
          return;
        }
        if (one(0x33, 0x44)(yield 1)) printer.do('language');
      },
    },
  });

/** GS F9h 35h n, and 20h for good: n = 0 is ESC/Bematech, in which ESC v n opens the drawer (MP-4200 TH Programmer's Manual). */
export const bematech = () =>
  clone('Bematech', {
    commands: {
      ...without(/^GS \(/),
      'GS \xf9': named({
        ' ': command([one(0)], (printer) => printer.do('language')),
        '5': command([one(0)], (printer) => printer.do('language')),
      }),
    },
  });

/** One whose drawer hangs on BEL too, as in the printers that Star emulations share a board with. */
export const belPulsing = () => clone('pulses on BEL', { pulsesOnBel: true });
