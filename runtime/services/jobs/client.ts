/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';

export type RecentJob = Static<typeof Contract.RecentJob>;
export type Jobs = Static<typeof Contract.Jobs>;

export const calls = (node: Access) => ({
  /** The last 50 jobs, newest first. */
  jobs: (options?: CallOptions): Promise<Jobs> => node.request('GET', '/jobs', undefined, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
