/** Images that an earlier version kept in the database go to the folder. */
import { Readable } from 'node:stream';
import type { Database } from '../database/database.ts';
import type { Images } from './images.ts';

/**
 * Writes those that are lacking in the folder, then drops their table. Several processes may do so at a time; what one is
 * still at when another has dropped the table is in the folder already.
 */
export async function moveImages(database: Database, images: Images): Promise<void> {
  if (!(await hasTable(database))) return;
  try {
    const releases = await database.query<{ sha256: string }>('SELECT DISTINCT sha256 FROM release');
    for (const { sha256 } of releases)
      if ((await images.lengthOf(sha256)) === undefined)
        await images.store(Readable.from(piecesOf(database, sha256)), undefined, (_, { publish }) => publish());
  } catch (error) {
    if (await hasTable(database)) throw error;
  }
  await database.query('DROP TABLE IF EXISTS image_piece');
}

async function hasTable(database: Database): Promise<boolean> {
  const [found] = await database.query<{ name: string | null }>("SELECT to_regclass('image_piece')::text AS name");
  return found?.name != null;
}

async function* piecesOf(database: Database, sha256: string): AsyncGenerator<Uint8Array> {
  for (let piece = 0; ; piece += 1) {
    const [row] = await database.query<{ bytes: Uint8Array }>(
      'SELECT bytes FROM image_piece WHERE sha256 = $1 AND piece = $2',
      [sha256, piece],
    );
    if (row === undefined) return;
    yield row.bytes;
  }
}
