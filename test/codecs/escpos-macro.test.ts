/** What is held back of a macro until it is whole. */
import { expect, it } from 'vitest';
import { GS_COLON, MacroDefinition } from '../../codecs/escpos-macro.ts';

it('a definition has room for 2,048 bytes, each one as many', () => {
  const definition = new MacroDefinition();
  for (const room of [2048, 2048]) {
    definition.begin();
    expect([definition.add(new Uint8Array(room - 1)), definition.add(new Uint8Array(1))]).toEqual([true, true]);
    expect(definition.add(new Uint8Array(1))).toBe(false);
    expect([definition.isOpen, definition.end().length, definition.isOpen]).toEqual([true, room + 5, false]);
  }
});

it('a definition is what it was given, whatever becomes of those bytes, and is given out once', () => {
  const definition = new MacroDefinition();
  definition.begin();
  const given = Uint8Array.of(0x41, 0x0a);
  definition.add(given);
  given.fill(0);
  expect([...definition.end()]).toEqual([...GS_COLON, 0x41, 0x0a, ...GS_COLON]);
  expect(definition.abandon()).toEqual([]);
});
