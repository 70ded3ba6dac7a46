/** The sites that nodes are given, by their names: one is made where it is not there, and keeps its name meanwhile. */
import type { Queries } from '../database/database.ts';

/** Key of the advisory lock of the names of sites: the ASCII codes of "site". The watch, which writes to them, needs none. */
const LOCK = 0x73697465;

/** Until the end of the transaction no site gets another name or goes: for who gives one to a node. Before any row is locked. */
export const keepNames = (on: Queries) => on.query(`SELECT pg_advisory_xact_lock_shared(${LOCK})`);

/** Until the end of the transaction nobody else changes a site, or gives one to a node. Before any row is locked. */
export const holdSites = (on: Queries) => on.query(`SELECT pg_advisory_xact_lock(${LOCK})`);

/** Makes sure that there is a site of this name. Before any row of a node is locked. */
export async function makeSite(on: Queries, name: string): Promise<void> {
  const made = await on.query('INSERT INTO site (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING name', [name]);
  if (made.length > 0) await freeName(on, name);
}

/** A site gets this name: alerts that say it, of nodes that were deleted, are of one that was deleted, too. */
export const freeName = (on: Queries, name: string) =>
  on.query('UPDATE alert SET node_site = NULL WHERE node_site = $1', [name]);
