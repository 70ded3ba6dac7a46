/** The codecs that rooms declare. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from '../../kernel/plugin.ts';
import type { Codecs } from '../../recipes/row.ts';
import { type Room, withFile } from '../rooms/rooms.ts';
import { exportsOf } from './evaluate-variant.ts';

/** The device rooms of the tree at `root`. */
export const treeRooms = (root: string): Room[] => {
  const folder = resolve(root, 'plugins');
  const rooms = readdirSync(folder).map((name) => ({ name, directory: join(folder, name) }));
  return withFile(rooms, 'index.ts');
};

/** Evaluates these rooms. Rejects, with the name of the room, where one does not compile or throws. */
export async function codecsOf(rooms: readonly Room[]): Promise<Codecs> {
  const evaluated = await exportsOf(rooms, []);
  const codecs = rooms.flatMap((_, index) => (evaluated[`room${index}`] as Plugin | undefined)?.codecs ?? []);
  return new Map(codecs.map((codec) => [codec.name, codec]));
}
