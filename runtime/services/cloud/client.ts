/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';
import type { CloudPatch } from './contract.ts';

export type { CloudPatch };
export type CloudView = Static<typeof Contract.CloudView>;
export type CloudStored = Static<typeof Contract.CloudStored>;

export const calls = (node: Access) => ({
  cloud: (options?: CallOptions): Promise<CloudView> => node.request('GET', '/cloud', undefined, options),
  setCloud: (patch: CloudPatch, options?: CallOptions): Promise<CloudStored> =>
    node.request('PUT', '/cloud', patch, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
