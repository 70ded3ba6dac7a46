/** Sends jobs from the page, each once; where the outcome is unknown, the answer tells the user to look at the paper. */
import { defined } from '../../../runtime/base/defined.ts';
import { NodeError } from '../../../runtime/client/client.ts';
import { commandId, faultOf, type PageNode } from '../../../runtime/page/kit.ts';
import type { DrawerKickCommand, Line } from '../contract.ts';
import { say } from './say.tsx';

/** A new command; every one has its own id. */
const newCommand = (endpoint: string) => ({ id: commandId(), endpoint });

/** Adds advice to an error with an unknown outcome: a repeated command prints again (specification 7). */
async function carefully(send: () => Promise<string>): Promise<string> {
  try {
    return await send();
  } catch (error) {
    const open = error instanceof NodeError && (error.code === 'unreachable' || error.code === 'write_failed');
    if (!open) throw error;
    throw new Error(say('mayHaveArrived', { fault: faultOf(error) }));
  }
}

/** Prints lines. Resolves to a sentence for the user. */
export const printLines = (node: PageNode, endpoint: string, lines: readonly Line[]): Promise<string> =>
  carefully(async () => {
    const { detail } = await node.client.print({ type: 'print', ...newCommand(endpoint), lines: [...lines] });
    return detail === undefined ? say('sent') : say('sentDetail', { detail });
  });

/** `pin`: of the plug, where it is another than the configured one. */
export const openDrawer = (node: PageNode, endpoint: string, pin?: DrawerKickCommand['pin']): Promise<string> =>
  carefully(async () => {
    await node.client.kickDrawer({ type: 'drawer_kick', ...newCommand(endpoint), ...defined({ pin }) });
    return say('pulseSent');
  });
