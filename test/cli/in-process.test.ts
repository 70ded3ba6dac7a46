/** The command line in the process of the tests. */
import { expect, it, vi } from 'vitest';
import { runHere } from './in-process.ts';

it('the command line in the process of the tests runs each time, also where a test before it had its modules loaded anew', async () => {
  const first = await runHere(['help']);
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('usage') });
  vi.resetModules();
  const anew = await import('./in-process.ts');
  expect(await anew.runHere(['help'])).toEqual(first);
});
