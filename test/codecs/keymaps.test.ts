import { describe, expect, it } from 'vitest';
import { KEYBOARD_LAYOUTS, type LayoutName } from '../../codecs/keymaps.ts';
import spec from '../spec/hid-keymaps.json' with { type: 'json' };

const LEVELS = ['n', 's', 'a'] as const;
const published: Record<'us' | 'uk' | 'de' | 'fr', Record<string, { n?: string; s?: string; a?: string }>> = spec;

const at = (layout: LayoutName, usage: number, level: number) => KEYBOARD_LAYOUTS[layout].keys[usage]?.levels[level];
/** What a key types, a dead key by its accent. */
const printed = (layout: LayoutName, usage: number, level: number) => {
  const meaning = at(layout, usage, level);
  return typeof meaning === 'object' ? meaning.accent : meaning;
};
/** Every character a layout can type without its dead keys. */
const characters = (layout: LayoutName) =>
  new Set(KEYBOARD_LAYOUTS[layout].keys.flatMap((key) => key?.levels ?? []).filter((it) => typeof it === 'string'));

describe('the keyboard layout', () => {
  it.each(['us', 'uk', 'de', 'fr'] as const)('%s is the published one, key by key', (layout) => {
    for (const [hex, key] of Object.entries(published[layout])) {
      if (hex === '2c') continue;
      const typed = LEVELS.map((_, level) => at(layout, Number.parseInt(hex, 16), level));
      expect([hex, ...typed.map((it) => (typeof it === 'string' ? it : undefined))]).toEqual([
        hex,
        ...LEVELS.map((level) => key[level]),
      ]);
    }
  });

  it.each(['de', 'fr'] as const)('%s has the published dead keys', (layout) => {
    for (const { key, shift, altgr, makes } of spec[`${layout}_dead`]) {
      const dead = at(layout, Number.parseInt(key, 16), altgr ? 2 : shift ? 1 : 0);
      expect(typeof dead === 'object' && [...dead.composed.values(), dead.accent].join('')).toBe(makes);
    }
  });

  it.each(['us', 'uk', 'de', 'fr', 'es', 'it'] as const)('%s types every letter and digit', (layout) => {
    const all = characters(layout);
    const missing = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'].filter((it) => !all.has(it));
    expect(missing).toEqual([]);
  });

  it('of es, and that of it, has the characters printed on its ISO board', () => {
    const row = (layout: LayoutName, level: number) =>
      [0x35, 0x1e, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2d, 0x2e]
        .map((usage) => printed(layout, usage, level))
        .join('');
    expect([row('es', 0), row('es', 1), row('es', 2)]).toEqual(["º1234567890'¡", 'ª!"·$%&/()=?¿', '\\|@#~€¬']);
    expect([row('it', 0), row('it', 1)]).toEqual(["\\1234567890'ì", '|!"£$%&/()=?^']);
    expect([0x2f, 0x30, 0x33, 0x34, 0x31].map((usage) => printed('es', usage, 0)).join('')).toBe('`+ñ´ç');
    expect([0x2f, 0x30, 0x33, 0x34, 0x31].map((usage) => printed('it', usage, 0)).join('')).toBe('è+òàù');
  });

  it('takes the usages 31 and 32 for one key', () => {
    for (const { keys } of Object.values(KEYBOARD_LAYOUTS)) expect(keys[0x32]).toEqual(keys[0x31]);
  });
});
