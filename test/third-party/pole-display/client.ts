/** The calls of this room in the client, and their types. */
import type { Access, CallOptions, Static } from 'tillnode/plugin';
import type * as Contract from './contract.ts';

export type DisplayBlock = Static<typeof Contract.DisplayBlock>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  display: (options?: CallOptions): Promise<DisplayBlock> => node.request('GET', '/display', undefined, options),
  /** Up to two lines; none goes back to the idle text. */
  showLines: (lines: readonly string[], options?: CallOptions): Promise<DisplayBlock> =>
    node.request('PUT', '/display', { lines }, options),
});

declare module 'tillnode/registry' {
  interface Calls extends ReturnType<typeof calls> {}
}
