/**
 * Decodes the reports of a HID keyboard (HID 1.11, appendices B.1 and C), as a keyboard-wedge scanner sends them, into
 * characters: the keys that are down now and were not in the report before, with the modifiers that are held.
 */
import { type AltCode, altText, BY_CODE_POINT, KEYPAD_1, typeAlt } from './alt-code.ts';
import { defineCodec } from './codec.ts';
import { bootFormat, type KeyboardFormat } from './keyboard-report.ts';
import type { DeadKey, KeyboardLayout } from './keymaps.ts';

/** Codec `hid-keyboard`, without recipe options. */
export const hidKeyboard = defineCodec({ name: 'hid-keyboard', kind: 'scanner', options: {} });

const CTRL = 0x11;
const SHIFT = 0x22;
const LEFT_ALT = 0x04;
const RIGHT_ALT = 0x40;
const GUI = 0x88;

const KEYPAD_DECIMAL = 0x63;

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
  // Without Num Lock, too: no scanner moves a cursor.
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

/** Keys that switch a light of the keyboard on and off, by the bits of the output report (HID 1.11, appendix B.1). */
const LOCKS = new Map([
  [0x53, 0x01],
  [0x39, 0x02],
  [0x47, 0x04],
]);
const CAPS_LOCK = 0x02;
/** Num Lock is on, as on a till. */
const FIRST_LOCKS = 0x01;

/** The state of a keyboard between two reports. The caller keeps it and makes a new one for another device or layout. */
export interface KeyboardState {
  readonly layout: KeyboardLayout;
  readonly format: KeyboardFormat;
  /** The keys that are held, by report id. */
  readonly held: Map<number, readonly number[]>;
  modifiers: number;
  /** Num Lock, Caps Lock and Scroll Lock (bits 0 to 2), which the host keeps and shows on the keyboard. */
  locks: number;
  dead: DeadKey | undefined;
  alt: AltCode | undefined;
  /**
   * Why what was typed since the caller reset this may not be what was meant: `rollover`, keys were lost while too many
   * were pressed; `order`, two went down in a report that does not tell which was first.
   */
  doubt: 'rollover' | 'order' | undefined;
}

/** A keyboard with no key pressed. `format`: of its reports; default: the boot protocol. */
export const newKeyboard = (layout: KeyboardLayout, format: KeyboardFormat = bootFormat): KeyboardState => ({
  layout,
  format,
  held: new Map(),
  modifiers: 0,
  locks: FIRST_LOCKS,
  dead: undefined,
  alt: undefined,
  doubt: undefined,
});

const NO_KEYS: readonly number[] = [];

/**
 * The characters that one report types, in order; '' for a released key, another report or one too short. Enter gives
 * '\r' and Tab '\t', where the caller ends the read, and Alt+x gives `BY_CODE_POINT`. Each entry of an array is a key
 * that goes down unless the report before has it, too: one report may name a key twice. Entries of a keyboard that
 * reports an error do not count, its modifiers do (appendix C).
 */
export function readKeyboardReport(state: KeyboardState, report: Uint8Array): string {
  const pressed = state.format(report);
  if (pressed === undefined) return '';
  const { reportId, modifiers = state.modifiers, keys, unordered } = pressed;
  const alt = altOf(state.layout);
  let typed = modifiers & alt ? '' : altCharacter(state);
  state.modifiers = modifiers;
  if (keys === undefined) {
    state.doubt ??= 'rollover';
    return typed;
  }
  const held = state.held.get(reportId) ?? NO_KEYS;
  const down = keys.length === 0 || held.length === 0 ? keys : newIn(keys, held);
  if (unordered && down.length > 1) state.doubt = 'order';
  for (const key of down) typed += press(state, key);
  state.held.set(reportId, keys);
  return typed;
}

/** The modifiers that are Alt. */
const altOf = ({ altGr }: KeyboardLayout) => (altGr ? LEFT_ALT : LEFT_ALT | RIGHT_ALT);

/** The keys that are not held, each as often as it is there more often than before. */
function newIn(keys: readonly number[], held: readonly number[]): readonly number[] {
  const before = [...held];
  return keys.filter((key) => {
    const at = before.indexOf(key);
    if (at >= 0) before.splice(at, 1);
    return at < 0;
  });
}

/** Ends a read without a terminator. Returns the accent of a dead key that got no letter, or ''. */
export function flushKeyboard(state: KeyboardState): string {
  const accent = state.dead?.accent ?? '';
  state.dead = undefined;
  return accent;
}

function press(state: KeyboardState, usage: number): string {
  const { modifiers, layout } = state;
  const lock = LOCKS.get(usage);
  if (lock !== undefined) {
    state.locks ^= lock;
    return '';
  }
  if (modifiers & GUI) return '';
  const control = (modifiers & CTRL) !== 0;
  const alt = (modifiers & altOf(layout)) !== 0;
  const altGr = (layout.altGr && (modifiers & RIGHT_ALT) !== 0) || (control && alt);
  if (alt && !altGr) return altKey(state, usage);
  const shift = (modifiers & SHIFT) !== 0;
  const key = layout.keys[usage];
  if (control && !altGr) return compose(state, controlCharacter(usage, key?.levels[shift ? 1 : 0]));
  if (key === undefined) return compose(state, usage === KEYPAD_DECIMAL ? layout.decimal : FIXED.get(usage));
  const shifted = shift !== ((state.locks & CAPS_LOCK) !== 0 && key.caps);
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

function altKey(state: KeyboardState, usage: number): string {
  const letter = state.layout.keys[usage]?.levels[0];
  if (letter === 'x') return BY_CODE_POINT;
  state.alt = typeAlt(state.alt, usage, typeof letter === 'string' ? letter : '');
  return '';
}

function altCharacter(state: KeyboardState): string {
  const character = state.alt && altText(state.alt, state.layout.oemPage);
  state.alt = undefined;
  return character ? compose(state, character) : '';
}
