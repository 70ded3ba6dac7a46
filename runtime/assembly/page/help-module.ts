/** Generates the module `virtual:help`: what `.github/HELP.md` says, for a page that shows it without internet. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { Help, HelpElement, HelpPart, HelpSection } from '../../page/help.ts';

const HELP = '.github/HELP.md';

/**
 * A document in the Markdown that GitHub shows: what stands before its first heading of the second level, and the sections
 * under these. A link to a section is one; any other stands as its words: a shop's network may have no way to where it
 * leads. Throws for what a section may not have, as a picture.
 */
export function helpOf(markdown: string): Help {
  const intro: HelpPart[] = [];
  const sections: (HelpSection & { parts: HelpPart[] })[] = [];
  for (const token of lexer(markdown) as MarkedToken[]) {
    if (token.type === 'heading' && token.depth === 1) continue;
    if (token.type === 'heading' && token.depth === 2)
      sections.push({ id: idOf(token.text), title: token.text, parts: [] });
    else (sections.at(-1)?.parts ?? intro).push(...partsOf([token]));
  }
  return { intro, sections };
}

/** The anchor that GitHub gives a heading. */
const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

const partsOf = (tokens: readonly Token[]): HelpPart[] =>
  (tokens as readonly MarkedToken[]).flatMap((token): HelpPart[] => {
    switch (token.type) {
      case 'space':
        return [];
      case 'text':
        return token.tokens === undefined ? [token.text] : partsOf(token.tokens);
      case 'escape':
        return [token.text];
      case 'link':
        if (token.href.startsWith('#')) return [['a', token.href.slice(1), ...partsOf(token.tokens)]];
        return partsOf(token.tokens);
      case 'codespan':
        return [['code', token.text]];
      case 'strong':
        return [['b', ...partsOf(token.tokens)]];
      case 'paragraph':
        return [['p', ...partsOf(token.tokens)]];
      case 'list':
        return [['ul', ...token.items.map((item): HelpElement => ['li', ...partsOf(item.tokens)])]];
      case 'table':
        return [['table', rowOf('th', token.header), ...token.rows.map((row) => rowOf('td', row))]];
      default:
        throw new Error(`${HELP}: no page can show "${token.type}"`);
    }
  });

const rowOf = (tag: 'th' | 'td', cells: readonly Tokens.TableCell[]): HelpElement => [
  'tr',
  ...cells.map(({ tokens }): HelpElement => [tag, ...partsOf(tokens)]),
];

/** The esbuild plugin that resolves `virtual:help`. */
export const helpModule: EsbuildPlugin = {
  name: 'tillnode-help',
  setup(bundle) {
    bundle.onResolve({ filter: /^virtual:help$/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /^virtual:help$/, namespace: 'tillnode' }, async () => ({
      contents: JSON.stringify(helpOf(await readFile(join(process.cwd(), HELP), 'utf8'))),
      loader: 'json',
    }));
  },
};
