/** What a shop asks, as the page has it of the document. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpOf } from '../../../runtime/assembly/page/help-module.ts';
import type { HelpPart } from '../../../runtime/page/help.ts';

const HELP = readFileSync('.github/HELP.md', 'utf8');
const partsIn = (part: Exclude<HelpPart, string>): HelpPart[] => part.slice(part[0] === 'a' ? 2 : 1);
/** What is shown of a part. */
const textOf = (part: HelpPart): string => (typeof part === 'string' ? part : partsIn(part).map(textOf).join(' '));
/** The sections that a part links to. */
const linksOf = (part: HelpPart): string[] => {
  if (typeof part === 'string') return [];
  if (part[0] === 'a') return [part[1]];
  return partsIn(part).flatMap(linksOf);
};

describe('the page of help', () => {
  it('has every question of HELP.md, every sentence under it, and what stands before', () => {
    const { intro, sections } = helpOf(HELP);
    expect(sections.map(({ title }) => title)).toEqual([...HELP.matchAll(/^## (.+)$/gm)].map(([, title]) => title));
    const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [];
    const all = [...intro.map(textOf), ...sections.flatMap(({ title, parts }) => [title, ...parts.map(textOf)])];
    // The addresses of links are left out, and the rule below the head of a table.
    const written = HELP.slice(HELP.indexOf('\n')).replace(/\]\([^)]*\)/g, ']');
    expect(words(all.join(' '))).toEqual(words(written));
  });

  it('leads from what is in it to each section, and from no link into the void', () => {
    const { intro, sections } = helpOf(HELP);
    const ids = sections.map(({ id }) => id);
    expect(intro.flatMap(linksOf).sort()).toEqual([...ids].sort());
    const links = sections.flatMap(({ parts }) => parts.flatMap(linksOf));
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
    expect(links.length).toBeGreaterThan(5);
  });

  it('has paragraphs, lists, tables, code, stress and links to sections, and of another link its words', () => {
    const { sections } = helpOf(
      '# A\n\n## B, b (c)?\n\nOne `two` **three** [four](five.md), [six](#b-b-c).\n\n- six\n- seven\n\n| a | b |\n|---|---|\n| c | `d` |\n',
    );
    expect(sections).toEqual([
      {
        id: 'b-b-c',
        title: 'B, b (c)?',
        parts: [
          ['p', 'One ', ['code', 'two'], ' ', ['b', 'three'], ' ', 'four', ', ', ['a', 'b-b-c', 'six'], '.'],
          ['ul', ['li', 'six'], ['li', 'seven']],
          ['table', ['tr', ['th', 'a'], ['th', 'b']], ['tr', ['td', 'c'], ['td', ['code', 'd']]]],
        ],
      },
    ]);
  });

  it('is not built with what no page can show', () => {
    expect(() => helpOf('## A\n\n![a picture](a.png)\n')).toThrow('no page can show "image"');
  });
});
