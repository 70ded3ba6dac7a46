/** The calls of this room in the client, and their types. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';

/** The response of GET /peers. */
export type PeerList = Static<typeof Contract.Peers>;
/** The response of PUT /name. */
export type NodeNamed = Static<typeof Contract.NodeNamed>;

/** The response of POST /identity/renew. */
export type IdentityRenewed = Static<typeof Contract.IdentityRenewed>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** Other nodes that were heard of on the network. */
  peers: (options?: CallOptions): Promise<PeerList> => node.request('GET', '/peers', undefined, options),
  /** Makes it a new node from the next boot on: where its storage was copied. */
  renewIdentity: (options?: CallOptions): Promise<IdentityRenewed> =>
    node.request('POST', '/identity/renew', undefined, options),
  /** Gives the node a name. */
  rename: (name: string, options?: CallOptions): Promise<NodeNamed> => node.request('PUT', '/name', { name }, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
