/** Generates the module `virtual:commands`: what the rooms bring to the command line by their `cli.ts`. */
import type { Plugin as EsbuildPlugin } from 'esbuild';
import { partOf } from '../rooms/rooms.ts';

/** The esbuild plugin that resolves `virtual:commands`, for rooms in these folders. */
export const commandsOf = (rooms: readonly string[]): EsbuildPlugin => ({
  name: 'tillnode-commands',
  setup(bundle) {
    const paths = rooms.flatMap((room) => partOf(room, 'cli') ?? []);
    bundle.onResolve({ filter: /^virtual:commands$/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /^virtual:commands$/, namespace: 'tillnode' }, () => ({
      contents: [
        ...paths.map((path, index) => `import { commands as commands${index} } from ${JSON.stringify(path)};`),
        `export const commands = { ${paths.map((_, index) => `...commands${index}`).join(', ')} };`,
      ].join('\n'),
      resolveDir: process.cwd(),
      loader: 'ts',
    }));
  },
});
