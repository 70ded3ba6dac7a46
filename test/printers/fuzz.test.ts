/**
 * No byte to port 9100 opens a drawer, whatever printer it is: what leaves the node for hostile streams goes to every model,
 * and no drawer may open but by the API. FUZZ_SEED and FUZZ_STREAMS choose which streams, and how many.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openShop, type PrinterOptions, type Shop, turn } from './shop.ts';
import { type Step, shift, show } from './streams.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 9100);
const STREAMS = Number(process.env['FUZZ_STREAMS'] ?? 3000);
/** Streams that one printer gets between two power-ups: what one leaves behind, the next may find. */
const SHIFT = 20;

const PRINTERS: ReadonlyArray<readonly [string, PrinterOptions, number]> = [
  ['that answers', {}, 0.5],
  ['that is asked nothing', { unidirectional: true }, 0.3],
  ['that is told to disable its real-time pulse', { realtimePulseDisable: true }, 0.1],
  ['that pulses on BEL', { pulseOnBel: true }, 0.1],
];

let shop: Shop;
afterEach(() => shop.stop());

async function work(steps: readonly Step[]): Promise<void> {
  const open: Array<() => void> = [];
  const waiting: Array<Promise<unknown>> = [];
  await shop.replug(true);
  for (const { client, before, raw } of steps) {
    if (before === 'kick') waiting.push(shop.kick());
    if (before === 'print') waiting.push(shop.print('-'));
    if (before === 'raw') waiting.push(shop.raw(raw));
    if (before === 'status') waiting.push(shop.status());
    if (before === 'idle') await shop.idle();
    if (before === 'replug' || before === 'power cycle') await shop.replug(before === 'power cycle');
    const left = await shop.connection(client.segments, client.ending);
    if (left.end) open.push(left.end);
    waiting.push(left.closed);
    // Behind a holder that stays, everybody waits: until it goes.
    if (open.length > 1) open.shift()?.();
    if (open.length === 0) await shop.drained(Promise.all(waiting.splice(0)));
    else await turn();
  }
  for (const end of open) end();
  await shop.drained(Promise.all(waiting));
}

describe('port 9100 opens no drawer of a printer', () => {
  it.each(PRINTERS)(
    '%s, by any stream',
    async (_, options, share) => {
      shop = await openShop(options);
      let streams = 0;
      await fc.assert(
        fc.asyncProperty(shift(SHIFT), async (steps) => {
          streams += steps.length;
          await work(steps);
          const [opening] = shop.opened();
          if (opening) throw new Error(`${JSON.stringify(opening)}\n${show(steps)}`);
        }),
        { seed, numRuns: Math.ceil((1.1 * STREAMS * share) / SHIFT) },
      );
      expect(streams).toBeGreaterThanOrEqual(STREAMS * share);
    },
    900_000,
  );
});
