/** Routes of a room that run its commands: from the request to the command, and from its result to the answer. */
import type { Begin, Command, CommandResult } from '../kernel/command.ts';
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

/**
 * Runs the command of a request, in the name of its client and with its key, and gives the answer. Never rejects. What the key
 * and GET /jobs say of it is this command, whatever the body of the request was.
 */
export const runCommand = async (
  { node, begin, begins, key, request: { socket } }: Call,
  command: NodeCommand,
): Promise<Reply> => {
  // The spread comes last: V8 would make each command a hidden class of its own if properties followed it.
  const run = { from: addressOf(socket), begin, key, hasBegun: begins === 'route', ...command };
  if (begin !== undefined) run.begin = () => beginOf(run, begin);
  return replyOf(node, await node.command(run));
};

/** The turn of a command has come, which it knows of itself from then on. */
function beginOf(run: Pick<Command, 'hasBegun' | 'begunAt'>, begin: Begin): ReturnType<Begin> {
  const stored = begin();
  const hasCome = () => {
    run.hasBegun = true;
    run.begunAt = performance.now();
  };
  if (stored === undefined) hasCome();
  return stored?.then(hasCome);
}
