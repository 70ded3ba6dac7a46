/** Prints short messages on the node's printer, for the person who stands at the box. */
import { randomUUID } from 'node:crypto';
import type { Command } from './command.ts';
import type { Node } from './node.ts';

/**
 * Prints lines of the print command (specification 2.3) on the first bound endpoint with the capability `print`, and
 * cuts. The result is also an event, as for any command. Resolves with false if the printing failed; never rejects.
 */
export async function printSlip(node: Node, lines: readonly object[]): Promise<boolean> {
  const to = node
    .endpoints()
    .find(({ declaration, condition }) => declaration.capabilities.includes('print') && condition === 'bound');
  if (to === undefined) return false;
  const command: Command & { readonly lines: readonly object[] } = {
    type: 'print',
    id: `slip-${randomUUID()}`,
    endpoint: to.declaration.id,
    lines: [...lines, { type: 'cut' }],
  };
  const { ok, error, detail } = await node.command(command);
  if (!ok) node.log.warn({ error, detail }, 'slip not printed');
  return ok;
}
