/**
 * Where printers and the table of commands may count otherwise: a lead byte in the place of a parameter, a line that is not empty,
 * a picture that breaks off, bytes that the guard of the drawer changes. The next receipt is whole behind each of them.
 * FUZZ_SEED chooses the streams, FUZZ_JOBS how many of the last kind there are.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KNOWN, linesOfNext, noTime, RECEIPT, realTime, start } from './next-receipt.ts';

beforeEach(noTime);
afterEach(realTime);

/** Setup mode, a character, a raster, a bar code, graphics: what swallows the next receipt where it is taken for a header. */
const HEADERS = ['1d28451d10', '1b26032777', '1d763000ff00ff00', '1d6b49ff31', '1d384cff000000'];
/** Beginnings of commands, with each of their bytes the last one. */
const BEGINNINGS = [
  ...new Set(
    KNOWN.flatMap(({ prefix }) =>
      Array.from({ length: prefix.length / 2 }, (_, byte) => prefix.slice(0, 2 * byte + 2)),
    ),
  ),
];
/** Commands that define something only where the line is empty, each with a payload that a printer may obey in place of it. */
const AT_A_LINE = [
  '1d2a0101 1d28451d10 000000',
  '1d4430433031310131424d0b000000 1d28451d10',
  '1d6b4905 1d28451d10',
  '1d76300001000500 1d28451d10',
  '1d51300001000500 1d28451d10',
];
/** What leaves a line, or is ignored where there is one. */
const LINES = [
  '',
  '41',
  '410a',
  '1b4c',
  '1b4c41',
  '1b5341',
  '411b53',
  '411b4c',
  '411b40',
  '41100500',
  '411b9941',
  '1d63',
];
const MACROS = ['', '1d3a411d3a', '1d3a411d3a0a1d5e010000', '1d3a1b4c1d3a1b531d5e010000'];
const PULSE = Buffer.from('1b700032fa', 'hex');
const PARAMETERS = [
  '',
  '00',
  '01',
  '30',
  '41',
  '0000',
  '0101',
  'ff',
  '410a',
  '0a',
  '0c0a',
  '4142430030',
  '000000000000',
];

const piece = (pieces: readonly string[]) => fc.constantFrom(...pieces);
const stream = (...pieces: readonly fc.Arbitrary<string>[]) =>
  fc.tuple(...pieces).map((hex) => hex.join('').replaceAll(' ', ''));

it.each([
  [
    'a lead byte in the place of a parameter',
    stream(
      piece(BEGINNINGS),
      piece(PARAMETERS),
      piece(['', '1b21', '1d21', '1c21', '1b5c', '1d2f', '1b40', '101421']),
      piece(HEADERS),
    ),
    ['10051b211d28451d10', '1b631b211d28451d10', '1b63001d211d28451d10', '1c611b211d28451d10', '1d561b211d28451d10'],
  ],
  [
    'a picture for an empty line',
    stream(piece(MACROS), piece(LINES), piece(KNOWN.map(({ prefix }) => prefix)), piece(PARAMETERS), piece(AT_A_LINE)),
    ['1d6b0463001d2a01011d28451d10', '1d6b0461300a', '1d6b4501611d2a01011d28451d10000000'],
  ],
  [
    'a picture whose size ends a command that opens the drawer',
    stream(
      piece(['', '1d76300001000300101403', '1d7630000100030010141d', '1b260341420100101401 1d2845 1d10']),
      piece(['1d76300010000100', '1d6b4910', '1b2a001000', '1d384c10000000', '1b2603414210', '1c710110000100']),
      piece(HEADERS.map((hex) => hex.padEnd(32, '0'))),
      piece(['', '41', '1b40']),
    ),
    [
      `1d76300001000300101403 1d76300010000100 1d28451d10${'00'.repeat(11)}`,
      '1b26034142 01 001014 01 1d2845 1d10',
      `1d384c1b700000 ${'00'.repeat(28_694)} 1d28451d10`,
    ].map((hex) => hex.replaceAll(' ', '')),
  ],
  [
    'what a deselected printer does not count',
    stream(
      piece(['1b3d02', '411b3d00', '1b4c411b3d02']),
      piece([
        '1d76300001000200',
        '1d286b0400',
        '1b2a210100',
        '1d28450300',
        '1c710101000100',
        '1d2a0101',
        '1b26014141',
        '1d6b4902',
        '1d6b04',
        '1f24',
        '1b44',
        '1d2f',
      ]),
      piece(['', '00', '1b3d', '1b4c', '1d28451d', '0000000000000000']),
      piece(['1b', '1c', '1d', '10', '1b3d01', '1b3d011b4c', '1b3d011d3a']),
      piece(['', '61', '21', '4501', '2841', '763000', '00411b3d02']),
    ),
    ['1b3d021b2a0001001d61', '1b3d021d763000010001001d61', '1b3d021f241b3d011b4c', '1b3d021b260141411b3d011b4c'],
  ],
  [
    'a setup mode that not every printer enters, or leaves',
    stream(
      piece(['', '41', '1b4c', '1b4c41', '1d3a']),
      piece(['1d28450300 01494e', '1d28450500 01494e0000', '1d28450300 014e49', '1d28450300 01494e1d3a1d5e010000']),
      piece([
        '',
        '41',
        '1b4c',
        '1d76300001000100 1d',
        '1d763000010002001d28',
        '1b2a21020045ff ffff',
        '1c7101010001001d28450400024f55',
      ]),
      piece([
        '1d28450400 024f5554',
        '1d28450500 024f555400',
        '1d28450800 024f555400000000',
        '1d28450300 024f55',
        '',
        '1d3a',
      ]),
      piece(LINES),
      piece(['', ...AT_A_LINE]),
    ),
    [
      '1d2845030001494e1d28450500024f555400',
      '1b4c1d2845030001494e1d28450400024f5554411b531d2a01011d28451d10000000',
      '1d3a1d2845030001494e1d3a1d28450400024f55541d5e010000',
    ],
  ],
  [
    'a series of pictures whose sizes are none',
    stream(
      piece(['1c7102', '1c71ff', '1b260320 30 01000000']),
      piece(['01000100 aaaaaaaaaaaaaaaa', '01000100 aaaaaaaaaaaa1014', '']),
      piece(['ffffffff', '00000100', '01000000', '0100', '01000100', '']),
      piece([...HEADERS, '']),
    ),
    ['1c710201000100aaaaaaaaaaaaaaaaffffffff'],
  ],
])('the next receipt is whole behind %s', async (_, streams, examples) => {
  await fc.assert(
    fc.asyncProperty(streams, async (hex) => {
      const { printer, outlet, job } = await start();
      const one = job('port9100');
      await one.begin();
      await one.write(Uint8Array.from(Buffer.from(hex, 'hex')));
      await one.end(true);
      expect(await linesOfNext(printer, job('print'))).toContain(RECEIPT);
      expect(outlet.missing).toBe(0);
    }),
    { numRuns: 600, seed: 28, examples: examples.map((hex) => [hex]) },
  );
});

/** Leads, what makes a command with data behind one, what ends lines and pages, and the bytes of real-time commands. */
const NOTABLE = Buffer.from('00010203040507080a0c10141b1c1d1f2126282a30313a3d4041444c51535e6b70717680ff', 'hex');
const parameters = fc.array(fc.oneof(fc.constantFrom(...NOTABLE), fc.constantFrom(...NOTABLE), fc.nat(255)), {
  maxLength: 12,
});
const command = fc
  .tuple(piece([...BEGINNINGS, ...KNOWN.map(({ prefix }) => prefix)]), parameters)
  .map(([beginning, rest]) => beginning + Buffer.from(rest).toString('hex'));
const macro = fc.array(command, { maxLength: 2 }).map((body) => `1d3a${body.join('')}1d3a1d5e010000`);
const jobs = fc.array(
  fc.record({
    parts: fc.array(fc.oneof(command, command, command, piece(LINES), macro), { minLength: 1, maxLength: 4 }),
    step: fc.constantFrom(1, 2, 3, 7, 1000),
    ending: fc.constantFrom('in order', 'aborted', 'yielded' as const),
  }),
  { minLength: 1, maxLength: 3 },
);

it('the next receipt is whole behind jobs of any commands, in any pieces', async () => {
  await fc.assert(
    fc.asyncProperty(jobs, async (sent) => {
      const { printer, job } = await start();
      for (const { parts, step, ending } of sent) {
        const bytes = Buffer.from(parts.join(''), 'hex');
        const one = job('port9100');
        await one.begin();
        for (let at = 0; at < bytes.length; at += step) await one.write(Uint8Array.from(bytes.subarray(at, at + step)));
        if (ending === 'yielded' && one.mayYield) {
          await one.yield();
          await one.begin();
        }
        await one.end(ending !== 'aborted');
      }
      expect(await linesOfNext(printer, job('print'))).toContain(RECEIPT);
    }),
    { numRuns: Number(process.env['FUZZ_JOBS'] ?? 500), seed: Number(process.env['FUZZ_SEED'] ?? 28) },
  );
});

const IN = '1d2845030001494e';
const OUT = '1d28450400024f5554';
/** What enters and leaves states in which a printer ignores most of what comes. */
const MODES = [IN, IN, OUT, OUT, '1b3d00', '1b3d02', '1b3d01', '1b4c', '1b53', '1b40', '41', '410a'];
const modeJobs = fc.array(
  fc.record({
    kind: fc.constantFrom('port9100', 'port9100', 'raw' as const),
    parts: fc.array(piece(MODES), { minLength: 1, maxLength: 5 }),
    step: fc.constantFrom(1, 8, 1000),
    kick: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

it('the next receipt is whole behind jobs that enter one such state in another, and kicks between them that are heard', async () => {
  await fc.assert(
    fc.asyncProperty(modeJobs, async (sent) => {
      const { printer, outlet, job } = await start();
      let kicks = 0;
      for (const { kind, parts, step, kick } of sent) {
        const bytes = Buffer.from(parts.join(''), 'hex');
        const one = job(kind);
        await one.begin();
        for (let at = 0; at < bytes.length; at += step) await one.write(Uint8Array.from(bytes.subarray(at, at + step)));
        await one.end(true);
        if (kick) {
          await outlet.kick(PULSE, 1000);
          kicks += 1;
        }
      }
      expect(await linesOfNext(printer, job('print'))).toContain(RECEIPT);
      expect(printer.pulses).toHaveLength(kicks);
    }),
    {
      numRuns: Number(process.env['FUZZ_JOBS'] ?? 500),
      seed: Number(process.env['FUZZ_SEED'] ?? 28),
      examples: [
        [[{ kind: 'port9100', parts: [IN, '1b3d02', OUT, IN], step: 1000, kick: true }]],
        [
          [
            { kind: 'port9100', parts: [IN], step: 1000, kick: false },
            { kind: 'raw', parts: [IN], step: 1000, kick: true },
          ],
        ],
      ],
    },
  );
});
