/**
 * The variants, and how one image is assembled from a row: tsup bundles runtime/main.ts, which imports
 * `virtual:variant`; the plugin below writes that module (rooms, recipe rows, bindings, compiled validators).
 * A room that is not listed is not in the file.
 */
import { defineConfig, type Options } from 'tsup';
import pkg from './package.json' with { type: 'json' };
import type { Defaults } from './runtime/boot/options.ts';
import { clientOf } from './runtime/build/client-module.ts';
import { writeTypes } from './runtime/build/client-types.ts';
import { REQUIRE, turnIntoCommonJs, writeCommonJs } from './runtime/build/common-js.ts';
import { writeContract } from './runtime/build/contract-module.ts';
import { everyRoom } from './runtime/build/rooms.ts';
import { variantPlugin } from './runtime/build/variant-module.ts';
import { signingOf, warningOf, writeImage } from './runtime/build/write-image.ts';
import type { Hardware } from './runtime/kernel/registry.ts';

export interface Variant {
  /** Device rooms: folders of `plugins`, names of installed packages, or paths of folders (`./…`, `../…`, `/…`). */
  readonly plugins: readonly string[];
  readonly services: readonly string[];
  /** `native` drives this machine's parts; `virtual` plugs in the virtual device of each room that has one. */
  readonly bindings: 'native' | 'virtual';
  /** Modules of device rooms whose virtual device lies beside the bus until it is attached; virtual bindings only. */
  readonly atHand?: readonly string[];
  /**
   * By kind, the ids of the endpoints that this hardware has in place of the one that the room of that kind declares:
   * `{ printer: ['receipt', 'kitchen'] }`. A room says of which kinds it serves several.
   */
  readonly endpoints?: Readonly<Record<string, readonly string[]>>;
  /** Host channels of the USB bus. */
  readonly usbChannels: number;
  readonly hardware: Readonly<Partial<Hardware>>;
  /** Raw Ed25519 public keys in base64: who may sign the images that this hardware takes. */
  readonly trustedKeys: readonly string[];
  /** An image below the floor of the one that runs is refused; raised when an old image must never run again. */
  readonly securityFloor: number;
  readonly defaults: Defaults;
}

const onTheShelf = { host: '::', port: 80, ports: { raw: 9100 }, state: '/var/lib/tillnode' } as const;
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
  'jobs',
  'capture',
  'update',
  'cloud',
  'compose',
  'page',
] as const;

export const variants: Readonly<Record<string, Variant>> = {
  wifi: {
    plugins: ['printer', 'scanner', 'scale', 'hub'],
    services,
    bindings: 'native',
    usbChannels: 8,
    hardware: { bands: ['2.4'] },
    ...signing,
    defaults: onTheShelf,
  },
  'station-hub': {
    plugins: ['printer', 'scanner', 'scale', 'hub'],
    services,
    bindings: 'native',
    usbChannels: 16,
    hardware: { bands: ['2.4', '5'] },
    ...signing,
    defaults: onTheShelf,
  },
  camera: {
    plugins: ['printer', 'scanner', 'scale', 'hub', 'camera'],
    services,
    bindings: 'native',
    usbChannels: 8,
    hardware: { bands: ['2.4'] },
    ...signing,
    defaults: onTheShelf,
  },
  twin: {
    plugins: ['printer', 'scanner', 'scale', 'hub', 'camera', 'twin'],
    services,
    bindings: 'virtual',
    atHand: ['scanner/virtual-wedge', 'scanner/virtual-serial'],
    usbChannels: 16,
    hardware: { bands: ['2.4', '5'] },
    ...signing,
    defaults: { host: '127.0.0.1', port: 8080, ports: { raw: 9100 }, state: '.twin' },
  },
};

const argument = (name: string) =>
  process.argv.includes(name) ? (process.argv[process.argv.indexOf(name) + 1] ?? '') : undefined;
/** `npm run build -- --variant NAME` builds one; without it, all, and the client. `--release --key FILE` signs for the field. */
const one = argument('--variant');
const asked = one === undefined ? Object.keys(variants) : [one];
const signedWith = signingOf({ release: process.argv.includes('--release'), keyFile: argument('--key') });

/** Beside an image that needs no hardware: what people and tests start it with. */
const forPeople = { cli: 'runtime/cli/main.ts', testing: 'runtime/node/twin.ts' } as const;

/** How tsup puts one image together, into `dist/<name>`. */
export const imageOf = (name: string, variant: Variant): Options => ({
  name,
  entry: {
    main: 'runtime/main.ts',
    launcher: 'runtime/boot/main.ts',
    ...(variant.bindings === 'virtual' && forPeople),
  },
  splitting: false,
  outDir: `dist/${name}`,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  clean: true,
  treeshake: false,
  // Names stay as they are written: stack traces show them, and nothing has to put them back as the node runs.
  esbuildOptions: (options) => {
    options.minifySyntax = true;
    options.minifyWhitespace = true;
  },
  silent: true,
  // The native addon finds its prebuilt binary beside its own files.
  external: ['usb'],
  noExternal: [/^(?!usb(\/|$))/],
  // What Node brings is resolved by this build.
  removeNodeProtocol: false,
  banner: { js: REQUIRE },
  esbuildPlugins: [variantPlugin(name, variant, pkg.version, signedWith.alsoTrusted)],
  onSuccess: async () => {
    if (variant.bindings === 'virtual') await turnIntoCommonJs(`dist/${name}/testing.js`);
    await writeImage(
      `dist/${name}`,
      pkg.name,
      { variant: name, version: pkg.version, floor: variant.securityFloor },
      signedWith,
    );
  },
});

/** How tsup puts together the client of these rooms, by their folders. */
export const clientWith = (rooms: readonly string[], outDir = 'dist/client'): Options => ({
  name: 'client',
  entry: { client: 'runtime/client/client.ts' },
  outDir,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  clean: true,
  minify: true,
  silent: true,
  esbuildPlugins: [clientOf(rooms)],
  onSuccess: async () => {
    await writeTypes(outDir, rooms);
    await writeContract(outDir, rooms);
    for (const file of ['client.js', 'contract.js']) await writeCommonJs(`${outDir}/${file}`);
  },
});

const images = asked.map((name): Options => {
  const variant = variants[name];
  if (variant === undefined)
    throw new Error(`no variant ${JSON.stringify(name)}; there are ${Object.keys(variants).join(', ')}`);
  process.stderr.write(warningOf(name, variant.trustedKeys, signedWith));
  return imageOf(name, variant);
});

/** The client knows the rooms of all variants. */
const client = () => clientWith(everyRoom(variants, process.cwd()).map(({ directory }) => directory));

export default defineConfig(one === undefined ? [...images, client()] : images);
