/** Operators: sites, alerts, settings, people, and what they did. */
import type { Migration } from './migration.ts';

export const OPERATORS: Migration = {
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

export const ALERTS: Migration = {
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

export const SIGN_IN: Migration = {
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

export const SITES: Migration = {
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

export const PEOPLE: Migration = {
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

export const MAKERS: Migration = {
  name: '016-makers',
  statements: [
    // What a provider said of who made a token; of those that are there their name tells it, without groups.
    'ALTER TABLE api_token ADD COLUMN claims json',
    `UPDATE api_token SET claims = CASE WHEN made_by LIKE 'openid:%' THEN json_build_object('sub', substr(made_by, 8))
       ELSE json_build_object('sub', '', 'email', made_by) END WHERE made_by LIKE 'openid:%' OR made_by LIKE '%@%'`,
  ],
};

export const RENEWALS: Migration = {
  name: '018-renewals',
  statements: [
    // Of sessions of a provider. renewal: what it is asked with, sealed with the key that the browser has alone; told_at: when
    // it last said that they go on, asked_at: when it was last asked.
    `ALTER TABLE session
      ADD COLUMN renewal text,
      ADD COLUMN told_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN asked_at timestamptz NOT NULL DEFAULT now()`,
  ],
};

export const LOGOUTS: Migration = {
  name: '030-logouts',
  statements: [
    // What a provider calls a session, and digests of the ids of what it told lately: each counts once.
    'ALTER TABLE session ADD COLUMN sid text',
    'CREATE TABLE logout (jti text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())',
  ],
};

export const ALERT_NAMES: Migration = {
  name: '026-alert-names',
  statements: [
    // Of a node that was deleted, with which its name is gone.
    'ALTER TABLE alert ADD COLUMN node_name text, ADD COLUMN node_site text',
  ],
};

export const ALERT_SITES: Migration = {
  name: '031-alert-sites',
  statements: ['CREATE INDEX alert_of_site ON alert (node_site) WHERE node_site IS NOT NULL'],
};

export const UNJUDGED: Migration = {
  name: '032-unjudged',
  statements: [
    // Of the watch: since when nobody could begin to be offline.
    'ALTER TABLE duty ADD COLUMN unjudged_since timestamptz',
  ],
};

export const CHANNELS: Migration = {
  name: '036-channels',
  // Whether a channel fails is asked in each look: the last of its messages, and the first that waits.
  statements: [
    'CREATE INDEX delivery_of_channel ON delivery (channel, id)',
    'CREATE INDEX delivery_waiting ON delivery (channel, id) WHERE done_at IS NULL',
  ],
};

export const AUDIT_KEYS: Migration = {
  name: '033-audit-keys',
  statements: [
    'CREATE INDEX audit_at ON audit (at)',
    // What an export of a site looks for.
    "CREATE INDEX audit_renamed ON audit ((detail -> 'after' ->> 'name'), id) WHERE what = 'site changed'",
    "CREATE INDEX audit_deleted ON audit ((detail -> 'before' ->> 'site'), id) WHERE what = 'node deleted'",
    "CREATE INDEX audit_replaced ON audit ((detail -> 'after' ->> 'site'), id) WHERE what = 'node replaced'",
    "CREATE INDEX audit_replaced_by ON audit ((detail ->> 'by') COLLATE \"C\") WHERE what = 'node replaced'",
  ],
};

export const TALLIES: Migration = {
  name: '019-tallies',
  statements: [
    // What the whole fleet took in, refused and alerted in an hour: a few rows of it, whatever the number of nodes.
    `CREATE TABLE tally (
      at timestamptz NOT NULL,
      what text NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (at, what)
    )`,
  ],
};
