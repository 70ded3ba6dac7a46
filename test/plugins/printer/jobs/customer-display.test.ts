/** A till's text for a customer display that hangs on the printer (ESC = 2), and the receipt right behind it. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KNOWN, noTime, RECEIPT, realTime, start } from './next-receipt.ts';

beforeEach(noTime);
afterEach(realTime);

const SELECT = '1b3d01';
const HEX_RECEIPT = Buffer.from(`${RECEIPT}\n`).toString('hex');

/** Commands of displays: the DM-D series, then those of other makers that have the letters of a printer's command. */
const OF_DISPLAYS = [
  ...['1f01', '1f02', '1f03', '1f0a', '1f0d', '1f3a', '1f40', '1f42', '1f55'],
  ...['1f2c01', '1f2e01', '1f3b01', '1f4301', '1f4514', '1f5804', '1f7201', '1f7601'],
  ...['1f230102', '1f240102', '1f540c1e', '1f5e0102', '1f28410200 3001', '1f284b0300 301b01'],
  ...['1b570100', '1b57010101011401', '1b40', '1b260141410541424344 45', '1b2501', '1b3f41', '1b5203', '1b7402'],
  ...['1b6600', '1b660105', '1b2a04', '1b440102', '1b6c0101', '1b7541', '1b5f00', '1b5141', '1b7301', '1b4642'],
].map((hex) => hex.replaceAll(' ', ''));

/** All but those that say how many bytes come behind them. */
const WITHOUT_DATA = KNOWN.filter(({ payload, role }) => payload === undefined && role !== 'peripheral');

async function paperOf(display: string, step = 1000): Promise<string> {
  const { printer, job } = await start();
  const one = job('port9100');
  await one.begin();
  const bytes = Buffer.from(`1b3d02${display}${SELECT}${HEX_RECEIPT}`, 'hex');
  for (let at = 0; at < bytes.length; at += step) await one.write(Uint8Array.from(bytes.subarray(at, at + step)));
  await one.end(true);
  return printer.paperText();
}

it.each(OF_DISPLAYS)('the receipt behind the command %s of a display is printed', async (display) => {
  expect(await paperOf(display)).toBe(`${RECEIPT}\n`);
  expect(await paperOf(display, 1)).toBe(`${RECEIPT}\n`);
  expect(await paperOf(`41${display}42${display}`, 3)).toBe(`${RECEIPT}\n`);
});

it('the receipt is printed behind any command of a display that has the letters of one of a printer, and another length', async () => {
  const display = fc
    .tuple(fc.constantFrom(...WITHOUT_DATA), fc.uint8Array({ min: 1, max: 0x14, maxLength: 9 }))
    .map(([{ prefix }, parameters]) => prefix + Buffer.from(parameters).toString('hex'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(display, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 3, 1000),
      async (shown, step) => {
        expect(await paperOf(shown.join(''), step)).toBe(`${RECEIPT}\n`);
      },
    ),
    { numRuns: 300, seed: 31 },
  );
});
