/** What a shop asks, as the page has it of the document. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sectionsOf } from '../../../runtime/assembly/page/help-module.ts';
import type { HelpPart } from '../../../runtime/page/help.ts';

const HELP = readFileSync('.github/HELP.md', 'utf8');
const textOf = (part: HelpPart): string => (typeof part === 'string' ? part : part.slice(1).map(textOf).join(' '));

describe('the page "It does not print"', () => {
  it('has every question of HELP.md, and every sentence under it', () => {
    const sections = sectionsOf(HELP);
    expect(sections.map(({ title }) => title)).toEqual([...HELP.matchAll(/^## (.+)$/gm)].map(([, title]) => title));
    const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];
    const shown = sections.flatMap(({ title, parts }) => words([title, ...parts.map(textOf)].join(' ')));
    // The addresses of links are left out, and the rule below the head of a table.
    const written = HELP.slice(HELP.indexOf('\n## ')).replace(/\]\([^)]*\)/g, ']');
    expect(shown).toEqual(words(written));
  });

  it('has paragraphs, lists, tables, code and stress, and of a link its words', () => {
    const [{ parts } = { parts: [] }] = sectionsOf(
      '# A\n\n## B\n\nOne `two` **three** [four](five.md).\n\n- six\n- seven\n\n| a | b |\n|---|---|\n| c | `d` |\n',
    );
    expect(parts).toEqual([
      ['p', 'One ', ['code', 'two'], ' ', ['b', 'three'], ' ', 'four', '.'],
      ['ul', ['li', 'six'], ['li', 'seven']],
      ['table', ['tr', ['th', 'a'], ['th', 'b']], ['tr', ['td', 'c'], ['td', ['code', 'd']]]],
    ]);
  });

  it('is not built with what no page can show', () => {
    expect(() => sectionsOf('## A\n\n![a picture](a.png)\n')).toThrow('no page can show "image"');
  });
});
