/** Opens either engine, with its tables up to date. */
import type { Database, Where } from './database.ts';
import { openFolder } from './folder.ts';
import { migrate } from './migrate.ts';
import { openServer } from './server.ts';

/** Opens the database and brings its tables up to date. Rejects if it cannot be reached within ten seconds. */
export async function openDatabase(where: Where): Promise<Database> {
  const database = 'url' in where ? await openServer(where.url) : await openFolder(where.folder);
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
