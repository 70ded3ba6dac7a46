/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';

export type PeerList = Static<typeof Contract.Peers>;
export type NodeNamed = Static<typeof Contract.NodeNamed>;

export const calls = (node: Access) => ({
  peers: (options?: CallOptions): Promise<PeerList> => node.request('GET', '/peers', undefined, options),
  rename: (name: string, options?: CallOptions): Promise<NodeNamed> => node.request('PUT', '/name', { name }, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
