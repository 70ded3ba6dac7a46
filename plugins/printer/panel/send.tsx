/** Sending to the printer from the page: once, and with the advice that belongs to an open outcome. */
import { NodeError } from '../../../runtime/client/client.ts';
import { commandId, faultOf, type PageNode } from '../../../runtime/exports/panel.ts';
import type { Line } from '../contract.ts';

/** Ids are for correlation: every sending has its own. */
export const newCommand = (endpoint: string) => ({ id: commandId(), endpoint });

/** Printers and drawers act once more when they are asked once more (specification 7). */
export async function carefully(send: () => Promise<string>): Promise<string> {
  try {
    return await send();
  } catch (error) {
    const open = error instanceof NodeError && (error.code === 'unreachable' || error.code === 'write_failed');
    if (!open) throw error;
    throw new Error(`${faultOf(error)} It may have arrived: look before you send it again.`);
  }
}

export const printLines = (node: PageNode, endpoint: string, lines: readonly Line[]): Promise<string> =>
  carefully(async () => {
    const { detail } = await node.client.print({ type: 'print', ...newCommand(endpoint), lines: [...lines] });
    return detail === undefined ? 'Sent to the printer.' : `Sent to the printer: ${detail}.`;
  });
