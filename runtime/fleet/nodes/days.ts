/** The last days of a node: what its hours and changes add up to. */
import type { Queries } from '../database/database.ts';
import type { NodeDays } from './contract.ts';

const DAYS = 30;
/** Days by the clocks of the site, which end up to half a day before or after those of the fleet. */
const SINCE = `now() - interval '${DAYS + 1} days'`;

const SUM = `WITH own AS (SELECT hour_at, hour_prints, coalesce(zone, 'UTC') AS zone
    FROM node LEFT JOIN site ON site.name = node.site WHERE node.id = $1),
  day AS (SELECT day::date AS day FROM own, generate_series((now() AT TIME ZONE zone)::date - ${DAYS - 1},
    (now() AT TIME ZONE zone)::date, interval '1 day') AS day),
  heard AS (SELECT (began AT TIME ZONE zone)::date AS day, count(*)::int AS hours, sum(prints)::bigint AS prints FROM own, (
      SELECT began, prints FROM hour WHERE node = $1 AND at > ${SINCE}
      UNION ALL SELECT hour_at, hour_prints FROM own WHERE hour_at IS NOT NULL) AS every GROUP BY 1),
  changed AS (SELECT (at AT TIME ZONE zone)::date AS day,
      count(*) FILTER (WHERE kind = 'state' AND after = 'offline')::int AS offline,
      count(*) FILTER (WHERE kind = 'paper' AND after = 'out')::int AS no_paper,
      count(*) FILTER (WHERE kind = 'crash')::int AS crashes,
      json_agg(after ORDER BY id) FILTER (WHERE kind = 'version') AS versions
    FROM own, transition WHERE node = $1 AND at > ${SINCE} GROUP BY 1)
  SELECT day::text, coalesce(hours, 0) AS hours, coalesce(prints, 0) AS prints, coalesce(offline, 0) AS offline,
    coalesce(no_paper, 0) AS no_paper, coalesce(crashes, 0) AS crashes, coalesce(versions, '[]') AS versions
  FROM day LEFT JOIN heard USING (day) LEFT JOIN changed USING (day) ORDER BY day`;

interface Row extends Omit<NodeDays['days'][number], 'noPaper'> {
  readonly no_paper: number;
}

/** The last 30 days by the clocks of its site, the oldest first; undefined if it was never heard of. */
export async function readDays(on: Queries, id: string): Promise<NodeDays | undefined> {
  const rows = await on.query<Row>(SUM, [id]);
  if (rows.length === 0) return undefined;
  return { days: rows.map(({ no_paper, ...row }) => ({ ...row, noPaper: no_paper })) };
}
