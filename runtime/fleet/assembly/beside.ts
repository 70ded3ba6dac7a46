/** What stands beside the fleet's program: the page of operators, and the codecs of the rooms of this tree. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin as EsbuildPlugin } from 'esbuild';
import { codecsOf, treeRooms } from '../../assembly/variant/room-codecs.ts';
import { PAGE } from '../http/page.ts';
import { CODECS } from '../recipes/codecs.ts';
import { makeFleetPage } from './page.ts';

/** Writes both into a folder. `plugins` see what the page is made of. Rejects where a file does not compile. Runs at the root of this tree. */
export async function writeBeside(directory: string, ...plugins: readonly EsbuildPlugin[]): Promise<void> {
  const write = (name: string, value: unknown) => writeFileSync(join(directory, name), JSON.stringify(value));
  write(PAGE, await makeFleetPage(...plugins));
  write(CODECS, [...(await codecsOf(treeRooms('.'))).values()]);
}
