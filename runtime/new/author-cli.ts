/**
 * `tillnode new` and `tillnode build`, for authors of plugins: a program beside the command line, which has no tree around it but
 * the sources in its package. Exit codes: 0 done; 1 not done for what may pass (the network, a full disk); 2 refused, which trying again does
 * not change.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Refused } from '../base/refused.ts';
import { isOfTheSystem, messageOf } from '../base/thrown.ts';
import { buildWith, MayPass } from './build-with.ts';
import { newPlugin } from './new-plugin.ts';

const USAGE = {
  new: `usage: tillnode new plugin NAME [--out DIR]

  writes a plugin that works, to begin with, to DIR (default: ./NAME)
`,
  build: `usage: tillnode build --with DIR [--with DIR]… [--variant NAME] [--out DIR] [--key FILE]

  builds an image of this version with the plugins in these folders, to DIR (default: dist/VARIANT);
  variant: wifi, station-hub, camera or twin (default); with --key it is signed for the field;
  the client that has the calls of the plugins is DIR/client/client.js, with its types

The first build of a version installs the packages that it needs from npm, in ~/.cache/tillnode;
XDG_CACHE_HOME names another folder than ~/.cache.
`,
};
type Name = keyof typeof USAGE;

/** From dist/twin: the folder of the package, or of the tree. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

function run(command: Name, args: readonly string[]): string | Promise<string> {
  if (args.includes('--help') || args.includes('-h')) return USAGE[command];
  if (command === 'new') {
    const { positionals, values } = parseArgs({ args, options: { out: { type: 'string' } }, allowPositionals: true });
    const [what, name, ...rest] = positionals;
    if (what !== 'plugin' || name === undefined || rest.length > 0) throw new TypeError('new takes: plugin NAME');
    return newPlugin(ROOT, name, values.out ?? `./${name}`);
  }
  const { values } = parseArgs({
    args,
    options: {
      with: { type: 'string', multiple: true },
      variant: { type: 'string' },
      out: { type: 'string' },
      key: { type: 'string' },
    },
  });
  const { with: rooms = [], variant = 'twin', out = join('dist', variant), key } = values;
  if (rooms.length === 0) throw new TypeError('--with DIR says which plugin to build in');
  return buildWith(ROOT, { rooms, variant, out, key }, (text) => void process.stderr.write(text));
}

const [command = 'build', ...args] = process.argv.slice(2) as [Name, ...string[]];
try {
  process.stdout.write(await run(command, args));
} catch (error) {
  const isUsage = error instanceof TypeError;
  if (!isUsage && !(error instanceof Refused) && !isOfTheSystem(error)) throw error;
  process.stderr.write(isUsage ? `${messageOf(error)}\n${USAGE[command]}` : `${messageOf(error)}\n`);
  const mayPass = error instanceof MayPass || (isOfTheSystem(error) && error.code === 'ENOSPC');
  process.exitCode = mayPass ? 1 : 2;
}
