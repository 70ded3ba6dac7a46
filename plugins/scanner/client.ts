/** The client calls of this room, and the types that they give. */
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type { Done } from '../../runtime/client/types.ts';
import type { Scans } from './contract.ts';

export type { Scans };

/** The calls that the client gets from this room. Each rejects with a NodeError. */
export const calls = (node: Access) => ({
  /** The last 12 reads, newest first, each with its verdict. */
  scans: (options?: CallOptions): Promise<Scans> => node.request('GET', '/scans', undefined, options),
  /** Clears the list of reads. */
  clearScans: (options?: CallOptions): Promise<Done> => node.request('DELETE', '/scans', undefined, options),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
