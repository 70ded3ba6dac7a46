/** `tillnode print FILE`. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { NodeClient } from '../client/client.ts';
import { type Command, UsageError } from './command.ts';
import { clean, json, paint, say } from './terminal.ts';

/** Largest body of POST /print. */
const MAX_BYTES = 256 * 1024;

async function read(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
    size += (chunk as Buffer).length;
    if (size > MAX_BYTES) throw new UsageError(`${file}: over ${MAX_BYTES} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

/** A print command, as the client takes it. */
type PrintCommand = Parameters<NodeClient['print']>[0];

async function commandIn(file: string): Promise<PrintCommand> {
  let found: unknown;
  try {
    found = JSON.parse(await read(file));
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
  const given = Array.isArray(found) ? { lines: found } : found;
  if (typeof given !== 'object' || given === null || !('lines' in given)) {
    throw new UsageError(`${file}: not a print command and not an array of lines`);
  }
  return { type: 'print', id: randomUUID(), endpoint: 'receipt', ...given } as PrintCommand;
}

/** Prints a file (`-`: standard input, at most 256 KiB) that has a print command or only its array of lines. */
export const print: Command = {
  usage: 'FILE.json',
  summary: 'print a print command, or an array of lines; - reads them from standard input',
  positionals: 1,
  async run(context, [file = '-']) {
    const result = await context.client.print(await commandIn(file), context);
    if (context.json) return say(json(result));
    const { commandId, endpoint, outcome, detail } = result;
    say(`${paint('green', clean(outcome ?? 'accepted'))} ${clean(endpoint)} ${clean(commandId)}`);
    if (detail !== undefined) say(clean(detail));
  },
};
