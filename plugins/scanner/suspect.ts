/** Tells that a typed read may not be what the label says: the four verdicts have no word for it, so it is a hint. */
import type { KeyboardState } from '../../codecs/hid-keyboard.ts';
import type { KeyboardLayout } from '../../codecs/keymaps.ts';
import type { Suspect } from './contract.ts';

const FIRST_DIGIT = 0x1e;
const LAST_DIGIT = 0x27;

/** Why a read may be wrong; undefined where nothing speaks against it. */
export function suspectOf(text: string, { layout, doubt }: KeyboardState): Suspect | undefined {
  if (doubt === 'rollover') return 'rollover';
  if (isMostly(text, (character) => character < ' ')) return 'control_characters';
  const signs = signsOf(layout);
  return isMostly(text, (character) => signs.has(character)) ? 'shifted_digits' : undefined;
}

function isMostly(text: string, is: (character: string) => boolean): boolean {
  let found = 0;
  for (const character of text) if (is(character)) found += 1;
  return 2 * found > text.length;
}

const known = new WeakMap<KeyboardLayout, ReadonlySet<string>>();

/** What the keys of the digits type where they type no digit: with Shift, or without it on the French layout. */
function signsOf(layout: KeyboardLayout): ReadonlySet<string> {
  const made = known.get(layout);
  if (made !== undefined) return made;
  const row = layout.keys.slice(FIRST_DIGIT, LAST_DIGIT + 1).flatMap((key) => key?.levels.slice(0, 2) ?? []);
  const signs = new Set(row.filter((meaning) => typeof meaning === 'string').filter((sign) => !/\d/.test(sign)));
  known.set(layout, signs);
  return signs;
}
