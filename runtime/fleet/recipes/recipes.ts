/** The recipe table: checked as the project checks its own rows, every version kept, the newest served. */
import { createHash } from 'node:crypto';
import { checkRecipes, type RecipeFault } from '../../recipes/check.ts';
import { placedRows } from '../../recipes/files.ts';
import type { Codecs } from '../../recipes/row.ts';
import type { Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { codecsHeard } from './codecs.ts';
import { type RecipeVersion, TABLE_BYTES } from './contract.ts';

interface Row extends Omit<RecipeVersion, 'at'> {
  readonly at: Date;
}
const viewOf = ({ at, ...row }: Row): RecipeVersion => ({ ...row, at: at.toISOString() });
const LISTED = 'version, at, who, note, rows, etag';

/** Before anybody wrote one. */
const NONE: RecipeVersion = {
  version: 0,
  at: new Date(0).toISOString(),
  who: '',
  note: '',
  rows: 0,
  etag: '"0"',
  text: '{\n  "maker": "",\n  "rows": []\n}\n',
};
const NOTHING = '{"rows":[]}';

/** What is wrong with a text, by line. Options are checked of rows with these codecs; of any other, the nodes that have it check them. */
export function faultsOf(text: string, codecs: Codecs): Omit<RecipeFault, 'path'>[] {
  try {
    return checkRecipes([{ path: 'recipes', text }], codecs, 'taken').map(({ path: _, ...fault }) => fault);
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) return [{ line: 1, field: 'file', reason: 'nested too deeply' }];
    throw error;
  }
}

/** The rows of a text without faults whose codec no node was heard of: none of those that tell their codecs will use them. */
export async function warningsOf(on: Queries, text: string): Promise<Omit<RecipeFault, 'path'>[]> {
  const heard = await codecsHeard(on);
  if (heard.size === 0) return [];
  return placedRows([{ path: 'recipes', text }]).flatMap(({ row: { id, codec }, line }) =>
    codec === undefined || heard.has(codec)
      ? []
      : [{ line, row: id, field: 'codec', reason: `no node was heard of that has ${JSON.stringify(codec)}` }],
  );
}

/** The newest version, or that one. Throws the Refusal `not_found`. */
export async function readVersion(on: Queries, version?: number): Promise<RecipeVersion> {
  const which = version === undefined ? 'ORDER BY version DESC LIMIT 1' : 'WHERE version = $1';
  const [row] = await on.query<Row>(
    `SELECT ${LISTED}, text FROM recipe_table ${which}`,
    version === undefined ? [] : [version],
  );
  if (row !== undefined) return viewOf(row);
  if (version === undefined || version === 0) return NONE;
  throw new Refusal('not_found', `no version ${version}`);
}

/** The last 100 versions, newest first. */
export async function listVersions(on: Queries): Promise<Omit<RecipeVersion, 'text'>[]> {
  const rows = await on.query<Row>(`SELECT ${LISTED} FROM recipe_table ORDER BY version DESC LIMIT 100`);
  return rows.map(viewOf);
}

/** What nodes get, with its entity tag. */
export async function readServed(on: Queries): Promise<{ readonly served: string; readonly etag: string }> {
  const [row] = await on.query<{ served: string; etag: string }>(
    'SELECT served, etag FROM recipe_table ORDER BY version DESC LIMIT 1',
  );
  return row ?? { served: NOTHING, etag: NONE.etag };
}

/** The entity tag of what nodes get, without the table. */
export async function readEtag(on: Queries): Promise<string> {
  const [row] = await on.query<{ etag: string }>('SELECT etag FROM recipe_table ORDER BY version DESC LIMIT 1');
  return row?.etag ?? NONE.etag;
}

/**
 * Makes a text the newest version, checked as by `faultsOf`. Resolves with the one before, and with that. Throws a Refusal: `invalid_request` with all faults, `conflict` where somebody wrote one
 * since `base`.
 */
export async function writeVersion(
  on: Queries,
  { text, note = '', base, who }: { text: string; note?: string; base?: number; who: string },
  codecs: Codecs,
): Promise<[before: RecipeVersion, after: RecipeVersion]> {
  const faults = faultsOf(text, codecs);
  const [first] = faults;
  if (first !== undefined)
    throw new Refusal('invalid_request', `line ${first.line}: ${first.field} ${first.reason}`, { faults });
  const rows = placedRows([{ path: 'recipes', text }]).map(({ row }) => row);
  const served = JSON.stringify({ rows });
  if (Buffer.byteLength(served) > TABLE_BYTES)
    throw new Refusal('invalid_request', `nodes take at most ${TABLE_BYTES} bytes`);
  await on.query('LOCK TABLE recipe_table IN SHARE ROW EXCLUSIVE MODE');
  const newest = await readVersion(on);
  if (base !== undefined && base !== newest.version)
    throw new Refusal('conflict', `version ${newest.version} was written by ${newest.who} since`);
  const etag = `"${createHash('sha256').update(served).digest('hex').slice(0, 32)}"`;
  const [row] = await on.query<Row>(
    `INSERT INTO recipe_table (who, note, text, served, rows, etag) VALUES ($1, $2, $3, $4, $5, $6)
     RETURNING ${LISTED}, text`,
    [who, note, text, served, rows.length, etag],
  );
  if (row === undefined) throw new Error('no version was written');
  return [newest, viewOf(row)];
}
