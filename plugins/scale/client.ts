/** What a program calls of this room, and the shapes that it gets. */
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type { ScaleStatus } from './contract.ts';

export type ScaleBlock = ScaleStatus;

export const calls = (node: Access) => ({
  scale: (options?: CallOptions): Promise<ScaleBlock> => node.request('GET', '/scale', undefined, options),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
