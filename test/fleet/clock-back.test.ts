/** A clock that was far ahead, and is put right under PostgreSQL in the process. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { openFolder } from '../../runtime/fleet/database/folder.ts';
import { folder } from './fleet.ts';

/** The longest timer that Node keeps. */
const LONGEST_MS = 2 ** 31 - 1;

it('a folder sets no timer that Node cannot keep where the clock was forty days ahead and is put right', async () => {
  const real = { now: Date.now.bind(Date), setTimeout };
  let ahead = 40 * 86_400_000;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => real.now() + ahead);
  onTestFinished(() => clock.mockRestore());
  const set: number[] = [];
  let rang = () => {};
  // PostgreSQL rings itself ten seconds after a statement, by the clock: here soon.
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms = 0) => {
    set.push(ms);
    const ring = () => {
      act();
      rang();
    };
    return ms > 5000 ? real.setTimeout(ring, 50) : real.setTimeout(act, ms);
  }) as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  const on = await openFolder(folder());
  onTestFinished(() => on.close());
  await on.query('CREATE TABLE a (b int)');
  ahead = 0;
  await new Promise<void>((resolve) => {
    rang = resolve;
  });
  expect(Math.max(...set)).toBe(LONGEST_MS);
});
