/** The calls of this room in the client, and their types. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';
import type { CaptureMark } from './contract.ts';

export type { CaptureMark };
/** One record of GET /capture. */
export type CaptureRecord = Static<typeof Contract.CaptureRecord>;
/** The response of POST /capture/mark. */
export type CaptureMarked = Static<typeof Contract.CaptureMarked>;

/** Returns the calls of this room, for a client of one node. */
export const calls = (node: Access) => ({
  /** The records of the diagnostic ring, oldest first. */
  capture: (options?: CallOptions): AsyncGenerator<CaptureRecord, void> => node.lines('/capture', options),
  /** Writes a text into the diagnostic ring. */
  mark: (mark: CaptureMark, options?: CallOptions): Promise<CaptureMarked> =>
    node.request('POST', '/capture/mark', mark, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
