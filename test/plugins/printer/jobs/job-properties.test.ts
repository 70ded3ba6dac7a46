/** What holds for any job, wherever it ends: whatever one leaves behind, the next receipt is whole. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RECOVERY } from '../../../../codecs/escpos.ts';
import { LONGEST_HEADER } from '../../../../codecs/escpos-command-lengths.ts';
import { AFTER_REALTIME } from '../../../../codecs/escpos-open-ends.ts';
import { WriteFailed } from '../../../../plugins/printer/jobs/write-failed.ts';
import { KNOWN, linesOfNext, noTime, RECEIPT, realTime, start } from './next-receipt.ts';

beforeEach(noTime);
afterEach(realTime);

/** Commands whole and cut: text, pictures, symbols, downloads, modes, macros. */
const PIECES = [
  ...[
    '41420a',
    '41',
    '1b40',
    '1b2108',
    '1d2177',
    '1b4d01',
    '1b6101',
    '1b33ff',
    '1b20ff',
    '1d4cff00',
    '1d570100',
    '1d4201',
  ],
  ...[
    '1b2d02',
    '1b4501',
    '1b7b01',
    '1b5601',
    '1b52',
    '1b7411',
    '1b',
    '1d',
    '10',
    '1c',
    '1b2a210500',
    '1d763000080008',
    '1d7630',
  ],
  ...[
    '1d7630000500010081',
    '1d384cff000000',
    '1d284c',
    '1d286b0300314501',
    '1d6b49',
    '1d6b490a3132',
    '1d6b49f03132',
    '1d6b04',
    '1b26034141',
    '1b440810',
  ],
  ...[
    '1b3d00',
    '1b3d02',
    '1d3a',
    '4142',
    '1d5e0101',
    '1b4c',
    '1b5700000000',
    '0c',
    '1b53',
    '1c26',
    '8140',
    '1b2543',
    '1b250100',
  ],
].map((hex) => Buffer.from(hex, 'hex'));
const stream = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
  .map((pieces) => new Uint8Array(Buffer.concat(pieces)));
/** Leads, and what makes a command with data behind one. */
const NOTABLE = [
  0, 1, 2, 0x10, 0x1b, 0x1c, 0x1d, 0x26, 0x28, 0x2a, 0x30, 0x31, 0x38, 0x41, 0x4c, 0x6b, 0x70, 0x71, 0x76, 0xff,
];
const ending = fc.constantFrom('in order', 'aborted', 'abandoned', 'yielded' as const);

/** The header of a macro that was not ended leaves with the end of the job, and its payload is missing. */
const FAILS_AT_ITS_END = {
  kind: 'port9100' as const,
  bytes: new Uint8Array(Buffer.from('1d3a1d384cff00000041420a', 'hex')),
  ending: 'in order' as const,
  fails: LONGEST_HEADER + RECOVERY.length + AFTER_REALTIME.length + 7,
};

describe('after any end of a job', () => {
  it('the next receipt is whole', async () => {
    const { printer, job, failAt } = await start();
    const sent = fc.record({
      kind: fc.constantFrom('raw', 'port9100', 'port9100', 'port9100' as const),
      bytes: stream,
      ending,
      fails: fc.option(fc.nat(40), { nil: Number.POSITIVE_INFINITY }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 3 }), async (jobs) => {
        for (const { kind, bytes, ending: end, fails } of jobs) {
          const one = job(kind);
          await one.begin();
          failAt(fails);
          try {
            // A raw command that is refused for it is not sent.
            if (one.announcesTooMuch(bytes)) one.leave();
            else await one.write(Uint8Array.from(bytes));
            if (end === 'abandoned') one.abandon();
            else if (end === 'yielded' && one.mayYield) await one.yield();
            else await one.end(end === 'in order');
          } catch (error) {
            if (!(error instanceof WriteFailed)) throw error;
          }
          failAt(Number.POSITIVE_INFINITY);
          expect(one.hasTurn).toBe(false);
        }
        expect(await linesOfNext(printer, job('print'))).toContain(RECEIPT);
      }),
      { numRuns: 500, seed: 31, examples: [[[FAILS_AT_ITS_END]]] },
    );
  });

  it('the next receipt is whole, whatever stands in the place of parameters', async () => {
    const parameter = fc.oneof(fc.constantFrom(...NOTABLE), fc.nat(255));
    const command = fc
      .tuple(fc.constantFrom('', 'A'), fc.constantFrom(...KNOWN), fc.array(parameter, { maxLength: 20 }))
      .map(([text, { prefix }, parameters]) =>
        Buffer.concat([Buffer.from(text), Buffer.from(prefix, 'hex'), Uint8Array.from(parameters)]),
      );
    await fc.assert(
      fc.asyncProperty(command, async (bytes) => {
        const { printer, job } = await start();
        const one = job('port9100');
        await one.begin();
        await one.write(Uint8Array.from(bytes));
        await one.end(true);
        expect(await linesOfNext(printer, job('print'))).toContain(RECEIPT);
      }),
      {
        numRuns: 800,
        seed: 31,
        examples: [
          '1b264c1b3c1d384c462d',
          '1c711b331b70001d1b4c08',
          '1d7630 05 1d384c01ffffff',
          '1d6b41011b',
          '1b2af61b28ffff',
        ].map((hex) => [Buffer.from(hex.replaceAll(' ', ''), 'hex')]),
      },
    );
  });

  it('what was filtered and not sent is missing bytes', async () => {
    const { printer, outlet, job, failAt } = await start();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 10_000 }), fc.nat(9999), async (length, at) => {
        const fails = at % length;
        const one = job('port9100');
        await one.begin();
        await outlet.write(new Uint8Array(0), 'asIs');
        printer.tearOff();
        failAt(fails);
        await expect(one.write(new Uint8Array(length).fill(0x41))).rejects.toThrow(WriteFailed);
        expect([one.written, outlet.missing]).toEqual([fails, length - fails]);
        failAt(Number.POSITIVE_INFINITY);
        const next = job('port9100');
        await next.begin();
        await next.write(Uint8Array.of(0x0a));
        await next.end();
        expect(outlet.missing).toBe(0);
      }),
      { numRuns: 40, seed: 31 },
    );
  });
});
