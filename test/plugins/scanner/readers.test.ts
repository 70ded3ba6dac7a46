/** What a scanner that types and one that sends whole reads make of time, told by the test. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newPosScanner } from '../../../codecs/hid-pos.ts';
import { bootFormat } from '../../../codecs/keyboard-report.ts';
import { KeyboardReader } from '../../../plugins/scanner/keyboard-reader.ts';
import { PosReader } from '../../../plugins/scanner/pos-reader.ts';
import type { ScannedRead } from '../../../plugins/scanner/scanner.ts';
import { typeReports } from '../../../plugins/scanner/virtual-typing.ts';

function heard() {
  const reads: ScannedRead[] = [];
  const sink = { read: (read: ScannedRead) => reads.push(read), unreadable: vi.fn() };
  return { reads, sink };
}

const posReport = (text: string, more = false) => {
  const report = new Uint8Array(64);
  report.set([2, text.length, 0, 0, 0, ...Buffer.from(text)]);
  report[63] = more ? 1 : 0;
  return report;
};

describe('a read in several reports', () => {
  it('goes on with a report that comes within two seconds', () => {
    const { reads, sink } = heard();
    const reader = new PosReader(newPosScanner(), sink);
    reader.take(posReport('AB', true), 0);
    reader.take(posReport('CD'), 2000);
    expect(reads).toMatchObject([{ value: 'ABCD', startedAt: 0, endedAt: 2000 }]);
  });

  it('is given up when its next report comes later, which begins a read of its own', () => {
    const { reads, sink } = heard();
    const reader = new PosReader(newPosScanner(), sink);
    reader.take(posReport('AB', true), 0);
    reader.take(posReport('CD'), 2001);
    expect(sink.unreadable).toHaveBeenCalledOnce();
    expect(reads).toMatchObject([{ value: 'CD', startedAt: 2001 }]);
  });
});

describe('a read that is typed', () => {
  afterEach(() => vi.useRealTimers());
  const settings = (interKeyTimeoutMs: number) => ({
    ...({ readMode: 'auto', layout: 'us', minLength: 4, duplicateWindowMs: 500, burstGapMs: 0 } as const),
    ...{ interKeyTimeoutMs, symbologies: [] },
  });
  function typing(interKeyTimeoutMs = 120) {
    vi.useFakeTimers();
    const { reads, sink } = heard();
    const reader = new KeyboardReader({
      ...{ format: bootFormat, settings: () => settings(interKeyTimeoutMs), sink },
      show: async () => {},
    });
    const type = (text: string) => {
      for (const report of typeReports(text, 'us')) reader.take(report, performance.now());
    };
    return { reads, sink, reader, type };
  }

  it('ends when no key followed for the inter-key time, and has its times from its keys', async () => {
    const { reads, type } = typing();
    const begin = performance.now();
    type('AB');
    await vi.advanceTimersByTimeAsync(119);
    type('CD');
    await vi.advanceTimersByTimeAsync(119);
    expect(reads).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(reads).toMatchObject([{ value: 'ABCD', startedAt: begin, endedAt: begin + 119 }]);
  });

  it('sets no timer for each key: one is under way at most', () => {
    const { type } = typing();
    type('x'.repeat(1000));
    expect(vi.getTimerCount()).toBe(1);
  });

  it('is not cut in two where reports waited while the process was busy', async () => {
    const { reads, type } = typing();
    type('AB');
    vi.setSystemTime(Date.now() + 500);
    // The timer goes off before the waiting report is handed over.
    vi.advanceTimersToNextTimer();
    type('CD\r');
    await vi.runAllTimersAsync();
    expect(reads).toMatchObject([{ value: 'ABCD' }]);
  });

  it('leaves no timer and no read behind when it is stopped', async () => {
    const { reads, reader, type } = typing();
    type('ABCD');
    reader.stop();
    expect(vi.getTimerCount()).toBe(0);
    await vi.runAllTimersAsync();
    expect(reads).toEqual([]);
  });
});
