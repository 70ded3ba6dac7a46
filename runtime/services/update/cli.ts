/** `tillnode update FILE`. */
import { readFile, stat } from 'node:fs/promises';
import { type CliCommand, UsageError } from '../../cli/command.ts';
import { clean, json, paint, writeOut } from '../../cli/terminal.ts';
import { MAX_SYSTEM_BYTES } from '../../image/format.ts';

async function read(file: string): Promise<Uint8Array> {
  try {
    if ((await stat(file)).size > MAX_SYSTEM_BYTES) throw new Error(`over ${MAX_SYSTEM_BYTES} bytes`);
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
}

const update: CliCommand = {
  usage: 'FILE.img',
  summary: 'send an image, with which the node restarts; its update key in TILLNODE_UPDATE_KEY',
  positionals: 1,
  async run(context, [file = '']) {
    const { signal, timeout } = context;
    const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
    const installed = await context.client.upload(await read(file), { signal, timeoutMs });
    if (context.json) return writeOut(json(installed));
    writeOut(
      `${paint('green', 'installed')} ${clean(installed.variant)} ${clean(installed.version)}; the node restarts`,
    );
  },
};

export const commands = { update };
