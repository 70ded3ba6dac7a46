import { describe, expect, it } from 'vitest';
import { flushKeyboard, keyboardReportId, newKeyboard, readKeyboardReport } from '../../codecs/hid-keyboard.ts';
import { parseReportDescriptor } from '../../codecs/hid-report.ts';
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
    const keys = ['00 28', '00 58', '00 2b', '00 29', '00 2a', '00 54', '00 55', '00 56', '00 57', '00 59', '00 62'];
    for (const layout of ['us', 'fr'] as const) expect(typed(layout, ...keys)).toBe('\r\r\t\x1b\b/*-+10');
    expect(typed('us', '00 63') + typed('de', '00 63') + typed('fr', '00 63')).toBe('.,,');
  });

  it('takes Ctrl and Alt together for AltGr', () => {
    expect(typed('de', '05 14', '40 14', '44 14')).toBe('@@@');
  });

  it('makes control characters with Ctrl, by letter or by the place of the key', () => {
    expect(typed('us', '01 04', '10 1d', '01 2f', '01 31', '01 30', '03 23', '03 2d')).toBe(
      '\x01\x1a\x1b\x1c\x1d\x1e\x1f',
    );
    expect(typed('de', '01 30', '01 1c') + typed('fr', '01 30', '01 04')).toBe('\x1d\x1a\x1d\x11');
  });

  it('types nothing for shortcuts with Alt or the GUI key, nor for keys without a character', () => {
    expect(typed('us', '04 04', '08 04', '80 15', '00 3a', '00 4f', '01 1e', '00 f0')).toBe('');
  });

  it('lets Caps Lock shift letters, and on the French layout the digit row', () => {
    expect(typed('de', '00 39', '00 33', '00 1e', '02 33', '00 39', '00 33')).toBe('Ö1öö');
    expect(typed('fr', '00 39', '00 1e', '00 34', '00 14')).toBe('1ùA');
  });

  it('joins a dead key to its letter, gives it alone before a space, and both where they do not join', () => {
    expect(typed('fr', '00 2f', '00 08', '00 2f', '00 2c', '00 2f', '00 05', '00 2f', '00 2f')).toBe('ê^^b^^');
    expect(typed('es', '00 34', '02 04', '40 21', '00 11', '02 2f', '00 12')).toBe('Áñô');
    expect(typed('de', '02 2e', '00 28')).toBe('`\r');
  });

  it('gives a dead key that nothing followed as itself when the read is flushed', () => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.de);
    expect(readKeyboardReport(keyboard, hex('0000350000000000'))).toBe('');
    expect([flushKeyboard(keyboard), flushKeyboard(keyboard)]).toEqual(['^', '']);
  });

  it.each([
    ['0 2 3 3, code page 1252', ['62', '5a', '5b', '5b'], 'é'],
    ['1 3 0, code page 437', ['59', '5b', '62'], 'é'],
    ['0 2 9, a control character', ['62', '5a', '61'], '\x1d'],
    ['1 3 2 1, modulo 256 as Windows takes it', ['59', '5b', '5a', '59'], ')'],
    ['no digit', [], ''],
  ])('types by number while Left Alt is held: %s', (_, digits, expected) => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us);
    const reports = ['00', ...digits.flatMap((digit) => [digit, '00'])].map((key) => `0400${key}0000000000`);
    expect(reports.map((report) => readKeyboardReport(keyboard, hex(report))).join('')).toBe('');
    expect(readKeyboardReport(keyboard, hex('0000000000000000'))).toBe(expected);
    expect(readKeyboardReport(keyboard, hex('0000000000000000'))).toBe('');
  });

  it('ignores rollover reports, and does not repeat the keys held through them', () => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us);
    const reports = ['0000040000000000', '0000010101010101', '0000040500000000', '0000040500000000'];
    expect(reports.map((report) => readKeyboardReport(keyboard, hex(report)))).toEqual(['a', '', 'b', '']);
  });

  it('counts a key once that one report names twice', () => {
    expect(readKeyboardReport(newKeyboard(KEYBOARD_LAYOUTS.us), hex('0000040405040000'))).toBe('ab');
  });
});

describe('numbered reports', () => {
  const numbered = hex('05010906a101 8503 0507 19e0 29e7 1500 2501 7501 9508 8102 9501 7508 8101 c0');

  it('are those under the id that the descriptor gives the modifiers', () => {
    const parsed = parseReportDescriptor(numbered);
    expect(parsed.ok && keyboardReportId(parsed.value)).toBe(3);
  });

  it('are read past their id, and other reports passed over', () => {
    const keyboard = newKeyboard(KEYBOARD_LAYOUTS.us, 3);
    const reports = ['030200040000000000', '020200050000000000', '03', '', '0300000500'];
    expect(reports.map((report) => readKeyboardReport(keyboard, hex(report)))).toEqual(['A', '', '', '', 'b']);
  });
});
