/** POST /compose, for nodes. */
import { type Static, Type } from '@sinclair/typebox';
import { open } from '../../base/schema.ts';
import { ComposeAnswer } from '../../http/contract.ts';
import type { Database } from '../database/database.ts';
import { type Route, route } from '../http/routes.ts';
import { readSettings } from '../settings/settings.ts';
import { NodeQuery, type NodeTokens } from '../sign-in/node-tokens.ts';
import type { Composer } from './compose.ts';

/** What a node asks for; open, as a later one may say more. */
const Asked = open(
  {
    id: Type.Optional(Type.String({ maxLength: 128 })),
    prompt: Type.String({ minLength: 1, maxLength: 1000 }),
    columns: Type.Optional(Type.Integer({ minimum: 16, maximum: 96 })),
  },
  { $id: 'ComposeRequest' },
);
const COLUMNS = 48;

/** The route. */
export const composeRoutes = (tokens: NodeTokens, database: Database, composer: Composer): Route[] => [
  route({
    method: 'POST',
    path: '/compose',
    access: 'node',
    summary: 'receipt lines from a sentence, by the model of the settings',
    query: NodeQuery,
    body: Asked,
    response: ComposeAnswer,
    errors: ['unauthorized', 'compose_failed', 'busy'],
    async handle({ query: { node = '' }, body, context }) {
      await tokens.mustBeNode(node, context.get('authorization'));
      const { id = '', prompt, columns = COLUMNS } = body as Static<typeof Asked>;
      return composer.compose(node, await readSettings(database), { id, prompt, columns });
    },
  }),
];
