/** Leaves out of an image what packages contain and no node uses: it would be loaded at every start. */
import { readFile } from 'node:fs/promises';
import type { Plugin as EsbuildPlugin } from 'esbuild';

/** Media types that koa looks up itself, for responses that name none. */
const MEDIA_TYPES = ['application/json', 'application/octet-stream', 'text/html', 'text/plain'];

/** Packages that only methods of koa's context, or of the router that no node calls, use. Handlers get a `Call`, not the context. */
const OF_THE_CONTEXT = ['accepts', 'content-disposition', 'cookies', 'http-assert', 'http-errors', 'type-is'];

/**
 * Names of parameters in a path, by classes of Unicode that V8 takes a millisecond to make: as path-to-regexp has them, and here, for a
 * character of ASCII, without. They are tried with nothing at the end of a path.
 */
const NAMED = {
  'const ID_START = /^[$_\\p{ID_Start}]$/u;':
    "const ID_START = { test: (char = '') => (char < '\\x80' ? /^[$_A-Za-z]$/ : /^[$_\\p{ID_Start}]$/u).test(char) };",
  'const ID_CONTINUE = /^[$\\u200c\\u200d\\p{ID_Continue}]$/u;':
    "const ID_CONTINUE = { test: (char = '') => (char < '\\x80' ? /^[$\\w]$/ : /^[$\\u200c\\u200d\\p{ID_Continue}]$/u).test(char) };",
  'const ID = /^[$_\\p{ID_Start}][$\\u200c\\u200d\\p{ID_Continue}]*$/u;':
    'const ID = { test: (name) => /^[$_\\p{ID_Start}][$\\u200c\\u200d\\p{ID_Continue}]*$/u.test(name) };',
} as const;

/** The esbuild plugin. A call of a package that is left out throws an Error that names it. */
export const leanPackages: EsbuildPlugin = {
  name: 'tillnode-lean-packages',
  setup(bundle) {
    bundle.onLoad(
      { filter: new RegExp(`[\\\\/]node_modules[\\\\/](${OF_THE_CONTEXT.join('|')})[\\\\/]`) },
      ({ path }) => ({
        // Koa takes and exports the class of http-errors, which itself makes one for every status.
        contents: `module.exports = () => { throw new Error(${JSON.stringify(`${path.split(/[\\/]/).at(-2)} is in no image`)}); };
          module.exports.HttpError = class extends Error {};`,
        loader: 'js',
      }),
    );
    // Koa destroys streams by this package, which loads those of files and of zlib to tell them from others (of Node 8).
    bundle.onLoad({ filter: /[\\/]node_modules[\\/]destroy[\\/]/ }, () => ({
      contents: 'module.exports = (stream) => stream.destroy();',
      loader: 'js',
    }));
    // Koa loads all 2,500 media types; every response of a node names its own.
    bundle.onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, async ({ path }) => {
      const table = JSON.parse(await readFile(path, 'utf8')) as Readonly<Record<string, unknown>>;
      return { contents: JSON.stringify(table, MEDIA_TYPES.concat('extensions', 'charset', 'source')), loader: 'json' };
    });
    bundle.onLoad({ filter: /[\\/]node_modules[\\/]path-to-regexp[\\/]dist[\\/]index\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const [whole, short] of Object.entries(NAMED)) {
        if (!contents.includes(whole)) throw new Error(`${path} has no ${whole}`);
        contents = contents.replace(whole, () => short);
      }
      return { contents, loader: 'js' };
    });
    // mdns-js logs to a terminal through this package.
    bundle.onLoad({ filter: /[\\/]debug[\\/]src[\\/]index\.js$/ }, () => ({
      contents: 'module.exports = () => () => {};',
      loader: 'js',
    }));
  },
};
