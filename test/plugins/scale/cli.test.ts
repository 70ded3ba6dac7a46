/** `tillnode scale`. */
import { expect, it } from 'vitest';
import { onTwin } from '../../cli/on-twin.ts';

const twin = onTwin();

it('tillnode scale says the weight, or why there is none', async () => {
  expect((await twin.run('scale')).out).toMatch(/^\d+(\.\d+)? \w+|^no weight: /);
  expect((await twin.run('help')).out).toMatch(/^ {2}scale\b/m);
});
