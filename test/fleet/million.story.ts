/**
 * Very many nodes on two processes and Debian's PostgreSQL: what a heartbeat costs beside fewer nodes, and how long people wait for lists. As many
 * are sent as the machine carries. `MILLION_NODES=1000000` is the whole size, of which the tables alone take some minutes.
 */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { orderOf } from '../../runtime/fleet/ingest/version-order.ts';
import { tokenOf } from '../../runtime/fleet/sign-in/node-tokens.ts';
import { othersBetween, spentBy } from './beside/machine.ts';
import { callsOf, databases, ENGINES, heartbeat, MASTER } from './fleet.ts';
import { expectPlans } from './plans.ts';
import { noPostgres, startPostgres } from './postgres.ts';
import { type FleetProcess, startFleetProcess } from './process.ts';

const MANY = Number(process.env['MILLION_NODES'] ?? 100_000);
const FEW = MANY / 10;
const SECONDS = Number(process.env['MILLION_SECONDS'] ?? 20);
/** Messages that are under way at a time: more wait, and are more to a commit. */
const UNDER_WAY = 100;
/** What a heartbeat may cost more where there are ten times as many nodes; and how long somebody may wait for a list, in ms. */
const GROWTH = 1.3;
const PATIENCE_MS = 1000;
/** A quarter of the memory of a small server, as PostgreSQL advises (documentation, 20.4.1); its default, 128 MB, is for the smallest machines. */
const BUFFERS = '2GB';
const TIMES = 5;

const VERSIONS = [0, 1, 2, 3, 4].map((patch) => `'${orderOf(`0.1.${patch}`)}'`).join(', ');
/** Nodes as operators have them: ten at a site, some without one, a tag on each eighth, one in fifty offline. */
const fillOf = (nodes: number): string[] => [
  `INSERT INTO site (name) SELECT 'Shop ' || i FROM generate_series(0, ${nodes / 10}) AS i`,
  `INSERT INTO node (id, variant, version, version_order, look, states, site, tags, said_name, address, last_seen)
   SELECT lpad(to_hex(i), 8, '0'), CASE WHEN i % 5 = 0 THEN 'station-hub' ELSE 'wifi' END, '0.1.' || i % 5, (ARRAY[${VERSIONS}])[1 + i % 5],
     false, CASE WHEN i % 50 = 0 THEN '{offline}' ELSE '{}' END::text[], CASE WHEN i % 20 > 0 THEN 'Shop ' || i / 10 END,
     CASE WHEN i % 8 = 0 THEN '{pilot}' ELSE '{}' END::text[], 'Till ' || i % 100, '192.0.2.' || i % 256,
     now() - CASE WHEN i % 50 = 0 THEN interval '10 days' ELSE interval '0' END
   FROM generate_series(0, ${nodes - 1}) AS i`,
  `INSERT INTO due SELECT lpad(to_hex(i), 8, '0'), now() + interval '1 day' FROM generate_series(0, ${nodes - 1}) AS i`,
];

const PAGES: readonly string[] = [
  '/api/nodes',
  `/api/nodes?offset=${MANY * 0.9}`,
  ...[
    'site:"Shop 7"',
    'state:offline',
    'version:0.1.3',
    'version:<0.1.1',
    'tag:pilot',
    'name:"Till 7"',
    '-tag:pilot site:Shop*',
    'till',
    'nowhere',
  ].map((filter) => `/api/nodes?filter=${encodeURIComponent(filter)}`),
  '/api/sites',
  ...['site:"Shop 7"', 'state:offline', 'tag:pilot', '-state:offline', 'till'].map(
    (filter) => `/api/sites?filter=${encodeURIComponent(filter)}`,
  ),
  '/api/summary',
  '/api/summary?filter=tag:pilot',
  '/api/alerts?open=true',
  '/metrics',
];

/** Nodes that speak in the time of a test, from all over the tables: the same number of either size, so that each was heard before. */
const SPEAKERS = Math.min(FEW, 20_000);
const bootId = randomBytes(4).toString('hex');

interface Loaded {
  readonly answered: number;
  readonly refused: number;
  readonly seconds: number;
}
/** Sends heartbeats of the speakers in turn: `rounds` of them, or as many as come in so many seconds. `first`: their first number. */
async function load(
  urls: readonly string[],
  nodes: number,
  {
    first,
    rounds = Number.POSITIVE_INFINITY,
    seconds = Number.POSITIVE_INFINITY,
  }: { first: number; rounds?: number; seconds?: number },
): Promise<Loaded> {
  const agent = new Agent({ keepAlive: true, maxSockets: UNDER_WAY });
  const began = performance.now();
  let [sent, answered, refused] = [0, 0, 0];
  const drive = async () => {
    while (sent < rounds * SPEAKERS && performance.now() - began < seconds * 1000) {
      const nth = sent;
      sent += 1;
      // Neighbours in time are far from each other.
      const node = (((nth * 7919) % SPEAKERS) * Math.floor(nodes / SPEAKERS)).toString(16).padStart(8, '0');
      const seq = first + Math.floor(nth / SPEAKERS);
      const body = JSON.stringify(heartbeat({ node, bootId, seq, uptimeSeconds: 60 * seq }));
      const status = await new Promise<number>((resolve) => {
        const asked = request(`${urls[nth % urls.length]}/heartbeat`, {
          method: 'POST',
          agent,
          headers: { Authorization: `Bearer ${tokenOf(MASTER, node)}`, 'Content-Length': Buffer.byteLength(body) },
        });
        asked.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)));
        asked.once('error', () => resolve(0));
        asked.end(body);
      });
      if (status === 204) answered += 1;
      else refused += 1;
    }
  };
  await Promise.all(Array.from({ length: UNDER_WAY }, drive));
  agent.destroy();
  return { answered, refused, seconds: (performance.now() - began) / 1000 };
}

/** A server with so many nodes, and two processes of the fleet on it. */
async function fleetWith(nodes: number) {
  const server = await startPostgres(undefined, { shared_buffers: BUFFERS });
  onTestFinished(() => server.stop());
  const url = await server.database();
  const fleets: FleetProcess[] = [];
  for (let nth = 0; nth < 2; nth += 1) fleets.push(await startFleetProcess({ url }, MASTER));
  const stop = () => Promise.all(fleets.map((each) => each.stop()));
  onTestFinished(() => stop().then(() => {}));
  const { call } = callsOf(fleets[0]?.url ?? '');
  // Those that are silent stay what they are.
  await call('PUT', '/api/settings', { rules: { offline: { afterSeconds: 604_800 } } });
  const client = new pg.Client(url);
  await client.connect();
  await client.query('SET synchronous_commit = off');
  for (const statement of [...fillOf(nodes), 'VACUUM ANALYZE']) await client.query(statement);
  await client.end();
  return { call, urls: fleets.map((each) => each.url), pids: fleets.map((each) => each.pid), server, stop };
}

/** What a heartbeat costs there, of the processors, in ms. */
async function costWith({ urls, pids, server }: Awaited<ReturnType<typeof fleetWith>>, nodes: number): Promise<number> {
  await load(urls, nodes, { first: 1, rounds: 1 });
  const [before, whole] = [spentBy(...pids, server.pid), spentBy()];
  const { answered, refused, seconds } = await load(urls, nodes, { first: 2, seconds: SECONDS });
  const [after, wholeAfter] = [spentBy(...pids, server.pid), spentBy()];
  const cost = (1000 * (after.own - before.own)) / answered;
  const others = Math.round(100 * othersBetween(whole, wholeAfter));
  process.stdout.write(
    `${nodes} nodes: ${Math.round(answered / seconds)} heartbeats a second, ${cost.toFixed(2)} ms of the processors each, ${refused} refused (others had ${others} % of them)\n`,
  );
  expect(refused).toBeLessThan(0.001 * answered);
  return cost;
}

it.skipIf(noPostgres)(
  'a heartbeat costs little more with ten times as many nodes, and no list takes longer than people wait',
  async () => {
    const few = await fleetWith(FEW);
    const before = await costWith(few, FEW);
    await few.stop();
    await few.server.stop();
    const many = await fleetWith(MANY);
    const cost = await costWith(many, MANY);
    process.stdout.write(`${(cost / before).toFixed(2)} times of what it costs with ${FEW}\n`);
    const slow: string[] = [];
    for (const page of PAGES) {
      const took: number[] = [];
      const others = spentBy();
      for (let time = 0; time < TIMES; time += 1) {
        const began = performance.now();
        expect([page, (await many.call('GET', page)).status]).toEqual([page, 200]);
        took.push(performance.now() - began);
      }
      const [, , median = 0] = took.sort((one, other) => one - other).map(Math.round);
      const share = Math.round(100 * othersBetween(others, spentBy()));
      process.stdout.write(
        `${decodeURIComponent(page)}: ${median} ms, ${Math.round(took.at(-1) ?? 0)} ms (others had ${share} %)\n`,
      );
      if (median > PATIENCE_MS) slow.push(page);
    }
    expect(slow).toEqual([]);
    expect(cost).toBeLessThanOrEqual(GROWTH * before);
  },
  3_600_000,
);

const database = databases(ENGINES.at(-1)!);
it.skipIf(noPostgres)(
  'no request and no look reads a table of so many nodes from end to end',
  async () => {
    await expectPlans(await database(), MANY);
  },
  3_600_000,
);
