/** A clock that goes on while a test waits: what takes a node seconds of silence takes a test none. */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, vi } from 'vitest';
import { until as patiently } from '../../node.ts';

/** Shorter than any wait of the node on a line: a scale is asked once in it at most. */
const STEP_MS = 200;

const faked: typeof timers.setTimeout = (ms, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(value as never), ms);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

/** Holds the clock in each test of this file, that of node:timers/promises, too. */
export function holdClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    vi.spyOn(timers, 'setTimeout').mockImplementation(faked);
    syncBuiltinESMExports();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
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
