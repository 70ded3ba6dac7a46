/** Finds the folders of the rooms that a variant names: in this tree, in an installed package, or at a path. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** The part of a row of build.config.ts that names rooms. */
export interface RoomNames {
  /** Device rooms: folders of `plugins`, names of installed packages, or paths of folders (`./…`, `../…`, `/…`). */
  readonly plugins: readonly string[];
  readonly services: readonly string[];
}

/** A room and its folder. */
export interface Room {
  readonly name: string;
  /** Real path, without symbolic links, as esbuild reports paths. */
  readonly directory: string;
}

const IS_PATH = /^\.{0,2}\//;

/** All rooms of a variant, services first. `root`: folder of this tree. Throws if a plugin's folder does not exist. */
export const roomsOf = ({ plugins, services }: RoomNames, root: string): Room[] => [
  ...services.map((name) => ({ name, directory: join(root, 'runtime/services', name) })),
  ...plugins.map((name) => ({ name, directory: realpathSync(deviceRoom(name, root)) })),
];

/** Whether none of these rooms is from outside. `root`: folder of this tree. */
export const areOwn = (rooms: readonly Room[], root: string): boolean => {
  const own = ['runtime/services', 'plugins'].map((parent) => join(realpathSync(root), parent));
  return rooms.every(({ directory }) => own.includes(dirname(directory)));
};

/** The rooms of all variants, each once. Throws as `roomsOf`. */
export const everyRoom = (variants: Readonly<Record<string, RoomNames>>, root: string): Room[] => {
  const rooms = Object.values(variants).flatMap((variant) => roomsOf(variant, root));
  return [...new Map(rooms.map((room) => [room.directory, room])).values()];
};

function deviceRoom(name: string, root: string): string {
  const directory = IS_PATH.test(name) ? resolve(root, name) : join(root, 'plugins', name);
  if (existsSync(join(directory, 'index.ts'))) return directory;
  if (IS_PATH.test(name)) throw new Error(`${name}: index.ts is missing`);
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve(`${name}/package.json`));
  } catch {
    throw new Error(`${name}: neither a folder of plugins nor an installed package`);
  }
}

/** The rooms whose folder contains this file or folder. */
export const withFile = (rooms: readonly Room[], file: string): Room[] =>
  rooms.filter(({ directory }) => existsSync(join(directory, file)));

/** Paths, in a room's folder, of the parts that the build looks for: a file, or a file in a folder. */
const PLACES = {
  virtual: ['virtual.ts', 'virtual/device.ts'],
  panel: ['panel.tsx', 'panel/panel.tsx'],
  client: ['client.ts'],
  cli: ['cli.ts'],
  certify: ['certify.ts'],
  errors: ['errors.ts'],
  draw: ['draw.ts', 'drawing/worker.ts'],
  contract: ['contract.ts'],
} as const;

/** The path of this part of the room in `directory`; undefined if the room does not have it. */
export const partOf = (directory: string, part: keyof typeof PLACES): string | undefined =>
  PLACES[part].map((place) => join(directory, place)).find((path) => existsSync(path));

/** The files of these rooms' contracts: `contract.ts`, and the parts of it that stand in a folder `contract` beside it. */
export const contractFilesOf = (rooms: readonly Room[]): string[] =>
  withFile(rooms, 'contract.ts').flatMap(({ directory }) => {
    const folder = join(directory, 'contract');
    const parts = existsSync(folder) ? readdirSync(folder).filter((name) => /^[^.]+\.ts$/.test(name)) : [];
    return [join(directory, 'contract.ts'), ...parts.sort().map((name) => join(folder, name))];
  });

/** The entry of `draw.js`, which draws text in a thread of its own, where one of these rooms has a part for that. */
export const drawingOf = (rooms: readonly Room[]): { readonly draw?: string } => {
  const draw = rooms.map(({ directory }) => partOf(directory, 'draw')).find((path) => path !== undefined);
  return draw === undefined ? {} : { draw };
};

/** The folders of recipe files: that of this tree and those in rooms. */
export const recipeFoldersOf = (rooms: readonly Room[], root: string): string[] =>
  [root, ...withFile(rooms, 'recipes').map(({ directory }) => directory)].map((at) => join(at, 'recipes'));
