/** The calls of this room in the client, and their types. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type { Status } from '../../client/types.ts';
import type * as Contract from './contract.ts';

/** The response of GET /peripherals. */
export type Peripherals = Static<typeof Contract.Peripherals>;
/** The response of GET /devices/unknown. */
export type UnknownDevices = Static<typeof Contract.UnknownDevices>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** How the node and its devices are. */
  status: (options?: CallOptions): Promise<Status> => node.request('GET', '/status', undefined, options),
  /** The endpoints: what each is for, and whether a device is bound to it. */
  peripherals: (options?: CallOptions): Promise<Peripherals> => node.request('GET', '/peripherals', undefined, options),
  /** Devices that nobody drives, each with a recipe row to complete. */
  unknownDevices: (options?: CallOptions): Promise<UnknownDevices> =>
    node.request('GET', '/devices/unknown', undefined, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
