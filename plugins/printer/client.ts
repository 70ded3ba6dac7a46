/** What a program calls of this room, and the shapes that it gets. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions } from '../../runtime/client/transport.ts';
import type {
  DrawerKickCommand,
  Line,
  PrintCommand,
  PrinterStatus,
  RawCommand,
  CommandResult as ResultSchema,
} from './contract.ts';

export type { DrawerKickCommand, Line, PrintCommand, PrinterStatus, RawCommand };
export type CommandResult = Static<typeof ResultSchema>;

export const prints = (path: string): boolean => /^\/(print|raw|drawer\/kick)$/.test(path);

export const calls = (node: Access) => ({
  // What prints is sent once. Where its `NodeError` says `mayHavePrinted`, somebody has to look at the paper.
  print: (command: PrintCommand, options?: CallOptions): Promise<CommandResult> =>
    node.request('POST', '/print', command, options),
  raw: (command: RawCommand, options?: CallOptions): Promise<CommandResult> =>
    node.request('POST', '/raw', command, options),
  kickDrawer: (command: DrawerKickCommand, options?: CallOptions): Promise<CommandResult> =>
    node.request('POST', '/drawer/kick', command, options),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
