/** The client calls of this room, and the types that they take and give. */
import type { Static } from '@sinclair/typebox';
import type { Access } from '../../runtime/client/access.ts';
import type { CallOptions, KeyedOptions } from '../../runtime/client/transport.ts';
import type {
  DrawerKickCommand,
  Line,
  PrintCommand,
  PrinterStatus,
  RawCommand,
  CommandResult as ResultSchema,
} from './contract.ts';

export type { DrawerKickCommand, Line, PrintCommand, PrinterStatus, RawCommand };
/** What came of a command. `bytes`: those that left for the printer. */
export type CommandResult = Static<typeof ResultSchema>;

/** True for the paths whose requests print or open the drawer: the client never sends these twice. */
export const prints = (path: string): boolean => /^\/(print|raw|drawer\/kick)$/.test(path);

/** The calls that the client gets from this room. Each rejects with a NodeError. */
export const calls = (node: Access) => ({
  /**
   * Prints lines. Sent once, never repeated: where the error says `mayHavePrinted`, a person has to look at the paper
   * first. With a `key` (1 to 64 printable ASCII characters, new for each new receipt) the node prints it once, however often
   * it is sent with that key.
   */
  print: (command: PrintCommand, options?: KeyedOptions): Promise<CommandResult> =>
    node.request('POST', '/print', command, options),
  /**
   * Prints lines once: makes a key, and sends the command again with it where the connection breaks or the node restarts, for
   * up to `timeoutMs` (90 s). Where it rejects with `mayHavePrinted`, nobody could be asked any more, or the node was stopped
   * while it printed.
   */
  printOnce: (command: PrintCommand, options?: CallOptions): Promise<CommandResult> =>
    node.once('POST', '/print', command, options),
  /**
   * The paper that these lines make, as an SVG document; nothing is printed. `data-substituted` on its root counts the
   * characters that print as a question mark, `data-left-out` direction controls that were left out, `<desc>` has the paper as text. `endpoint`: of its printer, else of the first.
   * Rejects as `print` where the lines are at fault.
   */
  preview: async (
    lines: readonly Line[],
    { endpoint, ...options }: CallOptions & { readonly endpoint?: string } = {},
  ): Promise<string> => (await node.blob('/preview', { ...options, body: JSON.stringify({ lines, endpoint }) })).text(),
  /** Whether these lines can be printed: resolves, or rejects as `preview`; no paper is drawn, which is sooner done. */
  check: async (
    lines: readonly Line[],
    { endpoint, ...options }: CallOptions & { readonly endpoint?: string } = {},
  ): Promise<void> => {
    const asked = { ...options, headers: { Prefer: 'return=minimal' }, body: JSON.stringify({ lines, endpoint }) };
    await node.blob('/preview', asked);
  },
  /** Sends bytes (base64) to the printer as they are. Sent once, as `print`; with a `key` they leave once. */
  raw: (command: RawCommand, options?: KeyedOptions): Promise<CommandResult> =>
    node.request('POST', '/raw', command, options),
  /** Opens the drawer. Sent once, as `print`; with a `key` it opens once. */
  kickDrawer: (command: DrawerKickCommand, options?: KeyedOptions): Promise<CommandResult> =>
    node.request('POST', '/drawer/kick', command, options),
});

declare module '../../runtime/kernel/registry.ts' {
  interface Calls extends ReturnType<typeof calls> {}
}
