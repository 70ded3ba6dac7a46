/** GET /: the page of operators, one document, as the pages of nodes are. */
import { existsSync, readFileSync } from 'node:fs';
import type { MadeDocument } from '../../assembly/page/document-module.ts';
import { type BuiltDocument, documentReplies } from '../../http/document.ts';
import { ANY, PASSED, type Route, route } from './routes.ts';

/** The file with the document, beside the bundle. */
export const PAGE = 'fleet-page.json';

/** A document as it is served. */
export const servedOf = ({ about, html, texts }: MadeDocument): BuiltDocument => ({
  ...about,
  parts: (language) => ({ html, texts: texts[language] ?? '[]' }),
});

/** The document that `assembly/beside-cli.ts` wrote to this file; undefined where a program was put together without it. */
export const readPage = (path: string): BuiltDocument | undefined =>
  existsSync(path) ? servedOf(JSON.parse(readFileSync(path, 'utf8'))) : undefined;

/** The route. */
export function pageRoute(page: BuiltDocument): Route {
  const replies = documentReplies(page);
  return route({
    method: 'GET',
    path: '/',
    access: 'anyone',
    summary: 'the page of operators',
    // People make links of it, and other programs add to them.
    query: ANY,
    type: 'text/html',
    async handle({ context }) {
      const { status, headers, body } = await replies(context.headers);
      context.status = status;
      context.set({ ...headers });
      context.type = 'html';
      context.body = status === 304 ? null : body;
      return PASSED;
    },
  });
}
