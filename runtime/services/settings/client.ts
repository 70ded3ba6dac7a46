/** The calls of this room in the client. */
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type { Config, ConfigPatch } from '../../client/types.ts';

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  config: (options?: CallOptions): Promise<Config> => node.request('GET', '/config', undefined, options),
  configure: (patch: ConfigPatch, options?: CallOptions): Promise<Config> =>
    node.request('PUT', '/config', patch, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
