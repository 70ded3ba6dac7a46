/** The virtual devices of the rooms in this tree, and the codec that drives each: where a new row can be tried. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { evaluateModule } from '../assembly/rooms/evaluate.ts';
import { partOf } from '../assembly/rooms/rooms.ts';
import { usbIdentity } from '../bindings/usb-identity.ts';
import type { VirtualDevice } from '../bindings/virtual/device.ts';
import type { PlacedRow } from '../recipes/files.ts';
import { RecipeTable } from '../recipes/table.ts';

const PLUGINS = 'plugins';

/**
 * The name, in GET /twin/devices, of a virtual device that this codec drives; undefined if there is none. `placed`: the
 * rows that say which codec drives which. Rejects if a room does not compile.
 */
export async function virtualDeviceFor(codec: string, placed: readonly PlacedRow[]): Promise<string | undefined> {
  const modules = modulesOf(process.cwd());
  const creators = await evaluateModule(
    modules.map(({ path }, at) => `export { createVirtualDevice as _${at} } from ${JSON.stringify(path)};`).join('\n'),
  );
  const table = new RecipeTable(placed.map(({ row }) => row));
  const found = modules.find((_, at) => {
    const { descriptors, strings } = (creators[`_${at}`] as () => VirtualDevice)();
    return table.resolve(usbIdentity(descriptors, strings, ''))?.row.codec === codec;
  });
  return found?.name;
}

/** The virtual device of each room has the name of the room; further ones have the name of their module behind it. */
function modulesOf(root: string): { readonly name: string; readonly path: string }[] {
  return readdirSync(join(root, PLUGINS)).flatMap((room) => {
    const directory = join(root, PLUGINS, room);
    const own = partOf(directory, 'virtual');
    const further = readdirSync(directory)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(directory, file))
      .filter((path) => path !== own && readFileSync(path, 'utf8').includes('export const createVirtualDevice'));
    return [
      ...(own === undefined ? [] : [{ name: room, path: own }]),
      ...further.map((path) => ({ name: `${room}/${basename(relative(directory, path), '.ts')}`, path })),
    ];
  });
}
