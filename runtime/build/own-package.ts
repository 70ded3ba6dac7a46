/** `tillnode/…` means this tree, whoever imports it: a room from outside shares the one copy of everything. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

export const ownPackage = (root: string): Plugin => ({
  name: 'tillnode-own-package',
  setup(bundle) {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      exports: Record<string, string>;
    };
    bundle.onResolve({ filter: /^tillnode\// }, ({ path }) => {
      const target = exports[path.replace('tillnode', '.')];
      return typeof target === 'string' ? { path: join(root, target) } : { errors: [{ text: `there is no ${path}` }] };
    });
  },
});
