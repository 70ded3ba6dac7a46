/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../client/access.ts';
import type { CallOptions } from '../../client/transport.ts';
import type * as Contract from './contract.ts';
import type { CaptureMark } from './contract.ts';

export type { CaptureMark };
export type CaptureRecord = Static<typeof Contract.CaptureRecord>;
export type CaptureMarked = Static<typeof Contract.CaptureMarked>;

export const calls = (node: Access) => ({
  /** What the diagnostic ring holds, oldest first. */
  capture: (options?: CallOptions): AsyncGenerator<CaptureRecord, void> => node.lines('/capture', options),
  mark: (mark: CaptureMark, options?: CallOptions): Promise<CaptureMarked> =>
    node.request('POST', '/capture/mark', mark, options),
});

declare module '../../kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
