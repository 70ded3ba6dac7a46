/** The verdicts at their bounds, with a clock of the test's own. */
import { describe, expect, it } from 'vitest';
import type { ScannerSettings } from '../../../plugins/scanner/contract.ts';
import { Policy } from '../../../plugins/scanner/policy.ts';

const SETTINGS: ScannerSettings = {
  readMode: 'auto',
  layout: 'us',
  minLength: 4,
  interKeyTimeoutMs: 120,
  duplicateWindowMs: 500,
  burstGapMs: 100,
  symbologies: [],
};

type Read = readonly [value: string, startedAt: number, endedAt: number];

function judge(reads: readonly Read[], changes: Partial<ScannerSettings> = {}) {
  const policy = new Policy();
  return reads.map(([value, startedAt, endedAt]) => {
    const read = { value, aim: null, symbology: 'code128', symbologySource: 'inferred', startedAt, endedAt } as const;
    const { verdict, gapMs } = policy.judge(read, { ...SETTINGS, ...changes });
    return `${verdict} ${gapMs}`;
  });
}

describe('the policy', () => {
  it('measures a gap from the end of one read to the beginning of the next', () => {
    expect(
      judge([
        ['ABCD', 0, 300],
        ['EFGH', 450, 700],
      ]),
    ).toEqual(['accepted -1', 'accepted 150']);
  });

  it('calls a read that begins as the one before ends a burst, unless no gap is asked for', () => {
    const reads: readonly Read[] = [
      ['ABCD', 0, 300],
      ['EFGH', 300, 700],
    ];
    expect(judge(reads)).toEqual(['accepted -1', 'burst 0']);
    expect(judge(reads, { burstGapMs: 0 })).toEqual(['accepted -1', 'accepted 0']);
  });

  it('calls it a burst below the gap, not at it', () => {
    expect(
      judge([
        ['ABCD', 0, 0],
        ['EFGH', 99, 99],
      ]),
    ).toEqual(['accepted -1', 'burst 99']);
    expect(
      judge([
        ['ABCD', 0, 0],
        ['EFGH', 100, 100],
      ]),
    ).toEqual(['accepted -1', 'accepted 100']);
  });

  it('counts rejected reads in the gap, too', () => {
    expect(
      judge([
        ['AB', 0, 0],
        ['EFGH', 50, 50],
      ]),
    ).toEqual(['too_short -1', 'burst 50']);
  });

  it('calls the same value a duplicate inside the window, not at its end', () => {
    expect(
      judge([
        ['ABCD', 0, 0],
        ['ABCD', 499, 499],
      ]),
    ).toEqual(['accepted -1', 'duplicate 499']);
    expect(
      judge([
        ['ABCD', 0, 0],
        ['ABCD', 500, 500],
      ]),
    ).toEqual(['accepted -1', 'accepted 500']);
  });

  it('goes on calling it one as long as the label stays in view', () => {
    const reads = [0, 400, 800, 1200].map((at): Read => ['ABCD', at, at]);
    expect(judge(reads)).toEqual(['accepted -1', 'duplicate 400', 'duplicate 400', 'duplicate 400']);
  });

  it('prefers duplicate to burst, for a value read again at once', () => {
    expect(
      judge([
        ['ABCD', 0, 0],
        ['ABCD', 10, 10],
      ]),
    ).toEqual(['accepted -1', 'duplicate 10']);
  });

  it('forgets a value when another was accepted, not when one was rejected', () => {
    const between = (value: string): Read[] => [
      ['ABCD', 0, 0],
      [value, 150, 150],
      ['ABCD', 300, 300],
    ];
    expect(judge(between('EFGH')).at(-1)).toBe('accepted 150');
    expect(judge(between('EF')).at(-1)).toBe('duplicate 150');
  });

  it('accepts from the least length on', () => {
    expect(
      judge([
        ['ABC', 0, 0],
        ['ABCD', 200, 200],
      ]),
    ).toEqual(['too_short -1', 'accepted 200']);
    expect(judge([['A', 0, 0]], { minLength: 1 })).toEqual(['accepted -1']);
  });

  it('lets through the listed symbologies alone, and all where none is listed', () => {
    expect(judge([['ABCD', 0, 0]], { symbologies: ['ean13', 'qr'] })).toEqual(['unlisted -1']);
    expect(judge([['ABCD', 0, 0]], { symbologies: ['code128'] })).toEqual(['accepted -1']);
  });
});
