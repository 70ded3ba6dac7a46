/** The client calls of this room, and the types that they take and give. */
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

/** True for the paths whose requests print or open the drawer: the client never sends these twice. */
export const prints = (path: string): boolean => /^\/(print|raw|drawer\/kick)$/.test(path);

/** The calls that the client gets from this room. Each rejects with a NodeError. */
export const calls = (node: Access) => ({
  // Sent once, never retried. Where the NodeError says `mayHavePrinted`, a person has to look at the paper.
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
