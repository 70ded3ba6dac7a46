/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';
import type { Ipv4Body, NetworkView, WifiBody } from './contract.ts';

export type { Ipv4Body, NetworkView, WifiBody };
export type WifiStored = Static<typeof Contract.WifiStored>;
export type Ipv4Stored = Static<typeof Contract.Ipv4Stored>;

export const calls = (node: Access) => ({
  network: (options?: CallOptions): Promise<NetworkView> => node.request('GET', '/network', undefined, options),
  setWifi: (wifi: WifiBody, options?: CallOptions): Promise<WifiStored> =>
    node.request('POST', '/network', wifi, options),
  setIpv4: (ipv4: Ipv4Body, options?: CallOptions): Promise<Ipv4Stored> =>
    node.request('PUT', '/network/ipv4', ipv4, options),
  /** On the setup network of a node that has no other. */
  provision: (wifi: WifiBody, options?: CallOptions): Promise<WifiStored> =>
    node.request('POST', '/provision', wifi, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
