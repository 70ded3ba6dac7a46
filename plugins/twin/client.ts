/** The client calls of the twin's bench: read the paper, change the virtual devices. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type { Done } from '../../runtime/client/types.ts';
import type * as Contract from './contract.ts';

/** How much was printed, and what of it the paper does not show. */
export type TwinPaper = Static<typeof Contract.TwinPaper>;
/** Changes to the virtual printer. */
export type TwinPrinter = Static<typeof Contract.TwinPrinter>;
/** The virtual printer after a change. */
export type TwinPrinterState = Done & Required<TwinPrinter>;
/** Changes to the virtual scale. */
export type TwinScale = Static<typeof Contract.TwinScale>;
/** The virtual scale after a change. */
export type TwinScaleState = Done & Required<TwinScale>;
/** A code for the virtual scanner. */
export type TwinScan = Static<typeof Contract.TwinScan>;
/** How long the button of the box is held. */
export type TwinButton = Static<typeof Contract.TwinButton>;
/** The device to plug in or take out. */
export type TwinAttach = Static<typeof Contract.TwinAttach>;
/** The response of POST /twin/attach. */
export type TwinAttached = Done & Required<Pick<TwinAttach, 'attached'>>;
/** What is done with a virtual device. */
export type TwinAct = Static<typeof Contract.TwinAct>;
/** The virtual device after it. */
export type TwinActed = Static<typeof Contract.TwinActed>;
/** The devices of the twin. */
export type TwinDevices = Static<typeof Contract.TwinDevices>;

const bench = (node: Access) => ({
  /** The printed paper, as text. */
  paper: async (options?: CallOptions): Promise<string> => (await node.blob('/twin/paper.txt', options)).text(),
  /** The printed paper, as SVG. */
  paperSvg: async (options?: CallOptions): Promise<string> => (await node.blob('/twin/paper', options)).text(),
  /** What the printed paper does not show. */
  paperFacts: (options?: CallOptions): Promise<TwinPaper> =>
    node.request('GET', '/twin/paper.json', undefined, options),
  /** The bytes that the printer received. */
  paperBytes: async (options?: CallOptions): Promise<Uint8Array> =>
    new Uint8Array(await (await node.blob('/twin/paper.bin', options)).arrayBuffer()),
  /** Removes the printed paper. */
  tearOff: (options?: CallOptions): Promise<Done> => node.request('DELETE', '/twin/paper', undefined, options),
  /** Opens the cover, takes the paper out, pulls the plug; with `{}` it only gives the state. */
  printer: (change: TwinPrinter, options?: CallOptions): Promise<TwinPrinterState> =>
    node.request('PUT', '/twin/printer', change, options),
  /** Holds a code under the scanner. Resolves when it was read; rejects with `no_scanner` and the reason if not. */
  scan: (code: TwinScan, options?: CallOptions): Promise<Done> => node.request('POST', '/twin/scan', code, options),
  /** Puts a load on the scale, changes its state, pulls its plug. */
  scale: (change: TwinScale, options?: CallOptions): Promise<TwinScaleState> =>
    node.request('PUT', '/twin/scale', change, options),
  /** Holds the button of the box for `holdMs` and lets it go. */
  button: (held: TwinButton, options?: CallOptions): Promise<Done> =>
    node.request('POST', '/twin/button', held, options),
  /** The devices of the twin by name, with ids, state and actions. */
  devices: (options?: CallOptions): Promise<TwinDevices> => node.request('GET', '/twin/devices', undefined, options),
  /** Does something with a virtual device that it declares: inserts a coin, presses a key. */
  act: (what: TwinAct, options?: CallOptions): Promise<TwinActed> =>
    node.request('POST', '/twin/action', what, options),
  /** Plugs in a device, one of the twin or an unknown one, or takes it out. */
  attach: (device: TwinAttach, options?: CallOptions): Promise<TwinAttached> =>
    node.request('POST', '/twin/attach', device, options),
});
/** The calls of `twin`. */
export type TwinClient = ReturnType<typeof bench>;

/** The calls that the client gets from this room. Each rejects with a NodeError. */
export const calls = (node: Access) => ({
  /** Calls of /twin/*, which only the twin has. */
  twin: bench(node),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
