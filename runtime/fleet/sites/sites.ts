/** Sites: the shops that nodes stand in, with the hours in which they are open. */
import { letIn } from '../../base/loop.ts';
import type { Parameter, Queries } from '../database/database.ts';
import { Refusal } from '../http/errors.ts';
import { Name, STATES } from '../nodes/contract.ts';
import { conditionsOf, LISTED, LISTED_WORDS } from '../nodes/filter.ts';
import { freeName, makeSite } from '../nodes/site-names.ts';
import type { Site, SiteList, SitePut, SitesQuery } from './contract.ts';
import { isWithin, isZone, secondsUntil, spansOf } from './hours.ts';

const LIMIT = 1000;
/** As JSON Schema has it. */
const NAME = new RegExp(Name.pattern ?? '', 'u');
/** How often the clock of a site is looked at in the minute in which it opens or closes: that is so much late at most. */
const LOOK_SECONDS = 20;
/** How often at any other time, where the clocks here or there were put forward or back. */
const AGAIN_SECONDS = 3600;
/** Sites that are looked at in one look of the watch, and those between which others are let in: each takes up to a tenth of a millisecond. */
const LOOKED = 5000;
const STEP = 50;

interface Row {
  readonly name: string;
  readonly zone: string;
  readonly hours: string;
  readonly notes: string;
  readonly is_open: boolean;
  readonly nodes: number;
}
type CountedRow = Row & Readonly<Record<string, unknown>>;
const COUNTS = STATES.map((state) => `count(*) FILTER (WHERE states @> ARRAY['${state}'])::int AS ${state}`).join(', ');
const viewOf = ({ name, zone, hours, notes, is_open, nodes, ...counts }: CountedRow): Site => ({
  ...{ name, zone, hours, notes, nodes },
  open: is_open,
  states: Object.fromEntries(STATES.map((state) => [state, Number(counts[state] ?? 0)])),
});

/** Sites without nodes, as a node of each that says nothing; for conditions on LISTED. */
const SAYS_NOTHING = `(SELECT name AS site, words, NULL AS id, NULL AS variant, NULL AS version, NULL AS version_order, NULL AS said_name,
    NULL AS name, '{}'::text[] AS tags, '{}'::text[] AS states, NULL::timestamptz AS muted_until FROM site AS empty
  WHERE NOT EXISTS (SELECT FROM node AS own WHERE own.site = empty.name)) AS node`;
const ofSite = (from: string, fits: string) => `EXISTS (SELECT FROM ${from} WHERE node.site = site.name AND (${fits}))`;

/**
 * The names of the sites of nodes that fit, and of those without nodes where a node that says nothing would. Nodes and sites without them are
 * asked each by itself: of both at once the planner does not know how many sites they have.
 */
function sitesOf(conditions: ReturnType<typeof conditionsOf>, others: readonly string[]): string {
  const among = (isNot: boolean, glue: string) =>
    conditions
      .filter((each) => each.isNot === isNot)
      .map((each) => each.fits)
      .join(glue);
  const [fits, not] = [among(false, ' AND '), among(true, ' OR ')];
  const rest = [...others, ...(not === '' ? [] : [LISTED, SAYS_NOTHING].map((from) => `NOT ${ofSite(from, not)}`))];
  const parts = fits === '' ? [rest] : [LISTED, SAYS_NOTHING].map((from) => [ofSite(from, fits), ...rest]);
  return parts.map((each) => `SELECT name FROM site WHERE ${each.join(' AND ')}`).join(' UNION ALL ');
}

/** One page of the sites that fit, by name, and how many fit. Throws the Refusal of a filter that is none. */
export async function listSites(
  on: Queries,
  { filter = '', search = '', after = '', limit = LIMIT, offset = 0 }: SitesQuery,
): Promise<SiteList> {
  const parameters: Parameter[] = [];
  const conditions = conditionsOf(filter, parameters, LISTED_WORDS);
  const searched = search === '' ? [] : [`strpos(site.words, fold($${parameters.push(search)})) > 0`];
  const fits = searched.join();
  const [counted] =
    conditions.length > 0
      ? []
      : await on.query<{ total: number }>(
          `SELECT count(*)::int AS total FROM site WHERE ${fits === '' ? 'true' : fits}`,
          [...parameters],
        );
  const behind = `name > $${parameters.push(after)}`;
  // What nodes are looked at for is looked up once.
  const [first, which] =
    conditions.length > 0
      ? [`WITH fit AS MATERIALIZED (${sitesOf(conditions, searched)}) `, `name IN (TABLE fit) AND ${behind}`]
      : ['', fits === '' ? behind : `${fits} AND ${behind}`];
  const total = first === '' ? 'NULL::int' : '(SELECT count(*)::int FROM fit)';
  const rows = await on.query<CountedRow & { readonly total: number | null }>(
    `${first}SELECT site.*, nodes, ${STATES.join(', ')}, ${total} AS total
     FROM (SELECT 1) AS one LEFT JOIN (SELECT name, zone, hours, notes, is_open FROM site WHERE ${which}
         ORDER BY name LIMIT ${limit} OFFSET ${offset}) AS site ON true
       CROSS JOIN LATERAL (SELECT count(*)::int AS nodes, ${COUNTS} FROM node WHERE node.site = site.name) AS own
     ORDER BY site.name`,
    parameters,
  );
  const sites = rows.filter(({ name }) => name !== null).map(viewOf);
  return { sites, total: counted?.total ?? rows[0]?.total ?? 0 };
}

/** One of them; undefined if there is none of this name. */
export async function readSite(on: Queries, name: string): Promise<Site | undefined> {
  const [row] = await on.query<CountedRow>(
    `SELECT site.name, zone, hours, site.notes, is_open, count(node.id)::int AS nodes, ${COUNTS}
     FROM site LEFT JOIN node ON node.site = site.name WHERE site.name = $1 GROUP BY site.name`,
    [name],
  );
  return row && viewOf(row);
}

/** Changes a site, which is made if it is not there, and its name, which its nodes follow; within `holdSites`. Throws a Refusal. */
export async function putSite(on: Queries, site: string, { zone, hours, notes, name }: SitePut): Promise<void> {
  if (hours !== undefined && spansOf(hours) === undefined)
    throw new Refusal('invalid_request', 'hours: as "Mo-Fr 08:00-20:00; Sa 09:00-13:00,14:00-18:00; Su off"');
  const [there] = await on.query<{ zone: string }>('SELECT zone FROM site WHERE name = $1', [site]);
  const isThere = there !== undefined;
  // Another one has given it its name just now.
  if (!isThere && name !== undefined && name !== site) throw new Refusal('not_found', `no site ${site}`);
  // What stands there already keeps nobody from another change.
  if (zone !== undefined && zone !== there?.zone && !(await isClock(on, zone)))
    throw new Refusal('invalid_request', `zone: ${zone} is no time zone, as Europe/Vienna is`);
  if (!isThere && !NAME.test(site))
    throw new Refusal('invalid_request', `a name has ${Name.description}, none of them "`);
  await makeSite(on, site);
  await on.query(
    `UPDATE site SET zone = coalesce($2, zone), hours = coalesce($3, hours), notes = coalesce($4, notes),
       look_at = 'epoch' WHERE name = $1`,
    [site, zone ?? null, hours ?? null, notes ?? null],
  );
  if (name === undefined || name === site) return;
  const others = await on.query('SELECT name FROM site WHERE name = $1', [name]);
  if (others.length > 0) throw new Refusal('conflict', `there is a site ${name}`);
  await on.query('UPDATE site SET name = $2 WHERE name = $1', [site, name]);
  // In their order, as everywhere where rows of nodes are locked.
  await on.query('SELECT id FROM node WHERE site = $1 ORDER BY id FOR UPDATE', [site]);
  await on.query('UPDATE node SET site = $2 WHERE site = $1', [site, name]);
  await freeName(on, name);
  // Alerts of nodes that were deleted are of it, too.
  await on.query('UPDATE alert SET node_site = $2 WHERE node_site = $1', [site, name]);
}

/**
 * Whether it is a time zone for this process and for the database, and the same for both: what stands among the abbreviations of
 * PostgreSQL is one of those there, with the hours of summer or without, whatever else has that name.
 */
async function isClock(on: Queries, zone: string): Promise<boolean> {
  if (!isZone(zone)) return false;
  const [known] = await on.query(
    `SELECT name FROM pg_timezone_names WHERE lower(name) = lower($1)
       AND (upper(name) IN ('UTC', 'GMT') OR NOT EXISTS (SELECT FROM pg_timezone_abbrevs WHERE abbrev = upper($1)))`,
    [zone],
  );
  return known !== undefined;
}

/** Deletes a site that no node has; within `holdSites`. Throws a Refusal. */
export async function deleteSite(on: Queries, name: string): Promise<void> {
  const [node] = await on.query<{ id: string }>('SELECT id FROM node WHERE site = $1 LIMIT 1', [name]);
  if (node !== undefined) throw new Refusal('conflict', `the node ${node.id} is of this site`);
  const gone = await on.query('DELETE FROM site WHERE name = $1 RETURNING name', [name]);
  if (gone.length === 0) throw new Refusal('not_found', `no site ${name}`);
}

/** What was seen of a site when its hours were looked at. */
interface LookedAt {
  readonly name: string;
  readonly zone: string;
  readonly hours: string;
  readonly is_open: boolean;
  /** When to look at it again. */
  readonly seconds: number;
}

/** Looks at the hours of the sites whose time has come, a few at a time: it changes and holds nothing, and may take a second. */
export async function lookAtHours(on: Queries): Promise<readonly LookedAt[]> {
  const due = await on.query<{ name: string; zone: string; hours: string; now: Date }>(
    `SELECT name, zone, hours, now() AS now FROM site WHERE look_at <= now()
       OR look_at > now() + interval '${AGAIN_SECONDS} seconds' ORDER BY look_at LIMIT ${LOOKED}`,
  );
  const looked: LookedAt[] = [];
  for (const [at, { name, zone, hours, now }] of due.entries()) {
    if (at % STEP === STEP - 1) await letIn();
    const isOpen = isWithin(hours, zone, now);
    const turns = (secondsUntil(hours, zone, now, !isOpen) ?? AGAIN_SECONDS) - 60;
    const seconds = Math.min(Math.max(turns, LOOK_SECONDS), AGAIN_SECONDS);
    looked.push({ name, zone, hours, is_open: isOpen, seconds });
  }
  return looked;
}

/**
 * Brings up to date which sites are open, as they were looked at in the same transaction; one that was changed since is looked at again.
 * Resolves with the names of those that opened or closed. Before any row of a node is locked, as whoever gives a site another name does.
 */
export async function turnSites(on: Queries, looked: readonly LookedAt[]): Promise<readonly string[]> {
  if (looked.length === 0) return [];
  const turned = await on.query<{ name: string; turned: boolean }>(
    `UPDATE site SET look_at = now() + seconds * interval '1 second', is_open = found.is_open,
       turned_at = CASE WHEN site.is_open = found.is_open THEN turned_at ELSE now() END
     FROM json_to_recordset($1::json) AS found (name text, zone text, hours text, is_open boolean, seconds int)
     WHERE site.name = found.name AND site.zone = found.zone AND site.hours = found.hours
     RETURNING site.name, turned_at = now() AS turned`,
    [JSON.stringify(looked)],
  );
  return turned.flatMap(({ name, turned: has }) => (has ? [name] : []));
}

/** Has the nodes of sites that opened or closed looked at again: what is told of them depends on it. After rows of nodes are locked. */
export async function lookAgain(on: Queries, names: readonly string[]): Promise<void> {
  if (names.length > 0)
    await on.query(
      `UPDATE due SET at = now() FROM node WHERE node.site = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
         AND node.states <> '{}' AND due.node = node.id`,
      [JSON.stringify(names)],
    );
}
