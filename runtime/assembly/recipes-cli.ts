/** `npm run recipes`: the recipe commands (runtime/recipes/cli.ts) with the codecs of the rooms in this tree, or of one outside it. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Output } from '../base/output.ts';
import { Refused } from '../base/refused.ts';
import { messageOf } from '../base/thrown.ts';
import { main } from '../recipes/cli.ts';
import type { Room } from './rooms/rooms.ts';
import { codecsOf, treeRooms } from './variant/room-codecs.ts';

/** Runs one command in the tree at the working directory; resolves with the exit code. */
export async function run(args: readonly string[], output: Output): Promise<number> {
  const [command, room, ...rest] = args;
  const at = args.indexOf('--with');
  const own = treeRooms(process.cwd());
  try {
    if (at > 0 && (command === 'explain' || command === 'draft') && at === args.length - 2) {
      const { outside, rows } = roomAt(args[at + 1] ?? '');
      return main(args.slice(0, at), output, { codecs: await codecsOf([...own, outside]), also: rows });
    }
    if (command !== 'check' || room === undefined || rest.length > 0)
      return main(args, output, { codecs: await codecsOf(own) });
    const { outside, rows } = roomAt(room);
    return main(['check'], output, { codecs: await codecsOf([outside]), directory: rows });
  } catch (error) {
    output.err(`${messageOf(error)}\n`);
    return 1;
  }
}

/** A room from outside, and the folder of its rows. Throws `Refused` where one of them is not there. */
function roomAt(folder: string): { readonly outside: Room; readonly rows: string } {
  if (!existsSync(join(folder, 'index.ts'))) throw new Refused(`${folder}: index.ts is missing`);
  const rows = join(folder, 'recipes');
  if (!existsSync(rows)) throw new Refused(`${rows}: there is no such folder`);
  return { outside: { name: folder, directory: realpathSync(folder) }, rows };
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await run(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
}
