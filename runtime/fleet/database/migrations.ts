/**
 * The tables. A migration that has been released is never changed; what comes later is a migration of its own at the end.
 * Columns of type json keep the text as it was written, which is compared with what comes next.
 */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

const NODES: Migration = {
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

const OPERATORS: Migration = {
  name: '002-operators',
  statements: [
    'CREATE TABLE setting (name text PRIMARY KEY, value json NOT NULL)',
    // Who did what; never changed.
    `CREATE TABLE audit (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT now(),
      who text NOT NULL,
      what text NOT NULL,
      subject text NOT NULL,
      detail json
    )`,
  ],
};

const ALERTS: Migration = {
  name: '003-alerts',
  statements: [
    // Work that one process at a time does, whichever comes first. since: from when on it was done without a gap.
    `CREATE TABLE duty (
      name text PRIMARY KEY,
      since timestamptz NOT NULL DEFAULT now(),
      done_at timestamptz NOT NULL DEFAULT 'epoch'
    )`,
    "INSERT INTO duty (name) VALUES ('watch'), ('partitions')",
    `CREATE TABLE alert (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      rule text NOT NULL,
      subject text COLLATE "C" NOT NULL,
      began timestamptz NOT NULL DEFAULT now(),
      ended timestamptz
    )`,
    'CREATE UNIQUE INDEX alert_open ON alert (subject, rule) WHERE ended IS NULL',
    // What is still to be told. next_at: when it may be tried, also while somebody tries.
    `CREATE TABLE delivery (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      channel text NOT NULL,
      message json NOT NULL,
      made_at timestamptz NOT NULL DEFAULT now(),
      next_at timestamptz NOT NULL DEFAULT now(),
      attempts int NOT NULL DEFAULT 0,
      done_at timestamptz,
      fault text
    )`,
    'CREATE INDEX delivery_due ON delivery (next_at) WHERE done_at IS NULL',
  ],
};

const RECIPES: Migration = {
  name: '004-recipes',
  statements: [
    // Every version of the table, as it was written; the newest is served. It is put together once (rows, etag).
    `CREATE TABLE recipe_table (
      version int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT now(),
      who text NOT NULL,
      note text NOT NULL,
      text text NOT NULL,
      served text NOT NULL,
      rows int NOT NULL,
      etag text NOT NULL
    )`,
  ],
};

const FIRMWARE: Migration = {
  name: '005-firmware',
  statements: [
    // Images by digest, in pieces; a release without all of them is not there yet.
    `CREATE TABLE image_piece (
      sha256 text NOT NULL,
      piece int NOT NULL,
      bytes bytea NOT NULL,
      at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (sha256, piece)
    )`,
    'ALTER TABLE image_piece ALTER COLUMN bytes SET STORAGE EXTERNAL',
    `CREATE TABLE release (
      variant text NOT NULL,
      version text NOT NULL,
      version_order text COLLATE "C" NOT NULL,
      sha256 text NOT NULL,
      length bigint NOT NULL,
      floor bigint NOT NULL,
      at timestamptz NOT NULL DEFAULT now(),
      who text NOT NULL,
      PRIMARY KEY (variant, version)
    )`,
    `CREATE TABLE rollout (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      variant text NOT NULL,
      version text NOT NULL,
      plan json NOT NULL,
      state text NOT NULL,
      reason text,
      groups int NOT NULL,
      open_group int NOT NULL DEFAULT 0,
      started_at timestamptz NOT NULL DEFAULT now(),
      started_by text NOT NULL,
      ended_at timestamptz,
      ended_by text,
      FOREIGN KEY (variant, version) REFERENCES release
    )`,
    "CREATE UNIQUE INDEX rollout_running ON rollout (variant) WHERE state = 'running'",
    // A node of a rollout, in one of its groups.
    `CREATE TABLE rollout_node (
      rollout int NOT NULL REFERENCES rollout,
      node text COLLATE "C" NOT NULL,
      in_group int NOT NULL,
      state text NOT NULL DEFAULT 'waiting',
      offered_at timestamptz,
      taken_at timestamptz,
      ended_at timestamptz,
      reason text,
      PRIMARY KEY (rollout, node)
    )`,
    'CREATE INDEX rollout_node_group ON rollout_node (rollout, in_group, state)',
  ],
};

const SIGN_IN: Migration = {
  name: '006-sign-in',
  statements: [
    'CREATE TABLE local_password (one boolean PRIMARY KEY DEFAULT true CHECK (one), hash text NOT NULL)',
    // id: digest of what the cookie holds, so that who reads the table cannot sign in.
    `CREATE TABLE session (
      id text PRIMARY KEY,
      name text NOT NULL,
      expires_at timestamptz NOT NULL
    )`,
    `CREATE TABLE sign_in_attempt (
      address text PRIMARY KEY,
      count int NOT NULL,
      since timestamptz NOT NULL DEFAULT now()
    )`,
  ],
};

const BOOTS: Migration = {
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

const SITES: Migration = {
  name: '010-sites',
  statements: [
    // What operators say of a node. Indexed, as no heartbeat changes it.
    `ALTER TABLE node
      ADD COLUMN said_name text NOT NULL DEFAULT '',
      ADD COLUMN name text,
      ADD COLUMN site text COLLATE "C",
      ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
      ADD COLUMN notes text NOT NULL DEFAULT '',
      ADD COLUMN muted_until timestamptz`,
    'CREATE INDEX node_site ON node (site) WHERE site IS NOT NULL',
    // is_open, since turned_at: by its hours, as the last look found it.
    `CREATE TABLE site (
      name text COLLATE "C" PRIMARY KEY,
      zone text NOT NULL DEFAULT 'UTC',
      hours text NOT NULL DEFAULT '',
      notes text NOT NULL DEFAULT '',
      is_open boolean NOT NULL DEFAULT true,
      turned_at timestamptz NOT NULL DEFAULT 'epoch',
      looked_at timestamptz NOT NULL DEFAULT now()
    )`,
    'ALTER TABLE alert ADD COLUMN acknowledged_at timestamptz, ADD COLUMN acknowledged_by text',
  ],
};

const LISTENERS: Migration = {
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

const HOURS: Migration = {
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

const CODECS: Migration = {
  name: '013-codecs',
  statements: ["ALTER TABLE node ADD COLUMN codecs json NOT NULL DEFAULT '[]'"],
};

const PEOPLE: Migration = {
  name: '014-people',
  statements: [
    // totp: the secret of a second factor in base32, totp_new one that no code has come of yet; a step counts once.
    `CREATE TABLE person (
      name text COLLATE "C" PRIMARY KEY,
      role text NOT NULL,
      hash text NOT NULL,
      totp text,
      totp_new text,
      totp_step bigint NOT NULL DEFAULT 0
    )`,
    "INSERT INTO person (name, role, hash) SELECT 'owner', 'owner', hash FROM local_password",
    'DROP TABLE local_password',
    // Who signed in before there were names does it again. claims: what a provider said of somebody.
    'DELETE FROM session',
    `ALTER TABLE session
      ADD COLUMN person text COLLATE "C" REFERENCES person ON DELETE CASCADE,
      ADD COLUMN claims json`,
    'CREATE INDEX session_of_person ON session (person)',
    `CREATE TABLE api_token (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      digest text NOT NULL UNIQUE,
      name text NOT NULL,
      scope text NOT NULL,
      made_by text NOT NULL,
      made_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    )`,
    // Nodes whose token was renewed; a row stays when its node is forgotten, so that no old token brings it back.
    `CREATE TABLE node_token (
      node text COLLATE "C" PRIMARY KEY,
      generation int NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`,
    'CREATE INDEX node_token_at ON node_token (at)',
  ],
};

const WAVES: Migration = {
  name: '015-waves',
  statements: [
    // moved_at: when somebody or a new group last brought it further; of its nodes, their own times say.
    'ALTER TABLE rollout ADD COLUMN moved_at timestamptz NOT NULL DEFAULT now()',
    'ALTER TABLE rollout_node ADD COLUMN asked_at timestamptz',
    'CREATE INDEX alert_of_subject ON alert (subject, id)',
    'CREATE INDEX audit_of_subject ON audit (subject, id)',
  ],
};

const MAKERS: Migration = {
  name: '016-makers',
  statements: [
    // What a provider said of who made a token; of those that are there their name tells it, without groups.
    'ALTER TABLE api_token ADD COLUMN claims json',
    `UPDATE api_token SET claims = CASE WHEN made_by LIKE 'openid:%' THEN json_build_object('sub', substr(made_by, 8))
       ELSE json_build_object('sub', '', 'email', made_by) END WHERE made_by LIKE 'openid:%' OR made_by LIKE '%@%'`,
  ],
};

export const MIGRATIONS: readonly Migration[] = [
  NODES,
  OPERATORS,
  ALERTS,
  RECIPES,
  FIRMWARE,
  SIGN_IN,
  BOOTS,
  SITES,
  LISTENERS,
  HOURS,
  CODECS,
  PEOPLE,
  WAVES,
  MAKERS,
];
