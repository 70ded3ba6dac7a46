/** `tillnode camera`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onTwin } from '../../cli/on-twin.ts';

const twin = onTwin();

it('tillnode camera writes a picture', async () => {
  const file = join(twin.scratch, 'frame.jpg');
  expect((await twin.run('camera', file)).code).toBe(0);
  expect(readFileSync(file).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
  expect((await twin.run('help')).out).toMatch(/^ {2}camera\b/m);
});
