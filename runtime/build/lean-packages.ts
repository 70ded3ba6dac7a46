/** What packages bring and no node uses is left out of an image: at every start it would be read and worked through. */
import { readFile } from 'node:fs/promises';
import type { Plugin as EsbuildPlugin } from 'esbuild';

/** Media types that koa looks up by itself, for answers that name none. */
const MEDIA_TYPES = ['application/json', 'application/octet-stream', 'text/html', 'text/plain'];

/** Packages behind parts of koa's context. No handler is given a context: it gets a `Call`. */
const OF_THE_CONTEXT = ['accepts', 'content-disposition', 'cookies', 'http-assert', 'type-is'];

export const leanPackages: EsbuildPlugin = {
  name: 'tillnode-lean-packages',
  setup(bundle) {
    bundle.onLoad(
      { filter: new RegExp(`[\\\\/]node_modules[\\\\/](${OF_THE_CONTEXT.join('|')})[\\\\/]`) },
      ({ path }) => ({
        contents: `module.exports = () => { throw new Error(${JSON.stringify(`${path.split(/[\\/]/).at(-2)} is in no image`)}); };`,
        loader: 'js',
      }),
    );
    // Koa loads all 2,500 media types; every answer of a node names its own.
    bundle.onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, async ({ path }) => {
      const table = JSON.parse(await readFile(path, 'utf8')) as Readonly<Record<string, unknown>>;
      return { contents: JSON.stringify(table, MEDIA_TYPES.concat('extensions', 'charset', 'source')), loader: 'json' };
    });
    // mdns-js can write what it does to a terminal, in colour.
    bundle.onLoad({ filter: /[\\/]debug[\\/]src[\\/]index\.js$/ }, () => ({
      contents: 'module.exports = () => () => {};',
      loader: 'js',
    }));
  },
};
