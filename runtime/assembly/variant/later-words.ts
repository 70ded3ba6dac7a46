/** The words that a node itself says are not read before it says something: it has them in every language. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import { LATER } from '../../base/later.ts';

const TABLES = /[\\/]words[\\/]\w+[\\/][a-z]{2}\.json$/;
/** What makes a catalogue of them. Of a page they are the words of one language, which it shows at once. */
const CATALOGUE = /[\\/]words[\\/]\w+[\\/]index\.ts$/;

export const laterWords: EsbuildPlugin = {
  name: 'tillnode-later-words',
  setup(bundle) {
    const namespace = 'tillnode-words';
    bundle.onResolve({ filter: /^\.\/[a-z]{2}\.json$/ }, ({ path, importer, resolveDir }) => {
      const found = join(resolveDir, path);
      return CATALOGUE.test(importer) && TABLES.test(found) ? { path: found, namespace } : undefined;
    });
    bundle.onLoad({ filter: /.*/, namespace }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')));
      return {
        contents: `import { laterObject } from ${JSON.stringify(join(process.cwd(), 'runtime/base/later.ts'))};
          export default /* @__PURE__ */ laterObject(${JSON.stringify(LATER + text)});`,
        resolveDir: process.cwd(),
      };
    });
  },
};
