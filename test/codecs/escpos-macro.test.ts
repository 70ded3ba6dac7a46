/** What is held back of a macro until it is whole. */
import { expect, it } from 'vitest';
import { GS_COLON, MacroDefinition, noMacros } from '../../codecs/escpos-macro.ts';
import { filter } from './filtered.ts';

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

it('a printer that never received GS : has no macro, records none, and was sent no pulse for one', () => {
  expect(noMacros()).toEqual({ begun: false, recording: false, pulse: false });
});

it('a macro of text goes on with the line that it is run in, also where the one before it had to begin one', () => {
  const image = '1d763000 0100 0100 ff';
  const { out } = filter(`1d3a ${image} 1d3a 1d3a 41 1d3a 42 1d5e010000`);
  expect(out).toMatch(/ 1d 3a 41 1d 3a 42 1d 5e 01 00 00$/);
});
