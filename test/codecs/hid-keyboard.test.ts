import { describe, expect, it } from 'vitest';
import { BY_CODE_POINT, byCodePoint } from '../../codecs/alt-code.ts';
import { flushKeyboard, newKeyboard, readKeyboardReport } from '../../codecs/hid-keyboard.ts';
import { parseReportDescriptor } from '../../codecs/hid-report.ts';
import { describedFormat, lightsReport } from '../../codecs/keyboard-report.ts';
import { KEYBOARD_LAYOUTS, type LayoutName } from '../../codecs/keymaps.ts';
import spec from '../spec/hid-keyboard.json' with { type: 'json' };

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

/** Presses and releases given as `modifiers key`, in hexadecimal: '02 04' is Shift and A. */
function typed(layout: LayoutName, ...strokes: string[]): string {
  const keyboard = newKeyboard(KEYBOARD_LAYOUTS[layout]);
  const text = strokes.flatMap((stroke) => {
    const [modifiers, usage] = stroke.split(' ');
    return [`${modifiers}00${usage}0000000000`, `${modifiers}00000000000000`, '0000000000000000'].map((report) =>
      readKeyboardReport(keyboard, hex(report)),
    );
  });
  return text.join('') + flushKeyboard(keyboard);
}

describe('a scanner that types', () => {
  const endings = { enter: '\r', tab: '\t', timeout: '' };

  it.each(spec.vectors)('$name: $why', ({ layout, reports, text, terminator }) => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS[layout as LayoutName]);
    const out = reports.map((report) => readKeyboardReport(keyboard, hex(report))).join('');
    expect(out).toBe(text + endings[terminator as keyof typeof endings]);
  });

  it('types the same layout-free keys everywhere: Enter, Tab, Esc, Backspace, the keypad', () => {
    const keys = [
      '00 28',
      '00 58',
      '00 2b',
      '00 29',
      '00 2a',
      '00 54',
      '00 55',
      '00 56',
      '00 57',
      '00 59',
      '00 62',
      '00 67',
    ];
    for (const layout of ['us', 'fr'] as const) expect(typed(layout, ...keys)).toBe('\r\r\t\x1b\b/*-+10=');
    expect(typed('us', '00 63') + typed('de', '00 63') + typed('fr', '00 63')).toBe('.,,');
  });

  it('takes Ctrl and Alt together for AltGr', () => {
    expect(typed('de', '05 14', '40 14', '44 14')).toBe('@@@');
  });

  it('makes control characters with Ctrl, by letter or by the place of the key', () => {
    expect(typed('us', '01 04', '10 1d', '01 2f', '01 31', '01 30', '03 23', '03 2d')).toBe(
      '\x01\x1a\x1b\x1c\x1d\x1e\x1f',
    );
    expect(typed('de', '01 2f', '01 31', '01 32', '01 64')).toBe('\x1b\x1c\x1c\x1c');
    expect(typed('de', '01 30', '01 1c') + typed('fr', '01 30', '01 04')).toBe('\x1d\x1a\x1d\x11');
  });

  it('makes none of Ctrl with what has no control character: @ and `, and - without Shift', () => {
    expect(typed('us', '03 1f', '01 35', '01 2d', '02 2d', '20 2d')).toBe('__');
  });

  it('types nothing for shortcuts with Alt or the GUI key, nor for keys without a character', () => {
    expect(typed('us', '04 04', '40 04', '08 04', '80 15', '00 3a', '00 4f', '01 1e', '00 f0')).toBe('');
  });

  it('types the fourth character of a key with AltGr and Shift, the third where there is none', () => {
    expect(typed('uk', '42 04', '40 04') + typed('de', '42 14')).toBe('Áá@');
  });

  it('lets Caps Lock shift letters, and on the French layout the digit row', () => {
    expect(typed('de', '00 39', '00 33', '00 1e', '02 33', '00 39', '00 33')).toBe('Ö1öö');
    expect(typed('fr', '00 39', '00 1e', '00 34', '00 14')).toBe('1ùA');
  });

  it('joins a dead key to its letter, gives it alone before a space, and both where they do not join', () => {
    expect(typed('fr', '00 2f', '00 08', '00 2f', '00 2c', '00 2f', '00 05', '00 2f', '00 2f')).toBe('ê^^b^^');
    expect(typed('fr', '00 2f', '00 3a', '00 08')).toBe('ê');
    expect(typed('es', '00 34', '02 04', '40 21', '00 11', '02 2f', '00 12')).toBe('Áñô');
    expect(typed('de', '02 2e', '00 28')).toBe('`\r');
  });

  it('gives a dead key that nothing followed as itself when the read is flushed', () => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.de);
    expect(readKeyboardReport(keyboard, hex('0000350000000000'))).toBe('');
    expect([flushKeyboard(keyboard), flushKeyboard(keyboard)]).toEqual(['^', '']);
  });

  it.each([
    ['0 2 3 3, code page 1252', 'us', ['62', '5a', '5b', '5b'], 'é'],
    ['1 3 0, the OEM page, 437', 'us', ['59', '5b', '62'], 'é'],
    ['1 5 5, the OEM page, 437', 'us', ['59', '5d', '5d'], '¢'],
    ['1 5 5, the OEM page of a German Windows, 850', 'de', ['59', '5d', '5d'], 'ø'],
    ['0 2 9, a control character', 'us', ['62', '5a', '61'], '\x1d'],
    ['1 3 2 1, modulo 256 as Windows takes it', 'us', ['59', '5b', '5a', '59'], ')'],
    ['+ 2 0 A C, a code point', 'us', ['57', '5a', '62', '04', '06'], '€'],
    ['+ 2 0 A C, a code point, where A is another key', 'fr', ['57', '5a', '62', '14', '06'], '€'],
    ['+ D 8 0 0, no character', 'us', ['57', '07', '60', '62', '62'], ''],
    ['+ 1 1 0 0 0 0, no code point', 'us', ['57', '59', '59', '62', '62', '62', '62'], ''],
    ['+ 0, which is none', 'us', ['57', '62'], ''],
    ['0, which is none', 'us', ['62'], ''],
    ['2 5 6, which is 0', 'us', ['5a', '5d', '5e'], ''],
    ['1, a control character', 'us', ['59'], '\x01'],
    ['+ 1, the same', 'us', ['57', '59'], '\x01'],
    ['of nine digits the first eight', 'us', [...Array.from({ length: 7 }, () => '62'), '5e', '5d'], '\x06'],
    ['a letter before the digits says nothing', 'us', ['04', '62', '5a', '5b', '5b'], 'é'],
    ['nor does one among them, or the decimal key', 'us', ['62', '5a', '04', '5b', '63', '5b'], 'é'],
    ['nor a letter that is no digit of a code point', 'us', ['57', '5a', '0a', '62', '04', '06'], '€'],
    ['no digit', 'us', [], ''],
  ] as const)('types by number while Left Alt is held: %s', (_, layout, digits, expected) => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS[layout]);
    const reports = ['00', ...digits.flatMap((digit) => [digit, '00'])].map((key) => `0400${key}0000000000`);
    expect(reports.map((report) => readKeyboardReport(keyboard, hex(report))).join('')).toBe('');
    expect(readKeyboardReport(keyboard, hex('0000000000000000'))).toBe(expected);
    expect(readKeyboardReport(keyboard, hex('0000000000000000'))).toBe('');
  });

  it.each([
    ['a digit that is there twice in one report', ['040062606200', '000000000000'], 'P'],
    ['the digits of one report in their order', ['040062605b00', '000000000000'], 'S'],
    ['a digit that is held and pressed again', ['040062000000', '040062605b00', '000000000000'], 'S'],
    ['keys still held when Alt is released', ['040062605b00', '000062605b00', '000000000000'], 'S'],
    ['the next key in the report that releases Alt', ['040062605b00', '000005000000'], 'Sb'],
    ['Alt released in a report of an error', ['040062605b00', '000001010101', '000000000000'], 'S'],
    ['one code after the other, each of its own page', ['0400595b6200', '000000000000', '0400625a5b5b', '00'], 'éé'],
  ])('reads Alt codes as scanners pack them: %s', (_, reports, expected) => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us);
    const typed = reports.map((report) => readKeyboardReport(keyboard, hex(report.padEnd(16, '0'))));
    expect(typed.join('')).toBe(expected);
  });

  it('types the digits of the keypad with Num Lock and without it', () => {
    expect(typed('us', '00 59', '00 53', '00 59', '00 62', '00 53', '00 62')).toBe('1100');
  });

  it('leaves Alt+x for the caller, who has the digits before it', () => {
    expect(typed('us', '04 1b') + typed('fr', '04 1b')).toBe(BY_CODE_POINT.repeat(2));
    const texts = ['20AC', 'AB20ac', 'x U+1F600', '1F600', 'CODE', '12', '', 'D800', 'FDD0'];
    expect(texts.map(byCodePoint)).toEqual(['€', 'AB€', 'x 😀', '😀', 'CODE', '12', '', 'D800', 'FDD0']);
  });

  it.each(['01', '02', '03'])('ignores the keys of a report of error %s, and repeats none held through it', (code) => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us);
    const reports = ['0000040000000000', `0000${code.repeat(6)}`, '0000040500000000', '0000040500000000'];
    expect(reports.map((report) => readKeyboardReport(keyboard, hex(report)))).toEqual(['a', '', 'b', '']);
    expect(keyboard.doubt).toBe('rollover');
  });

  it('takes nothing from a report cut short: a key that is held is not typed again', () => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us);
    const reports = ['0000040000000000', '0000', '0000040000000000'];
    expect(reports.map((report) => readKeyboardReport(keyboard, hex(report)))).toEqual(['a', '', '']);
  });

  it('counts a key as often as one report names it, and again only where it names it more often', () => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us);
    const reports = [
      '0000040405040000',
      '0000040504000000',
      '0000050404060000',
      '0000040404040000',
      '0000050404040400',
    ];
    expect(reports.map((report) => readKeyboardReport(keyboard, hex(report)))).toEqual(['aaba', '', 'c', 'aa', 'b']);
  });

  it('keeps the lights that the host shows', () => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us);
    const locks = ['53', '39', '47', '39'].map((key) => {
      readKeyboardReport(keyboard, hex(`0000${key}0000000000`));
      readKeyboardReport(keyboard, hex('0000000000000000'));
      return keyboard.locks;
    });
    expect([newKeyboard(KEYBOARD_LAYOUTS.us).locks, ...locks]).toEqual([1, 0, 2, 6, 4]);
  });
});

describe('reports as their descriptor has them', () => {
  const described = (text: string) => {
    const parsed = parseReportDescriptor(hex(text));
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.value;
  };
  const MODIFIERS = '0507 19e0 29e7 1500 2501 7501 9508 8102';
  const KEYS = '9506 7508 1500 26ff00 0507 1900 29ff 8100';
  /** Keys without the modifiers. */
  const PLAIN = '9506 7508 1500 2565 0507 1900 2965 8100';
  const LIGHTS = '9505 7501 0508 1901 2905 9102 9501 7503 9101';
  const read = (descriptor: string, reports: readonly string[]) => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us, describedFormat(described(descriptor)));
    return { typed: reports.map((report) => readKeyboardReport(keyboard, hex(report))), keyboard };
  };

  it('are read behind their id; those of another id, and those cut off, are passed over', () => {
    const numbered = `05010906a101 8503 ${MODIFIERS} 9501 7508 8101 ${KEYS} c0`;
    const { typed } = read(numbered, [
      '030200040000000000',
      '020200050000000000',
      '03',
      '',
      '0300000500',
      '0300000500000000ff',
    ]);
    expect(typed).toEqual(['A', '', '', '', '', 'b']);
  });

  it('end where their descriptor says, whatever a longer one has behind', () => {
    const { typed } = read(`05010906a101 ${MODIFIERS} ${KEYS} c0`, ['0005000000000006']);
    expect(typed).toEqual(['b']);
  });

  it('are read from where bits and entries of another size have them', () => {
    const wide = '7510 9502 1500 26ff00 0507 1900 29ff 8100';
    expect(read(`05010906a101 ${wide} c0`, ['04000500']).typed).toEqual(['ab']);
    expect(read(`05010906a101 7504 9501 8101 ${KEYS} 7504 9501 8101 c0`, ['40500000000000']).typed).toEqual(['ab']);
  });

  it('type nothing by usages of another page', () => {
    const volume = '05010906a101 1500 2501 7501 9502 0b04000700 0be9000c00 8102 7506 9501 8101 c0';
    const { typed, keyboard } = read(volume, ['02', '03']);
    expect([typed, keyboard.doubt]).toEqual([['', 'a'], undefined]);
  });

  it.each([
    ['bits of one modifier: Left Control', '0507 19e0 29e0 1500 2501 7501 9501 8102 7507 8101', '010400000000', '\x01'],
    ['bits of one modifier: Right GUI', '0507 19e7 29e7 1500 2501 7501 9501 8102 7507 8101', '010400000000', ''],
    ['entries: Left Control', '', 'e00400000000', '\x01'],
    ['entries: Right GUI', '', 'e70400000000', ''],
  ])('are read with modifiers at either end of their row, as %s', (_, modifiers, report, expected) => {
    const bytes = modifiers === '' ? report : `${report}00`;
    const keys = modifiers === '' ? KEYS : PLAIN;
    expect(read(`05010906a101 ${modifiers} ${keys} c0`, [bytes]).typed).toEqual([expected]);
  });

  it('of an array give an order to the keys that go down at once', () => {
    const { typed, keyboard } = read(`05010906a101 ${MODIFIERS} ${KEYS} c0`, ['00050400000000']);
    expect([typed, keyboard.doubt]).toEqual([['ba'], undefined]);
    const boot = newKeyboard(KEYBOARD_LAYOUTS.us);
    expect([readKeyboardReport(boot, hex('0000050400000000')), boot.doubt]).toEqual(['ba', undefined]);
  });

  it.each([
    [64, 'order'],
    [65, 'rollover'],
  ])('with %i keys down at once are in doubt: %s', (count, doubt) => {
    const bytes = new Uint8Array(13);
    for (let usage = 4; usage < 4 + count; usage += 1) bytes[usage >> 3] = bytes[usage >> 3]! | (1 << (usage & 7));
    const nkro = `05010906a101 ${MODIFIERS} 0507 1900 2967 1500 2501 7501 9568 8102 c0`;
    const { typed, keyboard } = read(nkro, [`00${Buffer.from(bytes).toString('hex')}`]);
    expect([typed[0] !== '', keyboard.doubt]).toEqual([doubt === 'order', doubt]);
  });

  it('are read where the keys are a bit each, which gives no order to two that go down at once', () => {
    const nkro = `05010906a101 ${MODIFIERS} 0507 1900 2967 1500 2501 7501 9568 8102 c0`;
    const bits = (modifiers: string, ...usages: number[]) => {
      const bytes = new Uint8Array(13);
      for (const usage of usages) bytes[usage >> 3] = bytes[usage >> 3]! | (1 << (usage & 7));
      return modifiers + Buffer.from(bytes).toString('hex');
    };
    const { typed, keyboard } = read(nkro, [bits('02', 4), bits('02', 4, 5), bits('00', 5), bits('00', 6)]);
    expect([typed.join(''), keyboard.doubt]).toEqual(['ABc', undefined]);
    expect(read(nkro, [bits('00', 5, 4)]).keyboard.doubt).toBe('order');
  });

  it('are read where modifiers are bits among the keys, or entries of the array', () => {
    expect(
      read('05010906a101 0507 1900 29e7 1500 2501 7501 95e8 8102 c0', [
        `10${'00'.repeat(27)}02`,
        `30${'00'.repeat(28)}`,
      ]).typed,
    ).toEqual(['A', 'b']);
    expect(read(`05010906a101 ${KEYS} c0`, ['e1040000000000'.slice(0, 12), 'e10500000000']).typed).toEqual(['A', 'B']);
  });

  it('are read where an array counts from another number than its usages', () => {
    expect(
      read('05010906a101 0507 9506 7508 1501 2562 1904 2965 8100 c0', ['010000000000', '000200000000']).typed,
    ).toEqual(['a', 'b']);
  });

  it('of several ids are held apart', () => {
    const two = `05010906a101 8501 ${MODIFIERS} 9501 7508 8101 ${KEYS} 8502 ${KEYS} c0`;
    const { typed } = read(two, ['010000040000000000', '02050000000000', '010000040000000000', '02050600000000']);
    expect(typed).toEqual(['a', 'b', '', 'c']);
    // Modifiers are those of the report that has them.
    const shifted = `05010906a101 8501 ${MODIFIERS} 9501 7508 8101 ${KEYS} 8502 ${PLAIN} c0`;
    expect(read(shifted, ['010200000000000000', '02050000000000']).typed).toEqual(['', 'B']);
  });

  it('of a boot keyboard that kept its id have nine bytes', () => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us);
    const reports = ['020000040000000000', '010000050000000000', '020000040000000000'];
    expect(reports.map((report) => readKeyboardReport(keyboard, hex(report)))).toEqual(['a', 'b', '']);
  });

  it('a descriptor without keys describes no keyboard', () => {
    expect(describedFormat(described('05010902a101 0509 1901 2903 1500 2501 9503 7501 8102 c0'))).toBeUndefined();
  });

  it('lights are set where the descriptor has them, and as the boot protocol has them without one', () => {
    const lights = (descriptor: string | undefined, on = 2) =>
      lightsReport(on, descriptor === undefined ? undefined : described(descriptor));
    expect(lights(undefined)).toEqual({ id: 0, bytes: hex('02') });
    expect(lights(`05010906a101 ${MODIFIERS} ${LIGHTS} c0`)).toEqual({ id: 0, bytes: hex('02') });
    expect(lights(`05010906a101 8504 ${MODIFIERS} ${LIGHTS} c0`)).toEqual({ id: 4, bytes: hex('0402') });
    expect(lights(`05010906a101 ${MODIFIERS} c0`)).toBeUndefined();
    expect(lights(`05010906a101 ${MODIFIERS} ${LIGHTS} c0`, 6)?.bytes).toEqual(hex('06'));
    // Four bits each: the third begins in the second byte.
    const wide = `05010906a101 ${MODIFIERS} 9505 7504 0508 1901 2905 9102 9501 7504 9101 c0`;
    expect([lights(wide), lights(wide, 4)].map((it) => it?.bytes)).toEqual([hex('100000'), hex('000100')]);
  });
});
