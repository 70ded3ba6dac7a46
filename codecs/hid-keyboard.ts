/**
 * Decodes HID boot keyboard reports (HID 1.11, appendix B.1), as a keyboard-wedge scanner sends them, into characters. A
 * report has modifiers, a reserved byte and up to six pressed keys; a key counts when the report before did not have it.
 */
import { defineCodec } from './codec.ts';
import { locateUsage, type ReportDescriptor } from './hid-report.ts';
import type { DeadKey, KeyboardLayout } from './keymaps.ts';

/** Codec `hid-keyboard`, without recipe options. */
export const hidKeyboard = defineCodec({ name: 'hid-keyboard', kind: 'scanner', options: {} });

const SLOTS = 6;
const CTRL = 0x11;
const SHIFT = 0x22;
const LEFT_ALT = 0x04;
const ALT_GR = 0x40;
const GUI = 0x88;

/** Usages 01 to 03 report an error: too many keys pressed (rollover), or a fault of the keyboard. */
const LAST_ERROR_USAGE = 0x03;
const CAPS_LOCK = 0x39;
const KEYPAD_1 = 0x59;
const KEYPAD_0 = 0x62;
const KEYPAD_DECIMAL = 0x63;
const LEFT_CONTROL_USAGE = 0x07_00e0;

/** Keys with the same character in every layout. Enter and Tab, which end a read, are '\r' and '\t'. */
const FIXED = new Map<number, string>([
  [0x28, '\r'],
  [0x29, '\x1b'],
  [0x2a, '\b'],
  [0x2b, '\t'],
  [0x2c, ' '],
  [0x54, '/'],
  [0x55, '*'],
  [0x56, '-'],
  [0x57, '+'],
  [0x58, '\r'],
  [0x67, '='],
  ...[...'1234567890'].map((digit, index): [number, string] => [KEYPAD_1 + index, digit]),
]);

/** Control characters that depend on the position of the key and not on the layout: ESC, GS, FS. */
const CONTROL_BY_PLACE = new Map([
  [0x2f, '\x1b'],
  [0x30, '\x1d'],
  [0x31, '\x1c'],
  [0x32, '\x1c'],
  [0x64, '\x1c'],
]);

const CP1252 = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, code) => code));
const CP437 =
  CP1252.slice(0, 128) +
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** The state of a keyboard between two reports. The caller keeps it and makes a new one for another device or layout. */
export interface KeyboardState {
  readonly layout: KeyboardLayout;
  readonly reportId: number;
  readonly held: Uint8Array;
  modifiers: number;
  capsLock: boolean;
  dead: DeadKey | undefined;
  /** Alt code: the number typed so far on the keypad with Alt held, modulo 256 as in Windows. */
  altCode: number;
  altDigits: number;
  /** The number began with 0: a character of code page 1252, otherwise of 437. */
  altAnsi: boolean;
}

/** A keyboard with no key pressed. `reportId`: 0 for the 8-byte reports of the boot protocol. */
export const newKeyboard = (layout: KeyboardLayout, reportId = 0): KeyboardState => ({
  layout,
  reportId,
  held: new Uint8Array(SLOTS),
  modifiers: 0,
  capsLock: false,
  dead: undefined,
  altCode: 0,
  altDigits: 0,
  altAnsi: false,
});

/** The id of the report with the keys, for report protocol; 0 where the device does not number its reports. */
export const keyboardReportId = (descriptor: ReportDescriptor): number =>
  locateUsage(descriptor, 'input', LEFT_CONTROL_USAGE)?.field.reportId ?? 0;

/**
 * The characters that one report types, in order; '' for a released key, a rollover, another report or one too short.
 * Enter gives '\r' and Tab '\t', where the caller ends the read.
 */
export function readKeyboardReport(state: KeyboardState, report: Uint8Array): string {
  const base = state.reportId === 0 ? 0 : 1;
  if (report.length < base + 3 || (base === 1 && report[0] !== state.reportId)) return '';
  const first = base + 2;
  const end = Math.min(report.length, first + SLOTS);
  for (let at = first; at < end; at++) if (report[at] !== 0 && report[at]! <= LAST_ERROR_USAGE) return '';

  const modifiers = report[base]!;
  let typed = state.modifiers & LEFT_ALT && !(modifiers & LEFT_ALT) ? altCharacter(state) : '';
  state.modifiers = modifiers;
  for (let at = first; at < end; at++) {
    const usage = report[at]!;
    if (usage !== 0 && !state.held.includes(usage) && report.indexOf(usage, first) === at) typed += press(state, usage);
  }
  for (let slot = 0; slot < SLOTS; slot++) state.held[slot] = first + slot < end ? report[first + slot]! : 0;
  return typed;
}

/** Ends a read without a terminator. Returns the accent of a dead key that got no letter, or ''. */
export function flushKeyboard(state: KeyboardState): string {
  const accent = state.dead?.accent ?? '';
  state.dead = undefined;
  return accent;
}

function press(state: KeyboardState, usage: number): string {
  const { modifiers, layout } = state;
  if (usage === CAPS_LOCK) {
    state.capsLock = !state.capsLock;
    return '';
  }
  if (modifiers & GUI) return '';
  const control = (modifiers & CTRL) !== 0;
  const alt = (modifiers & LEFT_ALT) !== 0;
  const altGr = (modifiers & ALT_GR) !== 0 || (control && alt);
  if (alt && !altGr) {
    if (usage >= KEYPAD_1 && usage <= KEYPAD_0) altDigit(state, (usage - KEYPAD_1 + 1) % 10);
    return '';
  }
  const shift = (modifiers & SHIFT) !== 0;
  const key = layout.keys[usage];
  if (control && !altGr) return compose(state, controlCharacter(usage, key?.levels[shift ? 1 : 0]));
  if (key === undefined) return compose(state, usage === KEYPAD_DECIMAL ? layout.decimal : FIXED.get(usage));
  const shifted = shift !== (state.capsLock && key.caps);
  return compose(state, altGr ? (shift && key.levels[3]) || key.levels[2] : key.levels[shifted ? 1 : 0]);
}

/** The control character (ECMA-48, C0: 01 to 1F) of Ctrl with a letter or one of [ \ ] ^ _. */
function controlCharacter(usage: number, meaning: string | DeadKey | undefined): string | undefined {
  const code = typeof meaning === 'string' ? meaning.charCodeAt(0) : 0;
  const upper = code >= 0x61 && code <= 0x7a ? code - 0x20 : code;
  return upper > 0x40 && upper < 0x60 ? String.fromCharCode(upper & 0x1f) : CONTROL_BY_PLACE.get(usage);
}

/** Combines a character with the dead key before it, if any. Returns both where they have no combination. */
function compose(state: KeyboardState, meaning: string | DeadKey | undefined): string {
  const { dead } = state;
  if (meaning === undefined) return '';
  if (dead === undefined) {
    if (typeof meaning === 'string') return meaning;
    state.dead = meaning;
    return '';
  }
  state.dead = undefined;
  if (typeof meaning !== 'string') return dead.accent + meaning.accent;
  return meaning === ' ' ? dead.accent : (dead.composed.get(meaning) ?? dead.accent + meaning);
}

function altDigit(state: KeyboardState, digit: number): void {
  if (state.altDigits === 0) state.altAnsi = digit === 0;
  state.altCode = (state.altCode * 10 + digit) % 256;
  state.altDigits = Math.min(state.altDigits + 1, 5);
}

function altCharacter(state: KeyboardState): string {
  const { altCode, altDigits, altAnsi } = state;
  state.altCode = 0;
  state.altDigits = 0;
  if (altDigits === 0 || altCode === 0) return '';
  return compose(state, (altAnsi ? CP1252 : CP437)[altCode]);
}
