/** Commands that change a printer for good, and what of port 9100 drops them. */
import { describe, expect, it } from 'vitest';
import { filter } from './filtered.ts';

const CHANGES: ReadonlyArray<readonly [string, string]> = [
  ['GS ( E fn 1, the setup mode', '1d28450300 01494e'],
  ['GS ( E fn 3, a memory switch', '1d28450a00 03 01 3232323232323232'],
  ['GS ( E fn 11, the speed of the interface', '1d28450300 0b 01 33'],
  ['GS ( M, values that the power does not reset', '1d284d0200 0101'],
  ['GS ( C, user memory', '1d28430500 003041 3030'],
  ['GS ( A, hexadecimal dump until the power goes', '1d28410200 0001'],
  ['GS ( L fn 65, all stored graphics', '1d284c0500 3041434c52'],
  ['GS ( L fn 66, one of them', '1d284c0400 30423030'],
  ['GS 8 L fn 65', '1d384c05000000 3041434c52'],
  ['FS g 1, user memory', '1c673100 00000000 0200 4142'],
  ['FS ( E, the logo above each receipt', '1c28450600 3d02 30304101'],
  ['GS g 0, the counters of its service', '1d673000 0a00'],
  ['US ESC US 91, the address of its network', '1f1b1f91004950 c0a80145'],
  ['US ESC US B2, all its addresses', '1f1b1fb2 c0a80145 ffffff00 c0a80101'],
  ['US ESC US 11, the factory settings', '1f1b1f111100'],
  ['US ESC US E0, its beeper', '1f1b1fe0131400040203'],
  ['US ESC US of a function that nobody wrote down', '1f1b1f99'],
  ['US ESC DLE, its address by DHCP', '1f1b10131400'],
  ['ESC # #, a function of four letters', '1b2323 55505047'],
];
const spaced = (hex: string) => hex.replaceAll(' ', '').replace(/..(?=.)/g, '$& ');

describe('what changes a printer for good', () => {
  it.each(CHANGES)('%s: is dropped and told where the settings are protected, and only there', (_, command) => {
    expect(filter(`41 ${command} 42`, { protectSettings: true })).toEqual({ out: '41 42', told: ['settings'] });
    expect(filter(`41 ${command} 42`)).toEqual({ out: spaced(`41 ${command} 42`), told: [] });
  });

  it.each([
    ['graphics that are printed', '1d284c0200 3032'],
    ['graphics that are stored', '1d284c0600 304330304101'],
    ['the memory that is read', '1c673200 00000000 0200'],
    ['a logo that is stored', '1c7101 01000100 0000000000000000'],
    ['symbols', '1d286b0300 314303'],
  ])('and passes on %s', (_, command) => {
    const { out, told } = filter(`41 ${command} 42`, { protectSettings: true });
    expect({ out, told }).toEqual({ out: spaced(`41 ${command} 42`), told: [] });
  });
});
