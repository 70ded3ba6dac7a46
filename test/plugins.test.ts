/** What tests start is what is built: the rooms of a variant's row, and no room that no row has. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { variants } from '../build.config.ts';
import { everyRoom } from '../runtime/assembly/rooms/rooms.ts';
import { cameraPlugins, pages, twinPlugins, wifiPlugins } from './plugins.ts';

it.each([
  ['wifi', wifiPlugins],
  ['camera', cameraPlugins],
  ['twin', twinPlugins],
])('%s has the rooms of its row, but for the pages', (name, plugins) => {
  const { plugins: devices = [], services = [] } = variants[name] ?? {};
  const row = [...devices, ...services].filter((room) => !pages.includes(room));
  expect(plugins.map((plugin) => plugin.name).sort()).toEqual(row.sort());
});

it('every room is in the row of some variant', () => {
  const folders = ['runtime/services', 'plugins'].flatMap((parent) => readdirSync(parent));
  const built = everyRoom(variants, process.cwd()).map((room) => room.name);
  expect(built.sort()).toEqual(folders.sort());
});
