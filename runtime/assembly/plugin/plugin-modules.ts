/** What a plugin's author needs of the npm package: the modules that plugins import and are tested with. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Options } from 'tsup';
import { clientOf } from '../client/client-module.ts';
import { REQUIRE } from '../client/common-js.ts';
import { createLicenses, LICENSES } from '../licenses/licenses.ts';
import { namesOf } from '../rooms/own-package.ts';
import { leanPackages } from '../variant/lean-packages.ts';
import { writePluginTypes } from './plugin-types.ts';

/** How tsup puts them together, with types that know what these rooms, by their folders, add to a node. */
export function pluginModules(rooms: readonly string[], outDir = 'dist/plugin'): Options {
  const sources = Object.entries(namesOf('.'));
  const licenses = createLicenses();
  return {
    name: 'plugin',
    entry: Object.fromEntries(sources.map(([name, path]) => [name.replace('tillnode/', ''), path])),
    // One kernel, whichever of them a plugin imports.
    splitting: true,
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    clean: true,
    treeshake: false,
    esbuildOptions: (options) => {
      options.minifySyntax = true;
      options.minifyWhitespace = true;
      options.jsx = 'automatic';
      options.jsxImportSource = 'preact';
    },
    silent: true,
    // A panel has the Preact of the page that it is built into.
    external: [/^preact(\/|$)/],
    noExternal: [/^(?!preact(\/|$))/],
    removeNodeProtocol: false,
    banner: { js: REQUIRE },
    esbuildPlugins: [clientOf(rooms), leanPackages, licenses.collect],
    onSuccess: async () => {
      await writePluginTypes(
        join(outDir, 'types'),
        sources.map(([, path]) => path),
        rooms,
      );
      await writeFile(join(outDir, LICENSES), licenses.text());
    },
  };
}
