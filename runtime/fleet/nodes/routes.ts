/** The nodes for operators and their programs. */
import { changeOf, record } from '../audit/audit.ts';
import type { Database, Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { type Route, route } from '../http/routes.ts';
import type { NodeTokens } from '../sign-in/node-tokens.ts';
import { changeNode, deleteNode, readSaid, replaceNode } from './change.ts';
import {
  NodeDays,
  NodeDetail,
  NodeHours,
  NodeList,
  NodePut,
  NodesQuery,
  NodeToken,
  OddityList,
  Replace,
} from './contract.ts';
import { readDays } from './days.ts';
import { listNodes, listOddities, readHours, readNode } from './nodes.ts';

async function one(on: Queries, id: string): Promise<NodeDetail> {
  const node = await readNode(on, id);
  if (node === undefined) throw new Refusal('not_found', `no heartbeat of ${id}`);
  return node;
}

/** The routes. */
export const nodeRoutes = (database: Database, tokens: NodeTokens): Route[] => [
  route({
    method: 'GET',
    path: '/api/nodes',
    access: 'viewer',
    summary: 'the nodes that fit, by id, and how many they are',
    query: NodesQuery,
    response: NodeList,
    handle: ({ query }) => listNodes(database, query),
  }),
  route({
    method: 'GET',
    path: '/api/nodes/:id',
    access: 'viewer',
    summary: 'all that is known of a node',
    response: NodeDetail,
    errors: ['not_found'],
    handle: ({ params: { id = '' } }) => one(database, id),
  }),
  route({
    method: 'GET',
    path: '/api/nodes/:id/hours',
    access: 'viewer',
    summary: 'heartbeats and receipts of a node by hours, of a month',
    response: NodeHours,
    errors: ['not_found'],
    async handle({ params: { id = '' } }) {
      const hours = await readHours(database, id);
      if (hours === undefined) throw new Refusal('not_found', `no heartbeat of ${id}`);
      return hours;
    },
  }),
  route({
    method: 'GET',
    path: '/api/nodes/:id/days',
    access: 'viewer',
    summary: 'the last 30 days of a node: when it was heard, receipts, paper, crashes, versions',
    response: NodeDays,
    errors: ['not_found'],
    async handle({ params: { id = '' } }) {
      const days = await readDays(database, id);
      if (days === undefined) throw new Refusal('not_found', `no heartbeat of ${id}`);
      return days;
    },
  }),
  route({
    method: 'PUT',
    path: '/api/nodes/:id',
    access: 'operator',
    summary: 'give a node a name, a site, tags, notes, or mute it',
    body: NodePut,
    response: NodeDetail,
    errors: ['not_found'],
    handle: ({ params: { id = '' }, body, who }) =>
      database.transaction(async (on) => {
        const [before, after] = await changeNode(on, id, body);
        await record(on, who, 'node changed', id, changeOf(before, after));
        return one(on, id);
      }),
  }),
  route({
    method: 'DELETE',
    path: '/api/nodes/:id',
    access: 'operator',
    summary: 'forget a node, with all that is stored of it',
    errors: ['not_found'],
    handle: ({ params: { id = '' }, who }) =>
      database.transaction(async (on) => {
        const before = await readSaid(on, id);
        await deleteNode(on, id);
        await record(on, who, 'node deleted', id, changeOf(before, {}));
      }),
  }),
  route({
    method: 'POST',
    path: '/api/nodes/:id/replace',
    access: 'operator',
    summary:
      'a new box takes over name, site, tags and notes of a node, each where that has some; the node is forgotten',
    body: Replace,
    response: NodeDetail,
    errors: ['not_found'],
    handle: ({ params: { id = '' }, body: { by }, who }) =>
      database.transaction(async (on) => {
        const [before, after] = await replaceNode(on, id, by);
        await record(on, who, 'node replaced', id, { by, ...changeOf(before, after) });
        return one(on, by);
      }),
  }),
  route({
    method: 'POST',
    path: '/api/nodes/:id/token',
    access: 'owner',
    summary:
      'another token for a node: it shows this one alone from now on, and neither the one before nor the master token',
    response: NodeToken,
    errors: ['not_found'],
    async handle({ params: { id = '' }, who }) {
      const token = await database.transaction(async (on) => {
        await readSaid(on, id);
        const { token: renewed, times } = await tokens.renew(on, id);
        await record(on, who, 'node token renewed', id, changeOf({ renewed: times - 1 }, { renewed: times }));
        return renewed;
      });
      await tokens.lookAgain();
      return { token };
    },
  }),
  route({
    method: 'GET',
    path: '/api/oddities',
    access: 'viewer',
    summary: 'what is wrong with requests, counted; the latest first',
    response: OddityList,
    handle: async () => ({ oddities: await listOddities(database) }),
  }),
];
