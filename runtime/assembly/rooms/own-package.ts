/** Resolves imports of `tillnode/…` to this source tree, so that a room in another package shares the same modules. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * The modules that rooms import by name, for example `tillnode/plugin`, each with the path of its file. Reads them from
 * `paths` of tsconfig.json in the folder `root`, which the compiler uses too.
 */
export function namesOf(root: string): Readonly<Record<string, string>> {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: { paths: Record<string, [string]> };
  };
  return Object.fromEntries(Object.entries(compilerOptions.paths).map(([name, [path]]) => [name, join(root, path)]));
}

/** The esbuild plugin that resolves these names; another `tillnode/…` fails the build. `root`: as of `namesOf`. */
export const ownPackage = (root: string): Plugin => ({
  name: 'tillnode-own-package',
  setup(bundle) {
    const names = namesOf(root);
    bundle.onResolve({ filter: /^tillnode\// }, ({ path: name }) => {
      const path = names[name];
      return path === undefined ? { errors: [{ text: `there is no ${name}` }] } : { path };
    });
  },
});
