/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type { Done } from '../../client/types.ts';
import type * as Contract from './contract.ts';

export type BootlogView = Static<typeof Contract.Bootlog>;

export const calls = (node: Access) => ({
  bootlog: (options?: CallOptions): Promise<BootlogView> => node.request('GET', '/bootlog', undefined, options),
  clearBoots: (options?: CallOptions): Promise<Done> => node.request('DELETE', '/bootlog/boots', undefined, options),
  clearCrash: (options?: CallOptions): Promise<Done> => node.request('DELETE', '/bootlog/crash', undefined, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
