/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type { Status } from '../../client/types.ts';
import type * as Contract from './contract.ts';

export type Peripherals = Static<typeof Contract.Peripherals>;
export type UnknownDevices = Static<typeof Contract.UnknownDevices>;

export const calls = (node: Access) => ({
  status: (options?: CallOptions): Promise<Status> => node.request('GET', '/status', undefined, options),
  peripherals: (options?: CallOptions): Promise<Peripherals> => node.request('GET', '/peripherals', undefined, options),
  unknownDevices: (options?: CallOptions): Promise<UnknownDevices> =>
    node.request('GET', '/devices/unknown', undefined, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
