/** Plans of the statements of the fleet where there are a hundred thousand nodes; `million.story.ts` has them of a million. */
import { it } from 'vitest';
import { databases, ENGINES } from './fleet.ts';
import { expectPlans } from './plans.ts';

const database = databases(ENGINES.at(-1)!);
const NODES = 100_000;

it.skipIf(ENGINES.length < 2)(
  'no request and no look reads a table of all nodes from end to end, and what comes in finds each row by the key of its node',
  async () => expectPlans(await database(), NODES),
);
