/** The client calls of this room, and the types that they give. */
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type { ScaleStatus } from './contract.ts';

/** The response of GET /scale. */
export type ScaleBlock = ScaleStatus;

/** The calls that the client gets from this room. Each rejects with a NodeError. */
export const calls = (node: Access) => ({
  /** The last weight, and how the scale is. */
  scale: (options?: CallOptions): Promise<ScaleBlock> => node.request('GET', '/scale', undefined, options),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
