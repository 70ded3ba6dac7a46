/** `tillnode update`. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onTwin } from '../../cli/on-twin.ts';

const twin = onTwin();

it('tillnode update says what is wrong with a file, and what the node says of it', async () => {
  expect(await twin.run('update', join(twin.scratch, 'nothing.img'))).toMatchObject({ code: 2, out: '' });
  expect(await twin.run('update', 'package.json')).toMatchObject({ code: 1, out: '' });
  expect((await twin.run('help')).out).toMatch(/^ {2}update\b/m);
});
