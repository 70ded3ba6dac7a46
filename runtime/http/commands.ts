/** Routes of a room that run its commands: from the request to the command, and from its result to the answer. */
import type { CommandResult } from '../kernel/command.ts';
import type { Node } from '../kernel/node.ts';
import type { Call } from '../kernel/plugin.ts';
import type { NodeCommand } from '../kernel/registry.ts';
import { Reply } from '../kernel/reply.ts';
import { addressOf } from './peer.ts';

/** The answer that tells this result: with status 200, or that of its error in the table of this image. */
export function replyOf(node: Pick<Node, 'errors'>, result: CommandResult): Reply {
  const status = result.error === undefined ? 200 : (node.errors.get(result.error)?.status ?? 409);
  return new Reply(status, result);
}

/** Runs the command of a request, in the name of its client and with its key, and gives the answer. Never rejects. */
export const runCommand = async (
  { node, begin, key, request: { socket } }: Call,
  command: NodeCommand,
): Promise<Reply> =>
  // The spread comes last: V8 would make each command a hidden class of its own if properties followed it.
  replyOf(node, await node.command({ from: addressOf(socket), begin, key, ...command }));
