/** What a program calls of this room, and the shapes that it gets. */
import type { Access, CallOptions, Static } from 'tillnode/plugin';
import type * as Contract from './contract.ts';

export type DisplayBlock = Static<typeof Contract.DisplayBlock>;

export const calls = (node: Access) => ({
  display: (options?: CallOptions): Promise<DisplayBlock> => node.request('GET', '/display', undefined, options),
  /** Up to two lines; none goes back to the idle text. */
  showLines: (lines: readonly string[], options?: CallOptions): Promise<DisplayBlock> =>
    node.request('PUT', '/display', { lines }, options),
});

declare module 'tillnode/registry' {
  interface Calls extends ReturnType<typeof calls> {}
}
