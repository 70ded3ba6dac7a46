/** Evaluates the rooms of one variant at build time, so that a node need not compile schemas and validators at every start. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import { LANGUAGES } from '../../base/language.ts';
import { messageOf } from '../../base/thrown.ts';
import { type Composition, compose, withEndpoints } from '../../kernel/composition.ts';
import { CORE_ERRORS } from '../../kernel/core-errors.ts';
import type { Plugin } from '../../kernel/plugin.ts';
import { checkRow, expandMakerFile, type RecipeRow } from '../../recipes/row.ts';
import { faceRows } from '../page/fonts/table.ts';
import { evaluateModule } from '../rooms/evaluate.ts';
import { areOwn, contractFilesOf, partOf, type Room, recipeFoldersOf, roomsOf } from '../rooms/rooms.ts';
import { openRooms } from './open-rooms.ts';
import type { Variant } from './variant.ts';

const ROOT = process.cwd();

/** A variant whose rooms compose, and whose recipe rows its codecs take. */
export interface EvaluatedVariant {
  readonly composition: Composition;
  /** The exports of each file of a contract as data, by its path. */
  readonly contracts: ReadonlyMap<string, Record<string, unknown>>;
  readonly recipes: readonly RecipeRow[];
}

/** The entries of a variant that no build can do without. */
const ENTRIES = [
  'plugins',
  'services',
  'bindings',
  'usbChannels',
  'hardware',
  'trustedKeys',
  'securityFloor',
  'defaults',
] as const satisfies readonly (keyof Variant)[];

/**
 * Evaluates the declarations and contracts of a variant's rooms. Rejects with one line where an entry is missing, a script
 * has no face, a language no words, a room does not exist or throws, also as it is made, the rooms do not compose, or a recipe row is invalid.
 */
export async function evaluateVariant(variant: Variant): Promise<EvaluatedVariant> {
  const missing = ENTRIES.find((entry) => variant[entry] === undefined);
  if (missing !== undefined) throw new Error(`${missing} is missing in its row of build.config.ts`);
  faceRows(variant.scripts ?? []);
  const { language = 'en' } = variant;
  if (!Object.hasOwn(LANGUAGES, language))
    throw new Error(`language: there is no "${language}"; there are ${Object.keys(LANGUAGES).join(', ')}`);
  const rooms = roomsOf(variant, ROOT);
  const contractFiles = contractFilesOf(rooms);
  const evaluated = await exportsOf(rooms, contractFiles);
  for (const [index, { name }] of rooms.entries())
    if (evaluated[`room${index}`] === undefined) throw new Error(`${name}: index.ts exports no plugin by default`);
  const plugins = rooms.map(({ name }, index) => {
    const plugin = evaluated[`room${index}`] as Partial<Plugin> | undefined;
    if (plugin?.name === undefined) throw new Error(`${name}: the default export of its index.ts is not a plugin`);
    return plugin as Plugin;
  });
  const composition = compose(withEndpoints(plugins, variant.endpoints ?? {}), CORE_ERRORS);
  openRooms(composition.plugins, variant);
  for (const [index, { name, directory: at }] of rooms.entries()) {
    const { errors = [] } = evaluated[`room${index}`] as Plugin;
    if (errors.length > 0 && partOf(at, 'errors') === undefined)
      throw new Error(`${name}: its error rows belong in errors.ts, where the client finds them`);
  }
  for (const { name, directory: at } of rooms)
    if (!areOwn([{ name, directory: at }], ROOT)) await checkCommands(name, at);
  const contracts = new Map(
    contractFiles.map((path, index) => [path, evaluated[`contract${index}`] as Record<string, unknown>]),
  );
  return { composition, contracts, recipes: await recipesFor(composition, rooms) };
}

/** Rejects where the `cli.ts` of a room has no commands: the command line would call what is not there. */
async function checkCommands(name: string, directory: string): Promise<void> {
  const path = partOf(directory, 'cli');
  if (path === undefined) return;
  const { commands } = await evaluateModule(`export * from ${JSON.stringify(path)};`);
  if (typeof commands !== 'object' || commands === null)
    throw new Error(`${name}: its cli.ts exports no \`commands\`, an object of commands by name`);
  for (const [command, each] of Object.entries(commands as Record<string, unknown>)) {
    const { usage, summary, run } = Object(each) as Partial<Record<string, unknown>>;
    if (typeof usage !== 'string' || typeof summary !== 'string' || typeof run !== 'function')
      throw new Error(
        `${name}: the command ${command} of its cli.ts needs usage and summary, which are texts, and run, a function`,
      );
  }
}

/** The plugin of each room as `room0`, `room1` and so on, what each of these files of contracts exports as `contract0`. */
export async function exportsOf(
  rooms: readonly Room[],
  contractFiles: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const source = [
    ...rooms.map(
      ({ directory }, index) =>
        `export { default as room${index} } from ${JSON.stringify(join(directory, 'index.ts'))};`,
    ),
    ...contractFiles.map((path, index) => `export * as contract${index} from ${JSON.stringify(path)};`),
  ].join('\n');
  try {
    return await evaluateModule(source, [withoutPage]);
  } catch (error) {
    // One by one, to say which of them it is.
    if (rooms.length > 1) {
      for (const room of rooms)
        await exportsOf([room], contractFilesOf([room])).catch((thrown: unknown) => {
          throw new Error(`${room.name}: ${messageOf(thrown)}`);
        });
    }
    throw error;
  }
}

/** Empty documents: they are generated from the result of this evaluation, and no declaration uses them. */
const withoutPage: EsbuildPlugin = {
  name: 'tillnode-without-page',
  setup(bundle) {
    bundle.onResolve({ filter: /^virtual:document\// }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /.*/, namespace: 'tillnode' }, () => ({ contents: 'export const document = undefined;' }));
  },
};

/**
 * The recipe rows of an image: those whose codec it has, and those that refuse a device of a kind that it drives. Rows are for
 * all variants: one is left out here where a row of this tree has its codec, or kind, too, and refused where nobody has it.
 */
async function recipesFor({ codecs }: Composition, rooms: readonly Room[]): Promise<RecipeRow[]> {
  const kinds = new Set([...codecs.values()].map(({ kind }) => kind));
  const rows = new Map<string, RecipeRow>();
  const elsewhere = new Set<string>();
  for (const [index, directory] of recipeFoldersOf(rooms, ROOT).entries()) {
    const areOfTree = index === 0;
    for (const name of (await readdir(directory)).sort()) {
      if (!name.endsWith('.json') || ['recipe.schema.json', 'refused.json', 'profiles.json'].includes(name)) continue;
      const file = join(directory, name);
      for (const row of expandMakerFile(JSON.parse(await readFile(file, 'utf8')))) {
        const named = row.codec ?? row.kind;
        if (areOfTree) elsewhere.add(named);
        if (row.codec === undefined ? !kinds.has(row.kind) : !codecs.has(row.codec)) {
          if (elsewhere.has(named)) continue;
          throw new Error(
            `${relative(ROOT, file)}: row ${row.id}: nobody has the ${row.codec ? 'codec' : 'kind'} "${named}"`,
          );
        }
        const fault = checkRow(row, codecs) ?? (rows.has(row.id) ? 'id: another row has it' : undefined);
        if (fault !== undefined) throw new Error(`${relative(ROOT, file)}: row ${row.id}: ${fault}`);
        const { confidence: _confidence, source: _source, ...lean } = row;
        rows.set(row.id, lean);
      }
    }
  }
  return [...rows.values()];
}
