/** `npm run new`: starting points. Exit codes: 0 written, 1 refused (nothing written), 2 not understood. */

import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { codecsOf, treeRooms } from '../assembly/variant/room-codecs.ts';
import type { Output } from '../base/output.ts';
import { Refused } from '../base/refused.ts';
import { isOfTheSystem } from '../base/thrown.ts';
import { newPlugin } from './new-plugin.ts';
import { newRecipe } from './new-recipe.ts';
import { newRecording } from './new-recording.ts';

const USAGE = `usage: npm run new -- plugin NAME [--out DIR]
       npm run new -- recipe VID:PID [--make MAKE] [--model MODEL] [--kind KIND] [--like VID:PID]
       npm run new -- recording FILE
`;

const OPTIONS = {
  plugin: { out: { type: 'string' } },
  recipe: {
    make: { type: 'string' },
    model: { type: 'string' },
    kind: { type: 'string' },
    like: { type: 'string' },
  },
} as const satisfies Record<string, ParseArgsConfig['options']>;

/** Runs one command in the tree at `root`; resolves with the exit code. */
export async function main([command, ...args]: readonly string[], { out, err }: Output, root = '.'): Promise<number> {
  const named = (options: NonNullable<ParseArgsConfig['options']>) => {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    const [name, ...rest] = positionals;
    if (name === undefined || rest.length > 0) throw new TypeError('one name');
    return { name, values: values as Readonly<Record<string, string | undefined>> };
  };
  try {
    if (command === 'plugin') {
      const { name, values } = named(OPTIONS.plugin);
      out(newPlugin(root, name, values['out']));
    } else if (command === 'recipe') {
      const { name, values } = named(OPTIONS.recipe);
      out(await newRecipe(root, name, values, await codecsOf(treeRooms(process.cwd()))));
    } else if (command === 'recording') {
      out(newRecording(root, named({}).name, await codecsOf(treeRooms(process.cwd()))));
    } else throw new TypeError('no command');
    return 0;
  } catch (error) {
    if (error instanceof Refused || isOfTheSystem(error)) {
      err(`${error.message}\n`);
      return 1;
    }
    if (!(error instanceof TypeError)) throw error;
    err(USAGE);
    return 2;
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  });
}
