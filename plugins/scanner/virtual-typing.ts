/** The keys that type a text on a keyboard layout: the inverse of codecs/keymaps.ts. */
import { KEYBOARD_LAYOUTS, type LayoutName } from '../../codecs/keymaps.ts';
import { WINDOWS_1252 } from '../../codecs/windows-1252.ts';

/** One key press: modifier byte and usage. */
type Stroke = readonly [modifiers: number, usage: number];

const CTRL = 0x01;
const LEFT_ALT = 0x04;
/** Modifier bytes of the levels of a keymap: none, Shift, AltGr, both. */
const LEVELS = [0x00, 0x02, 0x40, 0x42];
const SPACE: Stroke = [0, 0x2c];
/** Usage of keypad 1; 2 to 9 and 0 follow. */
const KEYPAD_1 = 0x59;

const KEYS = new Map<string, Stroke>([
  ['\r', [0, 0x28]],
  ['\t', [0, 0x2b]],
  ['\b', [0, 0x2a]],
  ['\x1b', [0, 0x29]],
  [' ', SPACE],
  ['\x1d', [CTRL, 0x30]],
  ['\x1c', [CTRL, 0x31]],
]);

type Keystrokes = ReadonlyMap<string, readonly Stroke[]>;
const tables = new Map<LayoutName, Keystrokes>();

function keystrokesOf(name: LayoutName): Keystrokes {
  const known = tables.get(name);
  if (known !== undefined) return known;
  const table = new Map<string, readonly Stroke[]>([...KEYS].map(([character, stroke]) => [character, [stroke]]));
  const add = (character: string, ...strokes: Stroke[]) => {
    if (!table.has(character)) table.set(character, strokes);
  };
  const keys = KEYBOARD_LAYOUTS[name].keys.flatMap((key, usage) =>
    (key?.levels ?? []).map((meaning, level) => ({ meaning, stroke: [LEVELS[level] ?? 0, usage] as Stroke })),
  );
  for (const { meaning, stroke } of keys) if (typeof meaning === 'string') add(meaning, stroke);
  for (const { meaning, stroke } of keys) {
    if (typeof meaning !== 'object') continue;
    add(meaning.accent, stroke, SPACE);
    for (const [base, made] of meaning.composed) add(made, stroke, ...(table.get(base) ?? []));
  }
  // Ctrl with a letter, by what the layout prints on the key.
  for (let code = 1; code <= 26; code += 1) {
    const letter = table.get(String.fromCharCode(0x60 + code))?.[0];
    if (letter !== undefined) add(String.fromCharCode(code), [CTRL, letter[1]]);
  }
  tables.set(name, table);
  return table;
}

const boot = (modifiers: number, usage: number) => Uint8Array.of(modifiers, 0, usage, 0, 0, 0, 0, 0);
const RELEASED = boot(0, 0);

/** An Alt code, for a character without a key: Left Alt held, then 0 and the number in code page 1252 on the keypad. */
function byNumber(character: string): Uint8Array[] {
  const code = WINDOWS_1252.indexOf(character);
  if (code < 1) throw new RangeError(`${JSON.stringify(character)} cannot be typed`);
  const digits = [...String(code).padStart(4, '0')].map((digit) => KEYPAD_1 + ((Number(digit) + 9) % 10));
  return [...digits.flatMap((usage) => [boot(LEFT_ALT, usage), boot(LEFT_ALT, 0)]), RELEASED];
}

/** The boot keyboard reports (8 bytes each) that type a text. Throws RangeError for a character that cannot be typed. */
export function typeReports(text: string, layout: LayoutName): Uint8Array[] {
  const table = keystrokesOf(layout);
  return [...text].flatMap(
    (character) =>
      table.get(character)?.flatMap(([modifiers, usage]) => [boot(modifiers, usage), RELEASED]) ?? byNumber(character),
  );
}
