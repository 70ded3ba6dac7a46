/** What operators say of nodes: name, site, tags, notes; and nodes that go. */
import type { Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import type { NodePut } from './contract.ts';
import { leaveRollouts, noteTaken } from './gone.ts';
import { keepNames, makeSite } from './site-names.ts';

/** What operators can change, as the audit has it. */
interface Said {
  readonly name: string | null;
  readonly site: string | null;
  readonly tags: readonly string[];
  readonly notes: string;
  readonly mutedUntil: string | null;
}
const SAID = 'name, site, tags, notes, muted_until';

/** What operators said of a node, whose row is locked. Throws the Refusal `not_found`. */
export async function readSaid(on: Queries, id: string): Promise<Said> {
  const [row] = await on.query<Omit<Said, 'mutedUntil'> & { muted_until: Date | null }>(
    `SELECT ${SAID} FROM node WHERE id = $1 FOR UPDATE`,
    [id],
  );
  if (row === undefined) throw new Refusal('not_found', `no heartbeat of ${id}`);
  const { muted_until, ...said } = row;
  return { ...said, mutedUntil: muted_until?.toISOString() ?? null };
}

/** Changes what is given. Resolves with what it was, and what it is. Throws a Refusal. */
export async function changeNode(on: Queries, id: string, change: NodePut): Promise<[before: Said, after: Said]> {
  await keepNames(on);
  if (typeof change.site === 'string') await makeSite(on, change.site);
  const before = await readSaid(on, id);
  const after: Said = { ...before, ...change };
  if (after.mutedUntil !== null && Number.isNaN(Date.parse(after.mutedUntil)))
    throw new Refusal('invalid_request', 'mutedUntil is no date');
  await write(on, id, after);
  return [before, after];
}

async function write(on: Queries, id: string, { name, site, tags, notes, mutedUntil }: Said): Promise<void> {
  await on.query(
    `UPDATE node SET name = $2, site = $3, tags = ARRAY(SELECT json_array_elements_text($4::json)), notes = $5,
       muted_until = $6::timestamptz, look = true WHERE id = $1`,
    [id, name, site, JSON.stringify(tags), notes, mutedUntil],
  );
}

/** A new box takes over name, site, tags and notes of one that goes, each where that has some. Resolves with what was said of it, and is. Throws a Refusal. */
export async function replaceNode(on: Queries, id: string, by: string): Promise<[before: Said, after: Said]> {
  if (id === by) throw new Refusal('invalid_request', 'by: the same node');
  await keepNames(on);
  // In their order, as everywhere where rows of nodes are locked.
  const said = new Map<string, Said>();
  for (const each of [id, by].sort()) said.set(each, await readSaid(on, each));
  const [old] = await on.query<{ name: string }>('SELECT coalesce(name, said_name) AS name FROM node WHERE id = $1', [
    id,
  ]);
  const [gone, has] = [said.get(id) as Said, said.get(by) as Said];
  const after: Said = {
    name: old?.name || has.name,
    site: gone.site ?? has.site,
    tags: gone.tags.length > 0 ? gone.tags : has.tags,
    notes: gone.notes || has.notes,
    mutedUntil: null,
  };
  await write(on, by, after);
  await deleteNode(on, id, by);
  return [has, after];
}

// By their indexes. Its alerts end with the next look, as what is due is.
const FORGET = [
  'DELETE FROM transition WHERE node = $1',
  'DELETE FROM event WHERE node = $1',
  'DELETE FROM hour WHERE node = $1',
  'DELETE FROM boot WHERE node = $1',
  'DELETE FROM oddity WHERE node = $1',
  "INSERT INTO due (node, at) VALUES ($1, '-infinity') ON CONFLICT (node) DO UPDATE SET at = excluded.at",
];

/** Keeps the name of a node, by which its alerts are told and listed. */
const KEEP_NAME = `UPDATE alert SET node_name = coalesce(node.name, node.said_name), node_site = node.site FROM node
  WHERE node.id = $1 AND alert.subject = $1`;

/** Forgets a node, which another one replaces, or none. One that is heard again is a new one. Throws the Refusal `not_found`. */
export async function deleteNode(on: Queries, id: string, by?: string): Promise<void> {
  await on.query(KEEP_NAME, [id]);
  await noteTaken(on, id);
  const gone = await on.query('DELETE FROM node WHERE id = $1 RETURNING id', [id]);
  if (gone.length === 0) throw new Refusal('not_found', `no heartbeat of ${id}`);
  for (const statement of FORGET) await on.query(statement, [id]);
  await leaveRollouts(on, id, by);
}
