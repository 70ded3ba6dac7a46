/** What a program calls of this room, and the shape that it gets. */
import type { Access, CallOptions, Static } from 'tillnode/plugin';
import type * as Contract from './contract.ts';

export type SampleBlock = Static<typeof Contract.SampleBlock>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  sample(options?: CallOptions): Promise<SampleBlock> {
    return node.request('GET', '/sample', undefined, options);
  },
});

declare module 'tillnode/registry' {
  interface Calls extends ReturnType<typeof calls> {}
}
