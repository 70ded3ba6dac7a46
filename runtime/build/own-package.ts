/** Resolves imports of `tillnode/…` to this source tree, so that a room in another package shares the same modules. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** The esbuild plugin. `root`: the folder of our package.json, whose `exports` decide. */
export const ownPackage = (root: string): Plugin => ({
  name: 'tillnode-own-package',
  setup(bundle) {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      exports: Record<string, string>;
    };
    bundle.onResolve({ filter: /^tillnode\// }, ({ path }) => {
      const target = exports[path.replace('tillnode', '.')];
      return typeof target === 'string'
        ? { path: join(root, target) }
        : { errors: [{ text: `package.json exports no ${path}` }] };
    });
  },
});
