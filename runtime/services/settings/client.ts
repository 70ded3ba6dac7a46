/** The calls of this room in the client. */
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type { Config, ConfigPatch } from '../../client/types.ts';

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** The whole configuration. */
  config: (options?: CallOptions): Promise<Config> => node.request('GET', '/config', undefined, options),
  /** Changes keys of the configuration; resolves with all of it. */
  configure: (patch: ConfigPatch, options?: CallOptions): Promise<Config> =>
    node.request('PUT', '/config', patch, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
