/** `tillnode log`. */
import { expect, it } from 'vitest';
import { onTwin } from '../../cli/on-twin.ts';

const twin = onTwin();

it('tillnode log lists the runs', async () => {
  expect((await twin.run('log')).out).toMatch(/^run +started by .*\n[0-9a-f]{8} +power_on +factory .* running$/m);
  expect((await twin.run('help')).out).toMatch(/^ {2}log\b/m);
});
