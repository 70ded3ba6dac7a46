/**
 * Scanners that type: HID boot keyboard reports (HID 1.11, appendix B.1) as the characters they stand for.
 * Modifiers, a reserved byte, then up to six pressed keys; a key counts when it was not in the report before.
 */
import { defineCodec } from './codec.ts';
import { locateUsage, type ReportDescriptor } from './hid-report.ts';
import type { DeadKey, KeyboardLayout } from './keymaps.ts';

export const hidKeyboard = defineCodec({ name: 'hid-keyboard', kind: 'scanner', options: {} });

const SLOTS = 6;
const CTRL = 0x11;
const SHIFT = 0x22;
const LEFT_ALT = 0x04;
const ALT_GR = 0x40;
const GUI = 0x88;

/** 01 to 03 in a slot say that the keyboard lost count (rollover) or failed. */
const LAST_ERROR_USAGE = 0x03;
const CAPS_LOCK = 0x39;
const KEYPAD_1 = 0x59;
const KEYPAD_0 = 0x62;
const KEYPAD_DECIMAL = 0x63;
const LEFT_CONTROL_USAGE = 0x07_00e0;

/** Keys that type the same on every layout. Enter and Tab, which end a read, are '\r' and '\t'. */
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

/** Control characters that go by the place of the key, whatever the layout prints on it: ESC, GS, FS. */
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

/** One keyboard as it stands between two reports. Belongs to the caller, who makes a new one for a new device or layout. */
export interface KeyboardState {
  readonly layout: KeyboardLayout;
  readonly reportId: number;
  readonly held: Uint8Array;
  modifiers: number;
  capsLock: boolean;
  dead: DeadKey | undefined;
  /** Alt mode: the number typed so far on the keypad, modulo 256 as Windows takes it. */
  altCode: number;
  altDigits: number;
  /** It began with 0: a number of code page 1252, otherwise of 437. */
  altAnsi: boolean;
}

/** `reportId` is 0 for plain 8-byte reports (boot protocol). */
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

/** The report id that keys come under in report protocol; 0 where reports are not numbered. */
export const keyboardReportId = (descriptor: ReportDescriptor): number =>
  locateUsage(descriptor, 'input', LEFT_CONTROL_USAGE)?.field.reportId ?? 0;

/**
 * What one report types, in order; '' for a release, a rollover, another report or one too short.
 * Enter gives '\r' and Tab '\t', so the caller can end a read there.
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

/** Ends a read that no key ended: an accent still waiting for its letter comes out as itself. */
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

/** Ctrl with a letter or one of [ \ ] ^ _ (ECMA-48, C0): 01 to 1F. */
function controlCharacter(usage: number, meaning: string | DeadKey | undefined): string | undefined {
  const code = typeof meaning === 'string' ? meaning.charCodeAt(0) : 0;
  const upper = code >= 0x61 && code <= 0x7a ? code - 0x20 : code;
  return upper > 0x40 && upper < 0x60 ? String.fromCharCode(upper & 0x1f) : CONTROL_BY_PLACE.get(usage);
}

/** Joins a character to the accent before it, if one waits. Where they make nothing together, both come out. */
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
