/** The nodes for operators and their programs. */
import type { Database } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { type Route, route } from '../http/routes.ts';
import { orderOf } from '../ingest/version-order.ts';
import { NodeDetail, NodeList, NodesQuery, OddityList } from './contract.ts';
import { listNodes, listOddities, readNode } from './nodes.ts';

/** The routes. */
export const nodeRoutes = (database: Database): Route[] => [
  route({
    method: 'GET',
    path: '/api/nodes',
    access: 'operator',
    summary: 'the nodes that fit, by id, and how many they are',
    query: NodesQuery,
    response: NodeList,
    handle: ({ query }) => listNodes(database, query, query.below && orderOf(query.below)),
  }),
  route({
    method: 'GET',
    path: '/api/nodes/:id',
    access: 'operator',
    summary: 'all that is known of a node',
    response: NodeDetail,
    errors: ['not_found'],
    async handle({ params: { id = '' } }) {
      const node = await readNode(database, id);
      if (node === undefined) throw new Refusal('not_found', `no heartbeat of ${id}`);
      return node;
    },
  }),
  route({
    method: 'GET',
    path: '/api/oddities',
    access: 'operator',
    summary: 'what is wrong with requests, counted; the latest first',
    response: OddityList,
    handle: async () => ({ oddities: await listOddities(database) }),
  }),
];
