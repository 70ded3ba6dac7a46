/** The calls of this room in the client, and their types. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';
import type { Ipv4Body, NearbyNetworks, NetworkView, WifiBody } from './contract.ts';

export type { Ipv4Body, NearbyNetworks, NetworkView, WifiBody };
/** The response of POST /network and POST /provision. */
export type WifiStored = Static<typeof Contract.WifiStored>;
/** The response of PUT /network/ipv4. */
export type Ipv4Stored = Static<typeof Contract.Ipv4Stored>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** How the node is on the network. */
  network: (options?: CallOptions): Promise<NetworkView> => node.request('GET', '/network', undefined, options),
  /** The Wi-Fi networks in range, strongest first. */
  nearbyNetworks: (options?: CallOptions): Promise<NearbyNetworks> =>
    node.request('GET', '/network/nearby', undefined, options),
  /** Joins a Wi-Fi network. */
  setWifi: (wifi: WifiBody, options?: CallOptions): Promise<WifiStored> =>
    node.request('POST', '/network', wifi, options),
  /** Sets a fixed IPv4 address, or DHCP with `{}`; from the next start on. */
  setIpv4: (ipv4: Ipv4Body, options?: CallOptions): Promise<Ipv4Stored> =>
    node.request('PUT', '/network/ipv4', ipv4, options),
  /** Joins a Wi-Fi network, from the setup network of a new node. */
  provision: (wifi: WifiBody, options?: CallOptions): Promise<WifiStored> =>
    node.request('POST', '/provision', wifi, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
