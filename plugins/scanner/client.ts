/** What a program calls of this room, and the shapes that it gets. */
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type { Done } from '../../runtime/client/types.ts';
import type { Scans } from './contract.ts';

export type { Scans };

export const calls = (node: Access) => ({
  scans: (options?: CallOptions): Promise<Scans> => node.request('GET', '/scans', undefined, options),
  clearScans: (options?: CallOptions): Promise<Done> => node.request('DELETE', '/scans', undefined, options),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
