/** What a program calls of this room, and the shapes that it takes and gets. */
import type { Access, CallOptions, CommandResult, Static } from 'tillnode/plugin';
import type * as Contract from './contract.ts';

export type SampleBlock = Static<typeof Contract.SampleBlock>;
export type SampleSay = Static<typeof Contract.SampleSay>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** The last reading, and how the device is. */
  sample(options?: CallOptions): Promise<SampleBlock> {
    return node.request('GET', '/sample', undefined, options);
  },
  /** Sends a line to the device. Sent once, never repeated. */
  sampleSay(command: SampleSay, options?: CallOptions): Promise<CommandResult> {
    return node.request('POST', '/sample', command, options);
  },
});

declare module 'tillnode/registry' {
  interface Calls extends ReturnType<typeof calls> {}
}
