/** A client that sends without end what leaves no dot on the paper: others get the printer all the same, after the time of the contract. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { bytes, type Cable, startCable } from './cable.ts';

const A_SECOND = 10_000;
const AT_ONCE = 1024;
/** Milliseconds: before it printed anything, inside a receipt, and where no other job could print; and those of one write. */
const LIMITS = { nothing: 2000, receipt: 10_000, inside: 15_000 };
const A_WRITE_MS = (1000 * AT_ONCE) / A_SECOND;

let cable: Cable;
beforeEach(async () => {
  cable = await startCable();
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

/** Milliseconds until a client that sends this again and again is told to give way to one that waits. */
async function keeps(command: string): Promise<number> {
  const one = bytes(command);
  const all = Buffer.concat(Array<Buffer>(Math.ceil(AT_ONCE / one.length)).fill(one));
  const giveWay = vi.fn();
  const flood = await cable.begun('port9100', new Uint8Array(0), { giveWay });
  cable.takesASecond(A_SECOND);
  void cable.job('print').begin();
  const from = performance.now();
  while (giveWay.mock.calls.length === 0 && performance.now() - from < 20_000) await flood.write(Uint8Array.from(all));
  flood.abandon();
  return performance.now() - from;
}

it.each([
  ['GS / with no picture defined', '1d2f00', 'receipt'],
  ['GS ( L that stores', '1d284c1200 30700130010131080001 00ffffffffffffff', 'receipt'],
  ['GS ( L that stores in RAM', '1d284c1400 3053302020010108000100 31ffffffffffffffff', 'receipt'],
  ['ESC K 0', '1b4b00', 'receipt'],
  ['ESC e', '1b6501', 'receipt'],
  ['FS p of no logo', '1c700100', 'receipt'],
  ['feeds', '1b6405', 'receipt'],
  ['cuts', '1d5600', 'nothing'],
  ['empty macro runs', '1d3a1d3a1d5e010000', 'inside'],
  ['empty pages', '1b4c0c', 'inside'],
  ['pages that are cancelled', '1b4c1d284c120030700130010131080001 00ffffffffffffff 180c', 'inside'],
  ['white rasters', '1d763000010008000000000000000000', 'receipt'],
  ['GS ( k that stores', '1d286b0600 3150304142 43', 'nothing'],
] as const)('a client gives way that sends a flood of %s', async (_, command, where) => {
  expect(await keeps(command)).toBeLessThanOrEqual(LIMITS[where] + 3 * A_WRITE_MS);
});

it('a client keeps the printer that sends text, however long that is', async () => {
  expect(await keeps('410a')).toBeGreaterThanOrEqual(20_000);
});
