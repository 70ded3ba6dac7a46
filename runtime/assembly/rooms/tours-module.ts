/**
 * Generates the modules `virtual:tours`, how the devices of the rooms are certified (`certify.ts` of each), and
 * `virtual:tour-kinds`, of which kinds they are.
 */
import type { Plugin as EsbuildPlugin } from 'esbuild';
import type { Tour } from '../../certify/tour.ts';
import { evaluateModule } from './evaluate.ts';
import { partOf } from './rooms.ts';

/** The source of `virtual:tours`, for rooms in these folders. */
function toursSource(rooms: readonly string[]): string {
  const tours = rooms.flatMap((room) => partOf(room, 'certify') ?? []);
  return [
    ...tours.map((path, index) => `import { tour as tour${index} } from ${JSON.stringify(path)};`),
    `export const tours = [${tours.map((_, index) => `tour${index}`).join(', ')}];`,
  ].join('\n');
}

/** The tours of these rooms, by the folders of those that have one. */
export async function toursIn(rooms: readonly string[]): Promise<ReadonlyMap<string, Tour>> {
  const folders = rooms.filter((room) => partOf(room, 'certify') !== undefined);
  const { tours } = (await evaluateModule(toursSource(folders))) as { readonly tours: readonly Tour[] };
  return new Map(folders.flatMap((folder, index) => (tours[index] === undefined ? [] : [[folder, tours[index]]])));
}

/** The esbuild plugin that resolves `virtual:tours`, for rooms in these folders. */
export const toursOf = (rooms: readonly string[]): EsbuildPlugin => ({
  name: 'tillnode-tours',
  setup(bundle) {
    bundle.onResolve({ filter: /^virtual:tours$/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /^virtual:tours$/, namespace: 'tillnode' }, () => ({
      contents: toursSource(rooms),
      resolveDir: process.cwd(),
      loader: 'ts',
    }));
  },
});

/** The esbuild plugin that resolves `virtual:tour-kinds`: the kinds alone, for a document that does not have the tours. */
export const tourKindsOf = (rooms: readonly string[]): EsbuildPlugin => ({
  name: 'tillnode-tour-kinds',
  setup(bundle) {
    bundle.onResolve({ filter: /^virtual:tour-kinds$/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /^virtual:tour-kinds$/, namespace: 'tillnode' }, async () => {
      const kinds = [...(await toursIn(rooms)).values()].map(({ kind }) => kind);
      return { contents: `export const kinds = ${JSON.stringify(kinds)};`, loader: 'js' };
    });
  },
});
