/** The rooms of this tree as its folders have them, by variant, for tests that start a node in their own process. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Plugin } from '../runtime/kernel/plugin.ts';

type Module = Promise<{ readonly default: Plugin }>;
/** Rooms of pages, which are put together by the build. */
export const pages = readdirSync('runtime/services').filter((name) =>
  readFileSync(`runtime/services/${name}/index.ts`, 'utf8').includes("'virtual:document/"),
);
const services = readdirSync('runtime/services')
  .filter((name) => !pages.includes(name))
  .map((name): Module => import(`../runtime/services/${name}/index.ts`));
const devices = readdirSync('plugins').map((name): Module => import(`../plugins/${name}/index.ts`));
const rooms = (await Promise.all([...services, ...devices])).map((module) => module.default);
const without = (...names: readonly string[]) => rooms.filter(({ name }) => !names.includes(name));

export const twinPlugins: readonly Plugin[] = without();
export const cameraPlugins: readonly Plugin[] = without('twin', 'serial');
export const stationHubPlugins: readonly Plugin[] = without('twin', 'camera');
export const wifiPlugins: readonly Plugin[] = without('twin', 'camera', 'serial');
