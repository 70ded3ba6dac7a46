/** Nodes, what they said, and the processes that hear them. */
import type { Migration } from './migration.ts';

export const NODES: Migration = {
  name: '001-nodes',
  statements: [
    // The state of a node: one row, updated in place (heap-only) by each heartbeat, so nothing that changes is indexed.
    `CREATE TABLE node (
      id text COLLATE "C" PRIMARY KEY,
      variant text NOT NULL DEFAULT '',
      version text NOT NULL DEFAULT '',
      version_order text COLLATE "C" NOT NULL DEFAULT '',
      slot text NOT NULL DEFAULT '',
      first_seen timestamptz NOT NULL DEFAULT now(),
      last_seen timestamptz NOT NULL DEFAULT now(),
      heartbeats bigint NOT NULL DEFAULT 0,
      address text NOT NULL DEFAULT '',
      address_before text NOT NULL DEFAULT '',
      address_since timestamptz NOT NULL DEFAULT now(),
      boots json NOT NULL DEFAULT '[]',
      uptime_seconds bigint NOT NULL DEFAULT 0,
      boot_started timestamptz,
      event_seq bigint NOT NULL DEFAULT 0,
      event_at timestamptz,
      printers json NOT NULL DEFAULT '[]',
      peripherals json NOT NULL DEFAULT '[]',
      counters json NOT NULL DEFAULT '{}',
      crash json,
      crash_at timestamptz,
      crash_version text,
      crashes json NOT NULL DEFAULT '[]',
      paper_out_since timestamptz,
      custody_since timestamptz,
      update_policy text,
      states text[] NOT NULL DEFAULT '{}'
    ) WITH (fillfactor = 70)`,
    `CREATE TABLE transition (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      node text COLLATE "C" NOT NULL,
      at timestamptz NOT NULL,
      kind text NOT NULL,
      endpoint text,
      before text,
      after text,
      detail json
    )`,
    'CREATE INDEX transition_of_node ON transition (node, id)',
    'CREATE INDEX transition_at ON transition (at)',
    // What came in, as it came; a partition a day, made ahead and dropped after the days that are set.
    `CREATE TABLE beat (
      at timestamptz NOT NULL,
      node text COLLATE "C" NOT NULL,
      boot text NOT NULL,
      seq bigint NOT NULL,
      uptime_seconds bigint NOT NULL,
      paper_out boolean,
      online boolean
    ) PARTITION BY RANGE (at)`,
    `CREATE TABLE event (
      at timestamptz NOT NULL,
      node text COLLATE "C" NOT NULL,
      seq bigint NOT NULL,
      uptime_ms bigint NOT NULL,
      type text NOT NULL,
      event json NOT NULL
    ) PARTITION BY RANGE (at)`,
    'CREATE INDEX event_of_node ON event (node, at)',
    // What is wrong with requests, counted.
    `CREATE TABLE oddity (
      kind text NOT NULL,
      node text COLLATE "C" NOT NULL,
      address text NOT NULL,
      count bigint NOT NULL,
      first_at timestamptz NOT NULL,
      last_at timestamptz NOT NULL,
      detail text NOT NULL,
      PRIMARY KEY (kind, node, address)
    )`,
  ],
};

export const BOOTS: Migration = {
  name: '007-boots',
  statements: [
    // Which heartbeats of a boot were stored, as in \`boots\` of its node, which has the newest boots.
    `CREATE TABLE boot (
      node text COLLATE "C" NOT NULL,
      boot text NOT NULL,
      highest bigint NOT NULL,
      bits bigint NOT NULL,
      at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (node, boot)
    )`,
    'ALTER TABLE node ADD COLUMN boot_told boolean NOT NULL DEFAULT false',
    // Rows come in the order of time: a few pages of index for millions of them.
    'CREATE INDEX boot_at ON boot USING brin (at)',
  ],
};

export const LISTENERS: Migration = {
  name: '011-listeners',
  statements: [
    // The processes that nodes are heard by, and when one of them did not take in what came.
    `CREATE TABLE listener (
      name text PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT now(),
      started_at timestamptz NOT NULL DEFAULT now(),
      troubled_since timestamptz,
      troubled_at timestamptz
    )`,
  ],
};

export const STARTS: Migration = {
  name: '029-starts',
  // The last times that it began without having ended in order.
  statements: ['ALTER TABLE listener ADD COLUMN starts timestamptz[]'],
};

export const HOURS: Migration = {
  name: '012-hours',
  statements: [
    // Nobody read single heartbeats: what tells them apart is in their node, and what is shown of them are sums.
    'DROP TABLE beat',
    `CREATE TABLE hour (
      at timestamptz NOT NULL,
      node text COLLATE "C" NOT NULL,
      began timestamptz NOT NULL,
      heartbeats int NOT NULL,
      prints int NOT NULL
    ) PARTITION BY RANGE (at)`,
    'CREATE INDEX hour_of_node ON hour (node, at)',
    `ALTER TABLE node
      ADD COLUMN hour_at timestamptz,
      ADD COLUMN hour_heartbeats bigint NOT NULL DEFAULT 0,
      ADD COLUMN hour_prints bigint NOT NULL DEFAULT 0,
      ADD COLUMN budget json NOT NULL DEFAULT 'null'`,
  ],
};

export const CODECS: Migration = {
  name: '013-codecs',
  statements: ["ALTER TABLE node ADD COLUMN codecs json NOT NULL DEFAULT '[]'"],
};

export const LOOKS: Migration = {
  name: '017-looks',
  statements: [
    // What a message changed, and the watch has to look at. Those that are there are looked at when they are due.
    'ALTER TABLE node ADD COLUMN look boolean NOT NULL DEFAULT false',
    'ALTER TABLE node ALTER COLUMN look SET DEFAULT true',
    'CREATE INDEX node_look ON node (id) WHERE look',
    'CREATE INDEX node_crashed ON node (crash_at) WHERE crash_at IS NOT NULL',
    // When a node may next be in another state by time alone: never later than that.
    `CREATE TABLE due (
      node text COLLATE "C" PRIMARY KEY,
      at timestamptz NOT NULL
    )`,
    'CREATE INDEX due_at ON due (at)',
    'INSERT INTO due (node, at) SELECT id, now() FROM node',
    // The node that was looked at last where all are in turn.
    `ALTER TABLE duty ADD COLUMN swept text COLLATE "C" NOT NULL DEFAULT ''`,
    "CREATE INDEX rollout_node_taken ON rollout_node (rollout, taken_at) WHERE state = 'taken'",
    // A rollout of many nodes is counted seldom.
    "ALTER TABLE rollout ADD COLUMN count_at timestamptz NOT NULL DEFAULT 'epoch'",
    // How many of its nodes are in which state, where that is not counted each time: it has many, or is over.
    'ALTER TABLE rollout ADD COLUMN counts json',
    // When it is next looked at whether a site is open.
    "ALTER TABLE site ADD COLUMN look_at timestamptz NOT NULL DEFAULT 'epoch'",
    'CREATE INDEX site_look ON site (look_at)',
    'CREATE INDEX alert_ended ON alert (ended)',
    'CREATE INDEX oddity_of_node ON oddity (node, last_at)',
    'CREATE INDEX oddity_at ON oddity (last_at)',
  ],
};

export const STATES: Migration = {
  name: '020-states',
  statements: [
    // Most nodes have none, and a heartbeat changes none.
    "CREATE INDEX node_states ON node USING gin (states) WHERE states <> '{}'",
  ],
};

export const ODDITIES_COUNTED: Migration = {
  name: '027-oddities-counted',
  statements: [
    // Rows of oddities are bounded, and go.
    `INSERT INTO counter SELECT 'oddity ' || kind, sum(count) FROM oddity GROUP BY kind ON CONFLICT DO NOTHING`,
  ],
};

/** What lists and filters look at of a node. */
const LISTED_COLUMNS = [
  ...['id', 'variant', 'version', 'version_order', 'said_name', 'name', 'site', 'tags', 'address', 'states'],
  'muted_until',
];
/** Where words are looked for: id, name, site and address, in small letters. To make these takes longer than to look. */
const wordsOf = (of: string) =>
  `lower(concat_ws(E'\\n', ${of}.id, coalesce(${of}.name, ${of}.said_name), ${of}.site, ${of}.address))`;
const rowOf = (of: string) => LISTED_COLUMNS.map((column) => `${of}.${column}`).join(', ');

export const LISTED: Migration = {
  name: '021-listed',
  statements: [
    // A row of \`node\` is long, and written by each heartbeat, after which its page is looked at for each index entry: a filter of a
    // million reads a gigabyte. These rows are short, and change seldom; the database keeps them, whatever program writes.
    `CREATE TABLE listed (
      id text COLLATE "C" PRIMARY KEY,
      variant text NOT NULL,
      version text NOT NULL,
      version_order text COLLATE "C" NOT NULL,
      said_name text,
      name text,
      site text,
      tags text[] NOT NULL,
      address text NOT NULL,
      states text[] NOT NULL,
      muted_until timestamptz,
      words text NOT NULL
    )`,
    `CREATE FUNCTION list_node() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN DELETE FROM listed WHERE id = OLD.id; END IF;
      IF TG_OP <> 'DELETE' THEN INSERT INTO listed VALUES (${rowOf('NEW')}, ${wordsOf('NEW')}); END IF;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER node_listed AFTER INSERT OR DELETE ON node FOR EACH ROW EXECUTE FUNCTION list_node()`,
    `CREATE TRIGGER node_listed_again AFTER UPDATE ON node FOR EACH ROW
      WHEN ((${rowOf('OLD')}) IS DISTINCT FROM (${rowOf('NEW')})) EXECUTE FUNCTION list_node()`,
    'CREATE INDEX listed_site ON listed (site) WHERE site IS NOT NULL',
    "CREATE INDEX listed_states ON listed USING gin (states) WHERE states <> '{}'",
  ],
};

export const LISTED_FILLED: Migration = {
  name: '022-listed-filled',
  statements: [],
  // A node that changes meanwhile is listed by the trigger, before or after.
  batches: {
    lock: 'LOCK TABLE node IN SHARE MODE',
    next: `WITH part AS (SELECT ${rowOf('node')} FROM node WHERE id > $1 ORDER BY id LIMIT 5000),
        put AS (INSERT INTO listed SELECT ${rowOf('part')}, ${wordsOf('part')} FROM part ON CONFLICT DO NOTHING)
      SELECT max(id) AS last FROM part`,
  },
};

/** What nodes are counted by: the first letters of the id say where in a list they stand. */
const COUNTED_COLUMNS = ['variant', 'version', 'version_order', 'states'];
const countedOf = (of: string) =>
  [`left(${of}.id, 2)`, ...COUNTED_COLUMNS.map((column) => `${of}.${column}`)].join(', ');
const COUNTED_TABLE = `
  prefix text COLLATE "C" NOT NULL,
  variant text NOT NULL,
  version text NOT NULL,
  version_order text COLLATE "C" NOT NULL,
  states text[] NOT NULL,
  nodes bigint NOT NULL`;

export const COUNTED: Migration = {
  name: '023-counted',
  statements: [
    // How many nodes are listed, so that nobody counts a million; and what came and went since it was summed up: rows of their own, as
    // whoever wrote into one and the same would wait for each other.
    `CREATE TABLE listed_count (${COUNTED_TABLE},
      PRIMARY KEY (prefix, variant, version, version_order, states))`,
    `CREATE TABLE listed_change (${COUNTED_TABLE})`,
    `CREATE FUNCTION count_listed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' THEN INSERT INTO listed_change VALUES (${countedOf('OLD')}, -1);
      ELSE INSERT INTO listed_change VALUES (${countedOf('NEW')}, 1); END IF;
      RETURN NULL;
    END $$`,
    'CREATE TRIGGER listed_counted AFTER INSERT OR DELETE ON listed FOR EACH ROW EXECUTE FUNCTION count_listed()',
    `INSERT INTO listed_count SELECT ${countedOf('listed')}, count(*) FROM listed GROUP BY ${countedOf('listed')}`,
    // What is counted for the whole fleet, and never goes back.
    'CREATE TABLE counter (name text PRIMARY KEY, count bigint NOT NULL)',
    "INSERT INTO counter SELECT 'heartbeats', coalesce(sum(heartbeats), 0) FROM node",
  ],
};

export const PACES: Migration = {
  name: '035-paces',
  // From one heartbeat to the next: who comes seldom is silent for as long.
  statements: ['ALTER TABLE node ADD COLUMN pace_seconds int'],
};

export const PREFIXES: Migration = {
  name: '034-prefixes',
  // How many first letters there are: the planner takes each id for another one, and then counts with one process alone.
  statements: ['CREATE STATISTICS IF NOT EXISTS listed_prefix ON (left(id, 2)) FROM listed', 'ANALYZE listed'],
};
