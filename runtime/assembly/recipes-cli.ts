/** `npm run recipes`: the recipe commands (runtime/recipes/cli.ts) with the codecs of the rooms in this tree, or of one outside it. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Output } from '../base/output.ts';
import { Refused } from '../base/refused.ts';
import { messageOf } from '../base/thrown.ts';
import { main } from '../recipes/cli.ts';
import { codecsOf, treeRooms } from './variant/room-codecs.ts';

/** Runs one command in the tree at the working directory; resolves with the exit code. */
export async function run(args: readonly string[], output: Output): Promise<number> {
  const [command, room, ...rest] = args;
  try {
    if (command !== 'check' || room === undefined || rest.length > 0)
      return main(args, output, { codecs: await codecsOf(treeRooms(process.cwd())) });
    if (!existsSync(join(room, 'index.ts'))) throw new Refused(`${room}: index.ts is missing`);
    const directory = join(room, 'recipes');
    if (!existsSync(directory)) throw new Refused(`${directory}: there is no such folder`);
    return main(['check'], output, {
      codecs: await codecsOf([{ name: room, directory: realpathSync(room) }]),
      directory,
    });
  } catch (error) {
    output.err(`${messageOf(error)}\n`);
    return 1;
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await run(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
}
