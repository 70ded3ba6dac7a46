/** A clock that goes on while a test waits: what takes a node seconds of silence takes a test none. */
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, vi } from 'vitest';
import { until as patiently } from '../../node.ts';

/** Shorter than any wait on a line, so that what answers at once does before the wait is over. */
const STEP_MS = 50;

/** Holds the clock in each test of this file. */
export function holdClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    // Of node:timers/promises, what a module has imported by name is replaced by this alone.
    syncBuiltinESMExports();
  });
  afterEach(() => {
    vi.useRealTimers();
    syncBuiltinESMExports();
  });
}

/** As `until`, while the clock goes on. */
export const until = <T>(look: () => T | Promise<T>, fits?: (seen: T) => boolean): Promise<T> =>
  patiently(async () => {
    await vi.advanceTimersByTimeAsync(STEP_MS);
    return look();
  }, fits);

/** What becomes of this while the clock goes on. */
export async function ended<T>(promise: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  promise.then(over, over);
  await until(() => isOver);
  return promise;
}
