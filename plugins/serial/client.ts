/** The client calls of this room, and the types that they give. */
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type { SerialAdaptersAnswer, SerialAssignment, SerialTriedAnswer } from './contract.ts';

/** The response of GET /serial. */
export type SerialAdapters = SerialAdaptersAnswer;
/** The response of POST /serial/try. */
export type SerialTried = SerialTriedAnswer;
/** What hangs on one serial line. */
export type SerialDevice = SerialAssignment;

/** The calls that the client gets from this room. Each rejects with a NodeError. */
export const calls = (node: Access) => ({
  /** The serial adapters, and what hangs on them. */
  serial: (options?: CallOptions): Promise<SerialAdapters> => node.request('GET', '/serial', undefined, options),
  /** Tries the protocols of scales on an adapter: text is sent to whatever hangs on it. Takes some seconds. */
  trySerial: (port: string, options?: CallOptions): Promise<SerialTried> =>
    node.request('POST', '/serial/try', { port }, options),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
