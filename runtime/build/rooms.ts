/** Where the rooms that a variant names stand: in this tree, in a package that is installed, or at a path. */
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Variant } from '../../build.config.ts';

export interface Room {
  readonly name: string;
  /** Real path: what esbuild calls the files in it. */
  readonly directory: string;
}

const IS_PATH = /^\.{0,2}\//;

export const roomsOf = ({ plugins, services }: Pick<Variant, 'plugins' | 'services'>, root: string): Room[] => [
  ...services.map((name) => ({ name, directory: join(root, 'runtime/services', name) })),
  ...plugins.map((name) => ({ name, directory: realpathSync(deviceRoom(name, root)) })),
];

/** Every room that some variant names, once. */
export const everyRoom = (variants: Readonly<Record<string, Variant>>, root: string): Room[] => {
  const rooms = Object.values(variants).flatMap((variant) => roomsOf(variant, root));
  return [...new Map(rooms.map((room) => [room.directory, room])).values()];
};

function deviceRoom(name: string, root: string): string {
  const directory = IS_PATH.test(name) ? resolve(root, name) : join(root, 'plugins', name);
  if (existsSync(join(directory, 'index.ts'))) return directory;
  if (IS_PATH.test(name)) throw new Error(`${name}: there is no index.ts`);
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve(`${name}/package.json`));
  } catch {
    throw new Error(`${name}: neither a folder of plugins nor an installed package`);
  }
}

export const withFile = (rooms: readonly Room[], file: string): Room[] =>
  rooms.filter(({ directory }) => existsSync(join(directory, file)));

/** Where the parts of a room stand that the build finds by name: in a file, or in a folder where there is more to it. */
const PLACES = {
  virtual: ['virtual.ts', 'virtual/device.ts'],
  panel: ['panel.tsx', 'panel/panel.tsx'],
  client: ['client.ts'],
  errors: ['errors.ts'],
  contract: ['contract.ts'],
} as const;

/** The path of that part of the room in `directory`; undefined where it has none. */
export const partOf = (directory: string, part: keyof typeof PLACES): string | undefined =>
  PLACES[part].map((place) => join(directory, place)).find((path) => existsSync(path));

/** The recipe files of this tree, and those that a room brings along. */
export const recipeFoldersOf = (rooms: readonly Room[], root: string): string[] =>
  [root, ...withFile(rooms, 'recipes').map(({ directory }) => directory)].map((at) => join(at, 'recipes'));
