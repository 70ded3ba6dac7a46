/**
 * The variants, and how one image is assembled from a row: tsup bundles runtime/main.ts, which imports
 * `virtual:variant`; the plugin below writes that module (rooms, recipe rows, bindings, compiled validators).
 * A room that is not listed is not in the file.
 */
import { defineConfig, type Options } from 'tsup';
import pkg from './package.json' with { type: 'json' };
import { clientOf, picturesLater } from './runtime/assembly/client/client-module.ts';
import { writeTypes } from './runtime/assembly/client/client-types.ts';
import { moveToCommonJs, REQUIRE, writeCommonJs } from './runtime/assembly/client/common-js.ts';
import { pluginModules } from './runtime/assembly/plugin/plugin-modules.ts';
import { drawingOf, everyRoom, roomsOf } from './runtime/assembly/rooms/rooms.ts';
import { moveToScript } from './runtime/assembly/variant/bundle-script.ts';
import { compileAhead } from './runtime/assembly/variant/compile-ahead.ts';
import { writeContract } from './runtime/assembly/variant/contract-module.ts';
import { type EvaluatedVariant, evaluateVariant } from './runtime/assembly/variant/evaluate-variant.ts';
import { shortenLocals } from './runtime/assembly/variant/short-locals.ts';
import type { Variant } from './runtime/assembly/variant/variant.ts';
import { variantPlugin } from './runtime/assembly/variant/variant-module.ts';
import { type Signing, signingOf, warningOf, writeImage } from './runtime/assembly/variant/write-image.ts';
import { messageOf } from './runtime/base/thrown.ts';

/** Printing over IPP waits for a port that another program has, such as the CUPS of the machine, and the node starts without. */
const mayWait = ['ipp'] as const;
const onTheShelf = {
  host: '::',
  port: 80,
  ports: { raw: 9100, ipp: 631 },
  mayWait,
  state: '/var/lib/tillnode',
} as const;
/** The project's release keys: none yet, so a release trusts nobody until its maker puts a key here. */
const signing = { trustedKeys: [], securityFloor: 1 } as const;
const services = [
  'status',
  'settings',
  'bootlog',
  'events',
  'webhook',
  'discovery',
  'peers',
  'network',
  'custody',
  'indicator',
  'jobs',
  'metrics',
  'capture',
  'update',
  'cloud',
  'compose',
  'page',
  'certify',
  'trouble',
  'help',
] as const;

export const variants: Readonly<Record<string, Variant>> = {
  wifi: {
    plugins: ['printer', 'ipp', 'epos', 'scanner', 'scale', 'hub'],
    services,
    bindings: 'native',
    usbChannels: 8,
    hardware: { bands: ['2.4'] },
    scripts: 'all',
    ...signing,
    defaults: onTheShelf,
  },
  'station-hub': {
    plugins: ['printer', 'ipp', 'epos', 'scanner', 'scale', 'serial', 'hub'],
    services,
    bindings: 'native',
    usbChannels: 16,
    hardware: { bands: ['2.4', '5'] },
    scripts: 'all',
    ...signing,
    defaults: onTheShelf,
  },
  camera: {
    plugins: ['printer', 'ipp', 'epos', 'scanner', 'scale', 'hub', 'camera'],
    services,
    bindings: 'native',
    usbChannels: 8,
    hardware: { bands: ['2.4'] },
    scripts: 'all',
    ...signing,
    defaults: onTheShelf,
  },
  twin: {
    plugins: ['printer', 'ipp', 'epos', 'scanner', 'scale', 'serial', 'hub', 'camera', 'twin'],
    services,
    bindings: 'virtual',
    atHand: ['scanner/virtual-wedge', 'scanner/virtual-serial', 'serial/virtual-scale'],
    usbChannels: 16,
    hardware: { bands: ['2.4', '5'] },
    scripts: 'all',
    ...signing,
    defaults: { host: '127.0.0.1', port: 8080, ports: { raw: 9100, ipp: 8631 }, mayWait, state: '.twin' },
  },
};

const argumentsOf = (name: string) =>
  process.argv.flatMap((each, at) => (each === name ? [process.argv[at + 1] ?? ''] : []));
const argument = (name: string) => argumentsOf(name)[0];
/**
 * `npm run build -- --variant NAME` builds one; without it, all, the client and what plugins import. `--with DIR`
 * adds a room from outside, and may be repeated, and writes the client that has its calls to `dist/NAME-client`; `--release --key FILE` signs for the field, `--release --unsigned` leaves that to
 * `npm run image -- sign`.
 */
const one = argument('--variant');
const asked = one === undefined ? Object.keys(variants) : [one];
let signed: Signing | undefined;
const signedWith = (): Signing => {
  signed ??= signingOf({
    release: process.argv.includes('--release'),
    unsigned: process.argv.includes('--unsigned'),
    keyFile: argument('--key'),
  });
  return signed;
};

/** Beside an image that needs no hardware: what people and tests start it with. */
const forPeople = {
  testing: 'runtime/node/twin.ts',
  pull: 'runtime/pull/main.ts',
  author: 'runtime/new/author-cli.ts',
} as const;

/** A line a step: a small computer is at it for a minute. */
const tell = (line: string) => void process.stderr.write(`${line}\n`);

/** How tsup puts one image together, into `dist/<name>`. `known`: the variant, where it is evaluated already. */
export const imageOf = (name: string, variant: Variant, known?: EvaluatedVariant): Options => ({
  name,
  entry: {
    node: 'runtime/main.ts',
    launcher: 'runtime/boot/main.ts',
    cli: 'runtime/cli/main.ts',
    ...drawingOf(roomsOf(variant, process.cwd())),
    ...(variant.bindings === 'virtual' && forPeople),
  },
  splitting: false,
  outDir: `dist/${name}`,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  clean: true,
  treeshake: false,
  // Names stay as they are written: stack traces show them, and nothing has to put them back as the node runs. Those that no
  // trace shows are short in what a node loads.
  esbuildOptions: (options) => {
    options.minifySyntax = true;
    options.minifyWhitespace = true;
    options.inject = ['runtime/assembly/variant/clock.ts'];
  },
  silent: true,
  // What each source file has in each bundle, for tests.
  metafile: true,
  // The native addon finds its prebuilt binary beside its own files.
  external: ['usb'],
  noExternal: [/^(?!usb(\/|$))/],
  // What Node brings is resolved by this build.
  removeNodeProtocol: false,
  banner: { js: REQUIRE },
  // A bundle that imports nothing at once would be read as CommonJS by tools that look for `import` or `export`.
  footer: { js: 'export{};' },
  esbuildPlugins: [variantPlugin(name, variant, pkg.version, signedWith().alsoTrusted, known)],
  onSuccess: async () => {
    tell(`${name}: packing dist/${name}`);
    await shortenLocals(`dist/${name}/node.js`);
    await moveToScript(`dist/${name}`);
    if (variant.bindings === 'virtual') await moveToCommonJs(`dist/${name}/testing.js`);
    await writeImage(
      `dist/${name}`,
      pkg.name,
      { variant: name, version: pkg.version, floor: variant.securityFloor },
      signedWith(),
    );
    try {
      compileAhead(`dist/${name}`);
    } catch (thrown) {
      tell(`${name}: not compiled ahead: ${messageOf(thrown)}`);
    }
  },
});

/** How tsup puts together the client of these rooms, by their folders. */
export const clientWith = (rooms: readonly string[], outDir = 'dist/client'): Options => ({
  name: 'client',
  entry: { client: 'runtime/client/client.ts', picture: 'codecs/picture-raster.ts' },
  splitting: false,
  outDir,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  clean: true,
  minify: true,
  silent: true,
  esbuildPlugins: [clientOf(rooms), picturesLater],
  onSuccess: async () => {
    await writeTypes(outDir, rooms);
    await writeContract(outDir, rooms);
    for (const file of ['client.js', 'contract.js', 'picture.js']) await writeCommonJs(`${outDir}/${file}`);
  },
});

async function image(name: string): Promise<Options> {
  const row = variants[name];
  if (row === undefined)
    throw new Error(`no variant ${JSON.stringify(name)}; there are ${Object.keys(variants).join(', ')}`);
  const variant = { ...row, plugins: [...row.plugins, ...argumentsOf('--with')] };
  // What is wrong with the options is said before anything else.
  const signer = signedWith();
  tell(`${name}: reading its ${variant.plugins.length + variant.services.length} rooms`);
  const known = await evaluateVariant(variant).catch((thrown: unknown) => {
    throw new Error(`variant ${name}: ${messageOf(thrown)}`);
  });
  process.stderr.write(warningOf(name, variant.trustedKeys, signer));
  tell(`${name}: bundling`);
  return imageOf(name, variant, known);
}

/** The client, and what plugins are written with, know the rooms of all variants. */
const forPrograms = () => {
  const rooms = everyRoom(variants, process.cwd()).map(({ directory }) => directory);
  return [clientWith(rooms), pluginModules(rooms)];
};

/** The client of an image with rooms from outside, which has their calls, too. */
const forRooms = (outside: readonly string[]) => {
  const rooms = everyRoom(variants, process.cwd()).map(({ directory }) => directory);
  return clientWith([...rooms, ...outside], `dist/${one}-client`);
};

/** A mistake in the table above, in a room or in the options is told in one line. */
function refuse(thrown: unknown): never {
  process.stderr.write(`${messageOf(thrown).replaceAll(/\s*\n\s*/g, ' ')}\n`);
  process.exit(1);
}

export default defineConfig(async () => {
  const images = await Promise.all(asked.map(image)).catch(refuse);
  if (one === undefined) return [...images, ...forPrograms()];
  const outside = argumentsOf('--with');
  return outside.length === 0 ? images : [...images, forRooms(outside)];
});
