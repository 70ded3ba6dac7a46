import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawerPulse, RECOVERY } from '../../codecs/escpos.ts';
import { ESCPOS_COMMANDS } from '../../codecs/escpos-command-lengths.ts';
import { settleMode } from '../../codecs/escpos-mode.ts';
import { Trail } from '../../codecs/escpos-trail.ts';
import { FilteredPrinter, PASSIVE } from '../codecs/filtered.ts';
import { pulses, type Quirks } from '../codecs/printer-model.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 9100);
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 4000);

/** Connections to one printer, one after the other. */
function filter(chunks: readonly Uint8Array[], options = PASSIVE, printer = new FilteredPrinter()) {
  const { push, end } = printer.connect(options);
  for (const chunk of chunks) push(chunk);
  const missing = end();
  return { out: printer.out, told: printer.told, missing };
}

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** Bytes that mean something in ESC/POS, far more often than chance has it. */
const charged = fc.constantFrom(
  ...hex(
    '00 01 02 03 04 05 07 08 09 0a 10 14 1b 1c 1d 20 21 24 26 28 2a 30 32 3a 3d 40 41 43 44 49 4c 57 5e 61 6b 70 71 76 7b e9 ff',
  ),
);
const mess = fc.uint8Array({ maxLength: 12 });
const brew = fc.array(charged, { maxLength: 24 }).map((list) => Uint8Array.from(list));
const command = fc.constantFrom(
  ...[
    '1b70001 9fa',
    '1014010001',
    '1014020108',
    '10140801031401060208',
    '100401',
    '1b40',
    '0a',
    '41',
    '1b3d02',
    '1b3d01',
    '101407',
    '1b3303',
    '1b2410 14',
    '1b571b7000190000fa00',
    '1d2844030014 0101',
    '1d284403001401 00',
    '1d7630000100 0300',
    '1d763009 01000200',
    '1d6b49 06',
    '1d6b43 05',
    '1d6b04',
    '1d6b48 10',
    '1b2a 21 0200',
    '1b2a 07 0300',
    '1b26 03 41 42 01',
    '1b44',
    '1d2a 0101',
    '1c71 02 0100 0100',
    '1c32 7721',
    '1d284c0a00',
    '1d384c0a000000',
    '1d3a',
    '1d5e010000',
    '1b4f',
    '1c673100000000000400',
    '07',
    '1d384c10140100',
    '1b74 1b',
    '1b4d01',
    '1b26 03 41 41 0b',
  ].map(hex),
);
const job = fc.array(fc.oneof(command, brew, mess), { maxLength: 14 }).map((parts) => Buffer.concat(parts));
const flag = fc.boolean();
const quirk: fc.Arbitrary<Quirks> = fc.record({
  emptyLineOnly: flag,
  lenient: flag,
  noPageMode: flag,
  listToNul: flag,
  twoBytes: flag,
});
const settings = fc.record({ realtimePulseDisable: flag, pulseOnBel: flag });
const check = (property: fc.IProperty<never> | fc.IRawProperty<unknown>) =>
  fc.assert(property as fc.IRawProperty<unknown>, { seed, numRuns, endOnFailure: false });

describe('whatever comes in on port 9100', { timeout: 120_000 }, () => {
  it('gives the same bytes and reports for any split of it', () => {
    const cuts = fc.array(fc.nat(200), { maxLength: 6 });
    check(
      fc.property(job, cuts, settings, (input, at, options) => {
        const places = [0, ...at.map((n) => Math.min(n, input.length)).sort((a, b) => a - b), input.length];
        const chunks = places.slice(1).map((to, i) => input.subarray(places[i], to));
        const { out, told } = filter(chunks, options);
        const whole = filter([input], options);
        expect([out.toString('hex'), ...told]).toEqual([whole.out.toString('hex'), ...whole.told]);
      }),
    );
  });

  it('leaves nothing for a second guard', () => {
    check(
      fc.property(job, job, settings, (first, second, options) => {
        const printer = new FilteredPrinter();
        fc.pre(filter([first], options, printer).missing < 2_000);
        const { out } = filter([second], options, printer);
        const again = Buffer.from(out);
        // A macro of the job's own may be run: nothing else is there to be found.
        fc.pre(!out.includes(hex('1d5e')));
        new Trail().guard(again);
        expect(again.equals(out)).toBe(true);
      }),
    );
  });

  it('is hardly more than came for a display, also of headers that are cut off', () => {
    const selection = fc.constantFrom('1b3d00', '1b3d02', '1b3d01', '1b3d');
    const cut = fc
      .tuple(fc.constantFrom(...ESCPOS_COMMANDS), fc.uint8Array({ maxLength: 9 }), selection)
      .map(([{ prefix }, parameters, next]) => prefix + Buffer.from(parameters).toString('hex') + next);
    check(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 6 }), settings, (parts, options) => {
        const input = hex(`1b3d02${parts.join('')}`);
        const { out, missing } = filter([input], options);
        // The data that it announces last are completed when it ends.
        expect(out.length - missing).toBeLessThanOrEqual(32 * (parts.length + 1) + 2 * input.length);
      }),
    );
  });

  it('never opens the drawer of a printer, however that printer reads what its manual leaves open', () => {
    check(
      fc.property(job, quirk, settings, (input, quirks, options) => {
        expect(pulses(filter([input], options).out, quirks)).toBe(0);
      }),
    );
  });

  it('has no BEL for a printer that opens it on one', () => {
    check(
      fc.property(job, flag, (input, realtimePulseDisable) => {
        expect(filter([input], { realtimePulseDisable, pulseOnBel: true }).out.includes(0x07)).toBe(false);
      }),
    );
  });

  it('never opens it with two connections that share a command between them', () => {
    check(
      fc.property(job, job, quirk, (first, second, quirks) => {
        const printer = new FilteredPrinter();
        fc.pre(filter([first], PASSIVE, printer).missing < 2_000);
        expect(pulses(filter([second], PASSIVE, printer).out, quirks)).toBe(0);
      }),
    );
  });

  it('never opens it with the second of two where the printer took any part of the first, once that is made up for', () => {
    check(
      fc.property(job, fc.nat(), job, quirk, (first, n, second, quirks) => {
        const printer = new FilteredPrinter();
        const { out, missing } = filter([first], PASSIVE, printer);
        fc.pre(missing < 2_000);
        const taken = out.subarray(0, n % (out.length + 1));
        const lost = Buffer.alloc(out.length - taken.length);
        settleMode(printer.mode);
        const next = filter([second], PASSIVE, printer).out.subarray(out.length);
        expect(pulses(Buffer.concat([taken, lost, RECOVERY, next]), quirks)).toBe(0);
      }),
    );
  });

  it('never holds ESC p, a real-time pulse, power-off or buffer clear anywhere, nor by a kick between two connections', () => {
    check(
      fc.property(job, job, settings, (first, second, options) => {
        const printer = new FilteredPrinter();
        fc.pre(filter([first], options, printer).missing < 2_000);
        printer.send(hex('100401100402100403100404'));
        const before = printer.out.length;
        printer.send(drawerPulse(2, 120, 240));
        const kick = printer.out.length;
        const { out } = filter([second], options, printer);
        const foreign = Buffer.concat([out.subarray(0, before), out.subarray(kick)]);
        const found = ['1b70', '101401', '101402', '101408'].filter((digits) =>
          [out.subarray(0, before), out.subarray(kick), foreign].some((part) => part.includes(hex(digits))),
        );
        expect(found).toEqual([]);
      }),
    );
  });

  it('is no longer than what came in, but for separators, GS ( D and the rest of one payload', () => {
    check(
      fc.property(job, (input) => {
        const { out, missing } = filter([input]);
        expect(out.length).toBeLessThanOrEqual(3 * input.length + missing + 8);
      }),
    );
  });
});

describe('the printer model', () => {
  const strict: Quirks = { emptyLineOnly: true, lenient: false, noPageMode: false, listToNul: false, twoBytes: false };
  it('opens on what the filter is there to stop', () => {
    expect(pulses(hex('41 1b70 0019fa 1014010001'), strict)).toBe(2);
    expect(pulses(hex('1d6b49077b411b700019fa'), strict)).toBe(0);
    expect(pulses(hex('41 1d6b49077b411b700019fa'), strict)).toBe(1);
    expect(pulses(hex('1d763009 01000500 1b700019fa'), strict)).toBe(1);
    expect(pulses(hex('1b571b7000190000fa00'), { ...strict, noPageMode: true })).toBe(1);
  });
});
