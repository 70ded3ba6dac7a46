/**
 * Generates for one variant the modules `virtual:variant`, `virtual:validators`, `virtual:defaults` and those of its pages,
 * and the files image.json, openapi.json, licenses.txt and pages.br.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KindGuard } from '@sinclair/typebox';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import { defined } from '../../base/defined.ts';
import { LATER } from '../../base/later.ts';
import { describe } from '../../kernel/describe.ts';
import type { ImageInfo } from '../../kernel/node.ts';
import { inputSchemas } from '../../kernel/schemas.ts';
import { clientOf } from '../client/client-module.ts';
import { openapi } from '../docs/openapi.ts';
import { choiceOf } from '../docs/openapi-schemas.ts';
import { createLicenses, LICENSES } from '../licenses/licenses.ts';
import {
  type DocumentName,
  documentSource,
  type MadeDocument,
  makeDocument,
  PAGES,
  packedParts,
  shownOf,
} from '../page/document-module.ts';
import { codesOf, faceRows } from '../page/fonts/table.ts';
import { addFontLicenses, writeFonts } from '../page/fonts/write-pack.ts';
import { ownPackage } from '../rooms/own-package.ts';
import { areOwn, partOf, type Room, roomsOf } from '../rooms/rooms.ts';
import { toursOf } from '../rooms/tours-module.ts';
import { answersSource } from './answers-module.ts';
import { commandsOf } from './commands-module.ts';
import { contractsAsData } from './contracts-as-data.ts';
import { type EvaluatedVariant, evaluateVariant } from './evaluate-variant.ts';
import { lateModules } from './late-modules.ts';
import { laterWords } from './later-words.ts';
import { leanPackages } from './lean-packages.ts';
import { validatorsSource } from './validators-module.ts';
import type { Variant } from './variant.ts';

const ROOT = process.cwd();

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
    "export const beside = (name) => require.resolve('./' + name);",
    ...pluginsSource(rooms, variant),
    `import { keepLater, laterText } from ${JSON.stringify(join(ROOT, 'runtime/base/later.ts'))};`,
    `keepLater(${JSON.stringify(LATER)});`,
    `const rows = ${JSON.stringify(textsByVendor(recipes))};`,
    `export const recipes = (vendorId) => (Object.hasOwn(rows, vendorId) ? JSON.parse(laterText(rows[vendorId])) : []);`,
    `export const recipeCount = ${recipes.length};`,
    `export const devices = ${factories(0, plugged.length)};`,
    `export const atHand = ${factories(plugged.length, devices.length)};`,
    `export const bindings = (state, restart) => openBindings(state, restart, devices, atHand);`,
  ].join('\n');
}

/** Later texts, each the rows of one vendor as JSON, which is read faster than a program. */
function textsByVendor(recipes: EvaluatedVariant['recipes']): Record<string, string> {
  const vendors = [...new Set(recipes.map(({ vendorId }) => vendorId))];
  const rowsOf = (vendor: string) => recipes.filter(({ vendorId }) => vendorId === vendor);
  return Object.fromEntries(vendors.map((vendor) => [vendor, LATER + JSON.stringify(rowsOf(vendor))]));
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
 * The esbuild plugin for one variant. `version`: semantic version of the image; `alsoTrusted`: raw public keys in
 * base64, in addition to the `trustedKeys` of the variant; `known`: the variant, where it is evaluated already. A fault in
 * a room's declarations fails the build.
 */
export function variantPlugin(
  name: string,
  variant: Variant,
  version: string,
  alsoTrusted: readonly string[],
  known?: EvaluatedVariant,
): EsbuildPlugin {
  return {
    name: 'tillnode-variant',
    setup(bundle) {
      const { usbChannels, hardware, securityFloor, scripts = [], language } = variant;
      const trustedKeys = [...variant.trustedKeys, ...alsoTrusted];
      const info: ImageInfo = {
        variant: name,
        version,
        usbChannels,
        hardware,
        trustedKeys,
        securityFloor,
        scripts: codesOf(faceRows(scripts)),
        ...(areOwn(roomsOf(variant, ROOT), ROOT) && { roomsAreOwn: true }),
        ...defined({ language }),
      };
      let evaluated = known && Promise.resolve(known);
      const once = () => {
        evaluated ??= evaluateVariant(variant);
        return evaluated;
      };
      const directories = roomsOf(variant, ROOT).map(({ directory }) => directory);
      ownPackage(ROOT).setup(bundle);
      clientOf(directories).setup(bundle);
      commandsOf(directories).setup(bundle);
      toursOf(directories).setup(bundle);
      bundle.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path, namespace: 'tillnode' }));
      bundle.onLoad({ filter: /^virtual:variant$/, namespace: 'tillnode' }, async () => ({
        contents: variantSource(info, variant, await once()),
        resolveDir: ROOT,
        loader: 'js',
      }));
      bundle.onLoad({ filter: /^virtual:defaults$/, namespace: 'tillnode' }, () => ({
        contents: `export const defaults = ${JSON.stringify(variant.defaults)}; export const version = ${JSON.stringify(version)};
          export const forPeople = ${variant.bindings === 'virtual'};`,
        loader: 'js',
      }));
      const licenses = createLicenses();
      bundle.onLoad({ filter: /^virtual:validators$/, namespace: 'tillnode' }, async () => ({
        contents: await validatorsSource(inputSchemas((await once()).composition)),
        resolveDir: ROOT,
        loader: 'js',
      }));
      bundle.onLoad({ filter: /^virtual:answers$/, namespace: 'tillnode' }, async () => ({
        contents: await answersSource(info, (await once()).composition),
        resolveDir: ROOT,
        loader: 'js',
      }));
      licenses.collect.setup(bundle);
      leanPackages.setup(bundle);
      lateModules.setup(bundle);
      laterWords.setup(bundle);
      const contracts = async () => (await once()).contracts;
      // Validators are generated and found by `$id`, so an image needs nothing else of a schema.
      contractsAsData(contracts, (value) => (KindGuard.IsSchema(value) ? { $id: value.$id } : value)).setup(bundle);
      const documents = new Map<string, MadeDocument>();
      bundle.onResolve({ filter: /\/pages\.json$/ }, ({ path }) => ({ path, external: true }));
      bundle.onLoad({ filter: /^virtual:document\//, namespace: 'tillnode' }, async ({ path }) => {
        const choice = choiceOf((await once()).composition.webhookEvents);
        const name = path.slice('virtual:document/'.length) as DocumentName;
        const made = await makeDocument(
          name,
          directories,
          contractsAsData(contracts, (value) => (KindGuard.IsSchema(value) ? shownOf(value, [choice]) : value)),
          licenses.collect,
        );
        documents.set(name, made);
        return { contents: documentSource(name, made), loader: 'js', resolveDir: ROOT };
      });
      bundle.onEnd(async ({ errors }) => {
        if (errors.length > 0) return;
        const { composition, recipes } = await once();
        const target = join(ROOT, 'dist', name);
        await mkdir(target, { recursive: true });
        const image = JSON.stringify(describe(info, composition, recipes.length), null, 2);
        await writeFile(join(target, 'image.json'), `${image}\n`);
        await writeFile(join(target, 'openapi.json'), JSON.stringify(openapi(info, composition)));
        writeFonts(target, scripts);
        addFontLicenses(licenses, scripts);
        await writeFile(join(target, LICENSES), licenses.text());
        await writeFile(join(target, PAGES), await packedParts(documents));
      });
    },
  };
}
