/**
 * Generates for one variant the modules `virtual:variant`, `virtual:validators`, `virtual:defaults` and `virtual:page`,
 * and the files image.json, openapi.json and licenses.txt. The rooms are evaluated at build time, so that a node need
 * not compile schemas and validators at every start.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { KindGuard } from '@sinclair/typebox';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import type { Variant } from '../../build.config.ts';
import { type Composition, compose, withEndpoints } from '../kernel/composition.ts';
import { CORE_ERRORS } from '../kernel/core-errors.ts';
import { describe } from '../kernel/describe.ts';
import type { ImageInfo } from '../kernel/node.ts';
import type { Plugin } from '../kernel/plugin.ts';
import { checkRow, expandMakerFile, type RecipeRow } from '../kernel/recipes.ts';
import { inputSchemas } from '../kernel/schemas.ts';
import { clientOf } from './client-module.ts';
import { commandsOf } from './commands-module.ts';
import { evaluateModule } from './evaluate.ts';
import { lateBuiltins } from './late-builtins.ts';
import { leanPackages } from './lean-packages.ts';
import { createLicenses, LICENSES } from './licenses.ts';
import { openapi } from './openapi.ts';
import { choiceOf } from './openapi-schemas.ts';
import { ownPackage } from './own-package.ts';
import { pageSource, shownOf } from './page-module.ts';
import { partOf, type Room, recipeFoldersOf, roomsOf, withFile } from './rooms.ts';
import { validatorsSource } from './validators-module.ts';

const ROOT = process.cwd();

interface EvaluatedVariant {
  readonly composition: Composition;
  /** The exports of each contract.ts as data, by its path. */
  readonly contracts: ReadonlyMap<string, Record<string, unknown>>;
  readonly recipes: readonly RecipeRow[];
}

/**
 * Evaluates the declarations and contracts of the rooms. Rejects if they do not compose, or a recipe row is invalid.
 */
async function evaluate(variant: Variant): Promise<EvaluatedVariant> {
  const rooms = roomsOf(variant, ROOT);
  const withContract = withFile(rooms, 'contract.ts');
  const source = [
    ...rooms.map(
      ({ directory }, index) =>
        `export { default as room${index} } from ${JSON.stringify(join(directory, 'index.ts'))};`,
    ),
    ...withContract.map(
      ({ directory }, index) => `export * as contract${index} from ${JSON.stringify(join(directory, 'contract.ts'))};`,
    ),
  ].join('\n');
  const evaluated = await evaluateModule(source, [withoutPage]);
  const composition = compose(
    withEndpoints(
      rooms.map((_, index) => evaluated[`room${index}`] as Plugin),
      variant.endpoints ?? {},
    ),
    CORE_ERRORS,
  );
  for (const [index, { name, directory: at }] of rooms.entries()) {
    const { errors = [] } = evaluated[`room${index}`] as Plugin;
    if (errors.length > 0 && partOf(at, 'errors') === undefined)
      throw new Error(`${name}: its error rows belong in errors.ts, where the client finds them`);
  }
  const contracts = new Map(
    withContract.map(({ directory: at }, index) => [
      join(at, 'contract.ts'),
      evaluated[`contract${index}`] as Record<string, unknown>,
    ]),
  );
  return { composition, contracts, recipes: await recipesFor(composition, rooms) };
}

/** An empty `virtual:page`: the page is generated from the result of this evaluation, and no declaration uses it. */
const withoutPage: EsbuildPlugin = {
  name: 'tillnode-without-page',
  setup(bundle) {
    bundle.onResolve({ filter: /^virtual:page$/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
    bundle.onLoad({ filter: /.*/, namespace: 'tillnode' }, () => ({ contents: 'export const page = undefined;' }));
  },
};

/** The recipe rows of an image: those whose codec it has, and those that refuse a device of a kind that it drives. */
async function recipesFor({ codecs }: Composition, rooms: readonly Room[]): Promise<RecipeRow[]> {
  const kinds = new Set([...codecs.values()].map(({ kind }) => kind));
  const rows = new Map<string, RecipeRow>();
  for (const directory of recipeFoldersOf(rooms, ROOT)) {
    for (const name of (await readdir(directory)).sort()) {
      if (!name.endsWith('.json') || ['recipe.schema.json', 'refused.json', 'profiles.json'].includes(name)) continue;
      const file = join(directory, name);
      for (const row of expandMakerFile(JSON.parse(await readFile(file, 'utf8')))) {
        if (row.codec === undefined ? !kinds.has(row.kind) : !codecs.has(row.codec)) continue;
        const fault = checkRow(row, codecs) ?? (rows.has(row.id) ? 'id: another row has it' : undefined);
        if (fault !== undefined) throw new Error(`${relative(ROOT, file)}: row ${row.id}: ${fault}`);
        const { confidence: _confidence, source: _source, ...lean } = row;
        rows.set(row.id, lean);
      }
    }
  }
  return [...rows.values()];
}

function variantSource(
  info: ImageInfo,
  variant: Variant,
  { composition: { plugins }, recipes }: EvaluatedVariant,
): string {
  const rooms = roomsOf(variant, ROOT);
  const isVirtual = variant.bindings === 'virtual';
  // The name of a virtual device is the name that its room declares.
  const plugged = rooms.flatMap(({ directory }, index) => {
    const path = isVirtual ? partOf(directory, 'virtual') : undefined;
    if (path === undefined) return [];
    // For each further endpoint of a kind there is another virtual device, with the name of the endpoint.
    const further = (plugins[index]?.endpoints ?? []).filter(({ id, kind }) =>
      variant.endpoints?.[kind]?.slice(1).includes(id),
    );
    return [{ key: `[room${index}.name]`, path }, ...further.map(({ id }) => ({ key: JSON.stringify(id), path }))];
  });
  const atHand = (isVirtual ? (variant.atHand ?? []) : []).map((name) => ({
    key: JSON.stringify(name),
    path: join(ROOT, 'plugins', `${name}.ts`),
  }));
  const devices = [...plugged, ...atHand];
  const factories = (first: number, end: number) =>
    `{${devices
      .map(({ key }, index) => `${key}: device${index}`)
      .slice(first, end)
      .join(', ')}}`;
  return [
    ...rooms.map(({ directory }, index) => `import room${index} from ${JSON.stringify(join(directory, 'index.ts'))};`),
    ...devices.map(
      ({ path }, index) => `import { createVirtualDevice as device${index} } from ${JSON.stringify(path)};`,
    ),
    `import { openBindings } from ${JSON.stringify(join(ROOT, 'runtime/bindings', variant.bindings, 'bindings.ts'))};`,
    `export * as validators from 'virtual:validators';`,
    `export const image = ${JSON.stringify(info)};`,
    ...pluginsSource(rooms, variant),
    // Read faster as JSON than as a program.
    `export const recipes = JSON.parse(${JSON.stringify(JSON.stringify(recipes))});`,
    `export const devices = ${factories(0, plugged.length)};`,
    `export const atHand = ${factories(plugged.length, devices.length)};`,
    `export const bindings = (state, restart) => openBindings(state, restart, devices, atHand);`,
  ].join('\n');
}

function pluginsSource(rooms: readonly Room[], { endpoints }: Variant): string[] {
  const list = `[${rooms.map((_, index) => `room${index}`).join(', ')}]`;
  if (endpoints === undefined) return [`export const plugins = ${list};`];
  return [
    `import { withEndpoints } from ${JSON.stringify(join(ROOT, 'runtime/kernel/composition.ts'))};`,
    `export const plugins = withEndpoints(${list}, ${JSON.stringify(endpoints)});`,
  ];
}

/**
 * Replaces each contract.ts by plain data, reduced by `needed`: an image and its page do not contain the schema
 * library.
 */
const contractsAsData = (
  contracts: () => Promise<EvaluatedVariant['contracts']>,
  needed: (value: unknown) => unknown,
): EsbuildPlugin => ({
  name: 'tillnode-contracts',
  setup(bundle) {
    bundle.onLoad({ filter: /\/contract\.ts$/ }, async ({ path }) => {
      const contract = (await contracts()).get(resolve(path));
      if (contract === undefined) return undefined;
      const contents = Object.entries(contract).map(([key, value]) => {
        if (typeof value === 'function') throw new Error(`${path}: ${key} is a function; a contract is data`);
        return `export const ${key} = ${JSON.stringify(needed(value))};`;
      });
      return { contents: contents.join('\n'), loader: 'js' };
    });
  },
});

/**
 * The esbuild plugin for one variant. `version`: semantic version of the image; `alsoTrusted`: raw public keys in
 * base64, in addition to the `trustedKeys` of the variant. A fault in a room's declarations fails the build.
 */
export function variantPlugin(
  name: string,
  variant: Variant,
  version: string,
  alsoTrusted: readonly string[],
): EsbuildPlugin {
  return {
    name: 'tillnode-variant',
    setup(bundle) {
      const { usbChannels, hardware, securityFloor } = variant;
      const trustedKeys = [...variant.trustedKeys, ...alsoTrusted];
      const info: ImageInfo = { variant: name, version, usbChannels, hardware, trustedKeys, securityFloor };
      let evaluated: Promise<EvaluatedVariant> | undefined;
      const once = () => {
        evaluated ??= evaluate(variant);
        return evaluated;
      };
      const directories = roomsOf(variant, ROOT).map(({ directory }) => directory);
      ownPackage(ROOT).setup(bundle);
      clientOf(directories).setup(bundle);
      commandsOf(directories).setup(bundle);
      bundle.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
      bundle.onLoad({ filter: /^virtual:variant$/, namespace: 'tillnode' }, async () => ({
        contents: variantSource(info, variant, await once()),
        resolveDir: ROOT,
        loader: 'js',
      }));
      bundle.onLoad({ filter: /^virtual:defaults$/, namespace: 'tillnode' }, () => ({
        contents: `export const defaults = ${JSON.stringify(variant.defaults)}; export const version = ${JSON.stringify(version)};`,
        loader: 'js',
      }));
      const licenses = createLicenses();
      bundle.onLoad({ filter: /^virtual:validators$/, namespace: 'tillnode' }, async () => ({
        contents: await validatorsSource(inputSchemas((await once()).composition), licenses.collect),
        resolveDir: ROOT,
        loader: 'js',
      }));
      licenses.collect.setup(bundle);
      leanPackages.setup(bundle);
      lateBuiltins.setup(bundle);
      const contracts = async () => (await once()).contracts;
      // Validators are generated and found by `$id`, so an image needs nothing else of a schema.
      contractsAsData(contracts, (value) => (KindGuard.IsSchema(value) ? { $id: value.$id } : value)).setup(bundle);
      bundle.onLoad({ filter: /^virtual:page$/, namespace: 'tillnode' }, async () => {
        const choice = choiceOf((await once()).composition.webhookEvents);
        const contents = await pageSource(
          directories,
          contractsAsData(contracts, (value) => (KindGuard.IsSchema(value) ? shownOf(value, [choice]) : value)),
          licenses.collect,
        );
        return { contents, loader: 'js' };
      });
      bundle.onEnd(async ({ errors }) => {
        if (errors.length > 0) return;
        const { composition, recipes } = await once();
        const target = join(ROOT, 'dist', name);
        await mkdir(target, { recursive: true });
        const image = JSON.stringify(describe(info, composition, recipes), null, 2);
        await writeFile(join(target, 'image.json'), `${image}\n`);
        await writeFile(join(target, 'openapi.json'), JSON.stringify(openapi(info, composition)));
        await writeFile(join(target, LICENSES), licenses.text());
      });
    },
  };
}
