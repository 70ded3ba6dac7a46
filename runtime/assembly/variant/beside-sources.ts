/** For a node that runs from its sources: makes the files that a build puts beside the bundle of an image. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { replaceFileNow } from '../../base/durable.ts';
import { REQUIRE } from '../client/common-js.ts';
import { writeFonts } from '../page/fonts/write-pack.ts';
import { drawingOf } from '../rooms/rooms.ts';

const ROOT = process.cwd();
const CACHE = join(ROOT, '.cache/beside');

const FILES: Readonly<Record<string, (path: string) => void>> = {
  'draw.js': (path) => {
    const rooms = readdirSync(join(ROOT, 'plugins')).map((name) => ({ name, directory: join(ROOT, 'plugins', name) }));
    const { draw } = drawingOf(rooms);
    if (draw === undefined) throw new Error('no room of this tree draws text');
    buildSync({
      entryPoints: [draw],
      outfile: path,
      bundle: true,
      format: 'esm',
      platform: 'node',
      banner: { js: REQUIRE },
      logLevel: 'silent',
    });
    writeFonts(CACHE, 'all');
  },
};

const made = new Set<string>();

/** The path of this file, which is made from the sources once in each process. Throws where no image has one of that name. */
export function besideSources(name: string): string {
  const path = join(CACHE, name);
  const make = FILES[name];
  if (make === undefined) throw new Error(`no image has a file ${name}`);
  if (!made.has(name)) {
    // Another process may be reading it.
    replaceFileNow(path, make, { isDurable: false });
    made.add(name);
  }
  return path;
}
