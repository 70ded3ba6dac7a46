/** The calls of this room in the client, and their types. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type { Done } from '../../client/types.ts';
import type * as Contract from './contract.ts';

/** The response of GET /bootlog. */
export type BootlogView = Static<typeof Contract.Bootlog>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** The last 16 starts and why, and the last crash. */
  bootlog: (options?: CallOptions): Promise<BootlogView> => node.request('GET', '/bootlog', undefined, options),
  /** Deletes the list of starts. */
  clearBoots: (options?: CallOptions): Promise<Done> => node.request('DELETE', '/bootlog/boots', undefined, options),
  /** Deletes the last crash. */
  clearCrash: (options?: CallOptions): Promise<Done> => node.request('DELETE', '/bootlog/crash', undefined, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
