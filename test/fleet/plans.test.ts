/** Plans of the statements of the fleet where there are a hundred thousand nodes; `million.story.ts` has them of a million. */
import pg from 'pg';
import { it, onTestFinished } from 'vitest';
import { databases, ENGINES } from './fleet.ts';
import { expectPlans, fillBeside, issueAll } from './plans.ts';

const database = databases(ENGINES.at(-1)!);
const NODES = 100_000;

/** Rows as many nodes make them. */
const FILL = [
  `INSERT INTO site (name, is_open) SELECT 's' || i, i % 4 > 0 FROM generate_series(0, ${NODES}) AS i`,
  `INSERT INTO node (id, variant, version, version_order, look, states, site, crash_at)
   SELECT 'n' || i, 'wifi', '0.1.' || i % 5, '0000.' || i % 5, false, CASE WHEN i % 50 = 0 THEN '{offline}' ELSE '{}' END::text[],
     's' || i, CASE WHEN i % 100 = 0 THEN now() - i * interval '1 minute' END FROM generate_series(1, ${NODES}) AS i`,
  `INSERT INTO due SELECT 'n' || i, now() + (300 + i % 180) * interval '1 second' FROM generate_series(1, ${NODES}) AS i`,
  ...fillBeside(NODES, "'n' || i"),
];

it.skipIf(ENGINES.length < 2)(
  'no request and no look reads a table of all nodes from end to end, and what comes in finds each row by the key of its node',
  async () => {
    const where = await database();
    const statements = await issueAll(where);
    if (!('url' in where)) return;
    const client = new pg.Client(where.url);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('SET synchronous_commit = off');
    for (const statement of [...FILL, 'VACUUM ANALYZE']) await client.query(statement);
    await expectPlans(client, statements);
  },
);
