/** The recipe table: for nodes, and its versions for operators. */
import { open } from '../../base/schema.ts';
import { takesTag } from '../../http/negotiation.ts';
import type { Codecs } from '../../recipes/row.ts';
import { changeOf, record } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { numberOf, PASSED, type Route, route } from '../http/routes.ts';
import { NodeQuery, type NodeTokens } from '../sign-in/node-tokens.ts';
import { RecipeFaults, RecipePut, RecipeText, RecipeVersion, RecipeVersions, TABLE_BYTES } from './contract.ts';
import { faultsOf, listVersions, readEtag, readServed, readVersion, warningsOf, writeVersion } from './recipes.ts';

/** As JSON text, a character may take six bytes; most take one. */
const LIMIT_BYTES = 2 * TABLE_BYTES;

/** What the audit has of a version; its text is kept, by its number. */
const told = ({ version, note, rows, etag }: RecipeVersion) => ({ version, note, rows, etag });

/** The routes. `codecs`: those whose options are checked. */
export const recipeRoutes = (tokens: NodeTokens, database: Database, codecs: Codecs): Route[] => [
  route({
    method: 'GET',
    path: '/recipes',
    access: 'node',
    summary: 'the recipe table; 304 where the node has it',
    query: NodeQuery,
    response: open({}),
    also: { 304: 'the table is the one of If-None-Match' },
    errors: ['unauthorized'],
    async handle({ query: { node = '' }, context }) {
      await tokens.mustBeNode(node, context.get('authorization'));
      context.status = 200;
      const now = await readEtag(database);
      context.set('ETag', now);
      if (takesTag(context.get('if-none-match'), now)) {
        context.status = 304;
        return PASSED;
      }
      const { served, etag } = await readServed(database);
      context.set('ETag', etag);
      context.type = 'json';
      context.body = served;
      return PASSED;
    },
  }),
  route({
    method: 'GET',
    path: '/api/recipes',
    access: 'viewer',
    summary: 'the recipe table as it was written',
    response: RecipeVersion,
    handle: () => readVersion(database),
  }),
  route({
    method: 'PUT',
    path: '/api/recipes',
    access: 'releaser',
    summary: 'a new version of the table; 422 lists every fault with its line',
    body: RecipePut,
    limitBytes: LIMIT_BYTES,
    response: RecipeVersion,
    errors: ['conflict'],
    handle: ({ body, who }) =>
      database.transaction(async (on) => {
        const [before, written] = await writeVersion(on, { ...body, who: who?.name ?? '' }, codecs);
        await record(on, who, 'recipes changed', `version ${written.version}`, changeOf(told(before), told(written)));
        return written;
      }),
  }),
  route({
    method: 'POST',
    path: '/api/recipes/check',
    access: 'viewer',
    summary: 'what is wrong with a table, and nothing else',
    body: RecipeText,
    limitBytes: LIMIT_BYTES,
    response: RecipeFaults,
    handle: async ({ body: { text } }) => {
      const faults = faultsOf(text, codecs);
      return { faults, warnings: faults.length > 0 ? [] : await warningsOf(database, text) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/recipes/versions',
    access: 'viewer',
    summary: 'the last 100 versions, newest first, without their text',
    response: RecipeVersions,
    handle: async () => ({ versions: await listVersions(database) }),
  }),
  route({
    method: 'GET',
    path: '/api/recipes/versions/:version',
    access: 'viewer',
    summary: 'one version',
    response: RecipeVersion,
    errors: ['not_found'],
    handle: ({ params }) => readVersion(database, numberOf(params['version'])),
  }),
  route({
    method: 'POST',
    path: '/api/recipes/versions/:version/restore',
    access: 'releaser',
    summary: 'the text of that version becomes the newest one',
    response: RecipeVersion,
    errors: ['not_found'],
    handle: ({ params, who }) =>
      database.transaction(async (on) => {
        const old = await readVersion(on, numberOf(params['version']));
        const restored = { text: old.text, note: `as version ${old.version}`, who: who?.name ?? '' };
        const [before, written] = await writeVersion(on, restored, codecs);
        await record(
          on,
          who,
          'recipes restored',
          `version ${old.version} as ${written.version}`,
          changeOf(told(before), told(written)),
        );
        return written;
      }),
  }),
];
