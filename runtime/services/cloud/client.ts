/** The calls of this room in the client, and their types. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';
import type { CloudPatch } from './contract.ts';

export type { CloudPatch };
/** The response of GET /cloud. */
export type CloudView = Static<typeof Contract.CloudView>;
/** The response of PUT /cloud. */
export type CloudStored = Static<typeof Contract.CloudStored>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** Which cloud is set, without its token. */
  cloud: (options?: CallOptions): Promise<CloudView> => node.request('GET', '/cloud', undefined, options),
  /** Changes the cloud; `url: ''` is none. */
  setCloud: (patch: CloudPatch, options?: CallOptions): Promise<CloudStored> =>
    node.request('PUT', '/cloud', patch, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
