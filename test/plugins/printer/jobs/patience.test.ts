/** The time for which a connection keeps a printer that others wait for. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Patience, patienceAt } from '../../../../plugins/printer/jobs/patience.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the time for which a holder keeps the printer', () => {
  it('is added up over the pauses of one turn, and begins anew with the next', () => {
    const told = vi.fn();
    const patience = new Patience(() => 1000, told);
    for (const _ of [1, 2, 3]) {
      patience.run();
      vi.advanceTimersByTime(300);
      patience.stop();
      vi.advanceTimersByTime(5000);
    }
    expect(told).not.toHaveBeenCalled();
    patience.run();
    vi.advanceTimersByTime(100);
    expect([told.mock.calls.length, patience.isOver]).toEqual([1, true]);
    patience.restart();
    patience.run();
    vi.advanceTimersByTime(999);
    expect([told.mock.calls.length, patience.isOver]).toEqual([1, false]);
  });

  it('stays used up where bytes come and go all the time', () => {
    const told = vi.fn();
    const patience = new Patience(() => 1000, told);
    patience.run();
    vi.advanceTimersByTime(1000);
    for (const _ of [1, 2, 3]) {
      patience.run();
      expect(patience.isOver).toBe(true);
    }
    // By no timer, which would find the job at another place.
    expect(told).toHaveBeenCalledTimes(4);
  });

  it('is longer again where the job has come from a cut into the next receipt', () => {
    let limitMs = patienceAt({ stage: 'cut', mayYield: true }, 60_000);
    const patience = new Patience(
      () => limitMs,
      () => {},
    );
    patience.run();
    vi.advanceTimersByTime(limitMs);
    limitMs = patienceAt({ stage: 'receipt', mayYield: true }, 60_000);
    patience.run();
    expect([limitMs, patience.isOver]).toEqual([10_000, false]);
  });
});

it.each([
  ['a picture that comes over a slow radio, 8.6 kB a second, keeps the printer to its end', 8600, false],
  ['a picture that comes at 0.5 kB a second does not keep the printer', 500, true],
])('%s', (_, bytesASecond, isOver) => {
  const patience = new Patience(
    () => 15_000,
    () => {},
  );
  patience.run();
  for (let tenth = 0; tenth < 160; tenth += 1) {
    vi.advanceTimersByTime(100);
    patience.earn(bytesASecond / 10);
  }
  expect(patience.isOver).toBe(isOver);
});

it('no more than ten seconds are earned in a turn, whatever comes', () => {
  const told = vi.fn();
  const patience = new Patience(() => 15_000, told);
  patience.run();
  for (let tenth = 0; tenth < 240; tenth += 1) {
    vi.advanceTimersByTime(100);
    patience.earn(9000);
  }
  expect([told.mock.calls.length, patience.isOver]).toEqual([0, false]);
  vi.advanceTimersByTime(1100);
  expect(patience.isOver).toBe(true);
});
