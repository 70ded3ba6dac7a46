/** The client calls of the twin's bench: read the paper, change the virtual devices. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type { Done } from '../../runtime/client/types.ts';
import type * as Contract from './contract.ts';

export type TwinPrinter = Static<typeof Contract.TwinPrinter>;
export type TwinPrinterState = Done & Required<TwinPrinter>;
export type TwinScale = Static<typeof Contract.TwinScale>;
export type TwinScaleState = Done & Required<TwinScale>;
export type TwinScan = Static<typeof Contract.TwinScan>;
export type TwinButton = Static<typeof Contract.TwinButton>;
export type TwinAttach = Static<typeof Contract.TwinAttach>;
export type TwinAttached = Done & Required<Pick<TwinAttach, 'attached'>>;
export type TwinDevices = Static<typeof Contract.TwinDevices>;

const bench = (node: Access) => ({
  /** The printed paper, as text. */
  paper: async (options?: CallOptions): Promise<string> => (await node.blob('/twin/paper.txt', options)).text(),
  paperSvg: async (options?: CallOptions): Promise<string> => (await node.blob('/twin/paper', options)).text(),
  /** The bytes that the printer received. */
  paperBytes: async (options?: CallOptions): Promise<Uint8Array> =>
    new Uint8Array(await (await node.blob('/twin/paper.bin', options)).arrayBuffer()),
  tearOff: (options?: CallOptions): Promise<Done> => node.request('DELETE', '/twin/paper', undefined, options),
  printer: (change: TwinPrinter, options?: CallOptions): Promise<TwinPrinterState> =>
    node.request('PUT', '/twin/printer', change, options),
  scan: (code: TwinScan, options?: CallOptions): Promise<Done> => node.request('POST', '/twin/scan', code, options),
  scale: (change: TwinScale, options?: CallOptions): Promise<TwinScaleState> =>
    node.request('PUT', '/twin/scale', change, options),
  button: (held: TwinButton, options?: CallOptions): Promise<Done> =>
    node.request('POST', '/twin/button', held, options),
  devices: (options?: CallOptions): Promise<TwinDevices> => node.request('GET', '/twin/devices', undefined, options),
  attach: (device: TwinAttach, options?: CallOptions): Promise<TwinAttached> =>
    node.request('POST', '/twin/attach', device, options),
});
export type TwinClient = ReturnType<typeof bench>;

/** The calls that the client gets from this room. Each rejects with a NodeError. */
export const calls = (node: Access) => ({
  /** Calls of /twin/*, which only the twin has. */
  twin: bench(node),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
