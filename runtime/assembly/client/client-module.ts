/** Generates the module `virtual:client`: the calls and the error rows of the rooms, for the client. */
import type { Plugin as EsbuildPlugin } from 'esbuild';
import { partOf } from '../rooms/rooms.ts';

const NAME = 'virtual:client';

/** The source of the module, for rooms in these folders: their calls (`client.ts`) and error rows (`errors.ts`). */
export function clientSource(rooms: readonly string[]): string {
  const calls = rooms.flatMap((room) => partOf(room, 'client') ?? []);
  const errors = rooms.flatMap((room) => partOf(room, 'errors') ?? []);
  return [
    ...calls.map((path, index) => `import * as room${index} from ${JSON.stringify(path)};`),
    ...errors.map((path, index) => `import { errors as errors${index} } from ${JSON.stringify(path)};`),
    `export const rooms = [${calls.map((_, index) => `room${index}`).join(', ')}];`,
    `export const errors = [${errors.map((_, index) => `...errors${index}`).join(', ')}];`,
  ].join('\n');
}

/** The esbuild plugin that resolves `virtual:client`, for rooms in these folders. */
export const clientOf = (rooms: readonly string[]): EsbuildPlugin => ({
  name: 'tillnode-client',
  setup(bundle) {
    bundle.onResolve({ filter: /^virtual:client$/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /^virtual:client$/, namespace: 'tillnode' }, () => ({
      contents: clientSource(rooms),
      resolveDir: process.cwd(),
      loader: 'ts',
    }));
  },
});

/** The esbuild plugin that leaves what makes rasters of pictures in a file of its own, which is loaded with the first one. */
export const picturesLater: EsbuildPlugin = {
  name: 'tillnode-pictures-later',
  setup(bundle) {
    bundle.onResolve({ filter: /\/codecs\/picture-raster\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './picture.js', external: true } : undefined,
    );
  },
};

/** The Vite plugin that resolves `virtual:client` in tests, which import the client's source files. */
export const clientModule = (rooms: readonly string[]) => ({
  name: 'tillnode-client',
  resolveId: (id: string) => (id === NAME ? `\0${NAME}` : undefined),
  load: (id: string) => (id === `\0${NAME}` ? clientSource(rooms) : undefined),
});
