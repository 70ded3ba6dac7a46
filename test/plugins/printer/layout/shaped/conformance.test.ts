/** The conformance tests of the Unicode Character Database: UAX #14 and UAX #9. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { directionsOf, visualOrder } from '../../../../../plugins/printer/layout/shaped/bidi.ts';
import { breakOpportunities } from '../../../../../plugins/printer/layout/shaped/line-break.ts';
import { needTools } from '../../../../tools.ts';

const BREAKS = '/usr/share/unicode/auxiliary/LineBreakTest.txt';
const DIRECTIONS = '/usr/share/unicode/BidiCharacterTest.txt';
const missing = needTools([BREAKS, DIRECTIONS]);

const linesOf = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
/** Later editions than 15.0 have other rules for quotation marks (LB15a, LB15b) and Brahmic scripts (LB28a). */
const OTHERS =
  /\p{Quotation_Mark}|\p{Pi}|\p{Pf}|\p{sc=Balinese}|\p{sc=Batak}|\p{sc=Brahmi}|\p{sc=Kawi}|\p{sc=Javanese}|\p{sc=Cham}|\p{sc=Grantha}/u;
const charOf = (hex: string): string => String.fromCodePoint(Number.parseInt(hex, 16));

const textOf = (line: string): string => [...line.matchAll(/[\dA-F]{4,}/g)].map(([hex]) => charOf(hex)).join('');

describe.skipIf(missing !== undefined)(`the conformance tests of Unicode ${missing ?? ''}`, () => {
  it('pass for line breaking', () => {
    const isOfOurEdition = readFileSync(BREAKS, 'utf8').startsWith('# LineBreakTest-15.0.0');
    // A paragraph has no line ends within it.
    const lines = linesOf(BREAKS)
      .filter((line) => !/\b(?:000[A-D]|0085|2028|2029)\b/.test(line))
      .filter((line) => isOfOurEdition || !OTHERS.test(textOf(line)));
    expect(lines.length).toBeGreaterThan(isOfOurEdition ? 6000 : 3000);
    const wrong = lines.filter((line) => {
      const parts = line.split(/\s+/);
      let text = '';
      const wanted: number[] = [];
      for (let at = 0; at + 1 < parts.length; at += 2) {
        const char = charOf(parts[at + 1]!);
        wanted.push(parts[at] === '÷' && at > 0 ? 1 : 0, ...new Array<number>(char.length - 1).fill(0));
        text += char;
      }
      return [...breakOpportunities(text)].join() !== wanted.join();
    });
    expect(wrong).toEqual([]);
  });

  it('pass for right-to-left text', () => {
    const lines = linesOf(DIRECTIONS);
    expect(lines.length).toBeGreaterThan(90_000);
    const wrong = lines.filter((line) => {
      const [codes = '', direction, base, levels = '', order = ''] = line.split(';');
      const chars = codes.split(' ').map(charOf);
      const starts = chars.map((_, index) => chars.slice(0, index).join('').length);
      const given = direction === '0' ? 'ltr' : direction === '1' ? 'rtl' : 'auto';
      const made = directionsOf(chars.join(''), given);
      // x: controls that are removed (X9).
      const wanted = levels.split(' ');
      const kept = chars.map((_, index) => index).filter((index) => wanted[index] !== 'x');
      const found = kept.map((index) => made.levels[starts[index]!]!);
      return (
        made.rightToLeft !== (base === '1') ||
        found.join() !== kept.map((index) => wanted[index]).join() ||
        visualOrder(found)
          .map((index) => kept[index])
          .join(' ') !== order
      );
    });
    expect(wrong).toEqual([]);
  });
});
