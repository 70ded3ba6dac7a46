/** What nodes get: recipes, releases, rollouts. */
import type { Migration } from './migration.ts';

export const RECIPES: Migration = {
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

export const FIRMWARE: Migration = {
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

export const CAUSES: Migration = {
  name: '028-causes',
  // What `reason` says in English, for pages that say it in other languages.
  statements: ['ALTER TABLE rollout ADD COLUMN cause json'],
};

export const WAVES: Migration = {
  name: '015-waves',
  statements: [
    // moved_at: when somebody or a new group last brought it further; of its nodes, their own times say.
    'ALTER TABLE rollout ADD COLUMN moved_at timestamptz NOT NULL DEFAULT now()',
    'ALTER TABLE rollout_node ADD COLUMN asked_at timestamptz',
    'CREATE INDEX alert_of_subject ON alert (subject, id)',
    'CREATE INDEX audit_of_subject ON audit (subject, id)',
  ],
};
