/**
 * What leaves behind the trail holds no dangerous sequence, whichever real-time commands a printer removes before it reads the
 * rest: every choice of them is tried, also of those that another removal brings together.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Trail } from '../../codecs/escpos-trail.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 9100);
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 15_000);

/** Lengths of the real-time commands that may begin with this DLE or GS: whole ones, and those that broke off. */
function removable(b: string, at: number): { whole: number[]; broken: number[] } {
  const [lead, code, fn = -1] = [b.charCodeAt(at), b.charCodeAt(at + 1), b.charCodeAt(at + 2)];
  if (lead === 0x1d) return { whole: code === 5 ? [2] : code === 3 || code === 4 ? [3] : [], broken: [] };
  if (lead !== 0x10) return { whole: [], broken: [] };
  if (code === 0x04) return { whole: [7, 8, 18].includes(fn) ? [3, 4] : [3], broken: [1, 2] };
  if (code === 0x05) return { whole: [3], broken: [1, 2] };
  if (code !== 0x14) return { whole: [], broken: [1, 2] };
  const parameters = { 1: 2, 2: 2, 3: 5, 7: 1, 8: 7 }[fn];
  if (parameters === undefined) return { whole: [], broken: [1, 2, 3] };
  return { whole: [3 + parameters], broken: Array.from({ length: 2 + parameters }, (_, more) => 1 + more) };
}

const DANGERS = ['\x1bp', '\x10\x14\x01', '\x10\x14\x02', '\x10\x14\x08', '\x1d^'];
const isDangerous = (left: string) => DANGERS.some((sequence) => left.includes(sequence));

/** A dangerous string that is left of `sent` after some removals; undefined where there is none. */
function danger(sent: string): string | undefined {
  const seen = new Set([sent]);
  for (const left of seen) {
    if (isDangerous(left)) return left;
    for (let at = 0; at < left.length; at++) {
      for (const length of removable(left, at).whole)
        if (at + length <= left.length) seen.add(left.slice(0, at) + left.slice(at + length));
    }
  }
  // One that broke off has nothing removed in it.
  for (const left of seen) {
    for (let at = 0; at < left.length; at++) {
      for (const length of removable(left, at).broken) {
        const rest = left.slice(0, at) + left.slice(at + length);
        if (isDangerous(rest)) return rest;
      }
    }
  }
  return undefined;
}

const charged = fc.constantFrom(
  ...Buffer.from('10101010141414040505031b1b1d1d70707001010102020807083a5e3d0041ff', 'hex'),
);
const brew = fc.array(charged, { minLength: 1, maxLength: 14 }).map((list) => Uint8Array.from(list));

describe('the bytes that the trail lets through, and the model that judges them:', { timeout: 120_000 }, () => {
  it.each([
    ['from the beginning', false],
    ['where nobody knows what the printer read', true],
  ])('no printer sees a dangerous sequence, %s', (_, lost) => {
    fc.assert(
      fc.property(brew, fc.nat(14), (sent, cut) => {
        const trail = new Trail({ begun: true, recording: false, pulse: false });
        if (lost) trail.lose();
        const bytes = sent.slice();
        trail.guard(bytes.subarray(0, cut));
        trail.guard(bytes.subarray(cut));
        // Anything may stand before it.
        const before = lost ? ['\x1b', '\x1d', '\x10\x14', '\x1b\x10\x04', '\x10\x14\x10\x14\x03\x00'] : [''];
        for (const first of before) expect(danger(first + Buffer.from(bytes).toString('latin1'))).toBeUndefined();
      }),
      { seed, numRuns },
    );
  });

  it('the model of removals finds what is dangerous in bytes that the trail has not seen', () => {
    for (const sent of [
      '1b10040170',
      '10141014030041420001000101',
      '101010040104011401',
      '1b1d0570',
      '1b10140301020304051b',
    ])
      expect(danger(Buffer.from(sent, 'hex').toString('latin1')) !== undefined, sent).toBe(
        sent !== '1b10140301020304051b',
      );
  });
});
