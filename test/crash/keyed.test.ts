/** Exactly once, through kills of the node and of the till, cuts of the network and pulls of the printer, and on a disk that is full. RECEIPTS, KEYED_KILLS and SEED make it longer. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { countsOn, receipt } from '../keyed-receipt.ts';
import { onASmallDisk, whyNoSmallDisk } from '../small-disk.ts';
import { startKeyedNode } from './keyed-node.ts';
import { keyedStorm } from './keyed-storm.ts';

const RECEIPTS = Number(process.env['RECEIPTS'] ?? 40);
const KILLS = Number(process.env['KEYED_KILLS'] ?? Math.ceil(RECEIPTS / 4));
const SEED = Number(process.env['SEED'] ?? 1);

it(
  `${RECEIPTS} receipts with keys are printed once each through ${KILLS} kills, cuts and pulls, seed ${SEED}`,
  async () => {
    const { faults, ...found } = await keyedStorm({ receipts: RECEIPTS, kills: KILLS, seed: SEED });
    process.stdout.write(`${JSON.stringify({ seed: SEED, ...found })}\n`);
    expect(faults).toEqual([]);
    // One receipt at most has its turn when a node is killed, or its printer pulled.
    expect(found.inDoubt.all).toBeLessThanOrEqual(found.nodeKills + found.printerPulls);
  },
  60_000 + KILLS * 10_000 + RECEIPTS * 1000,
);

const missing = whyNoSmallDisk();
describe.skipIf(missing)(`a disk that is full${missing === undefined ? '' : `: ${missing}`}`, () => {
  it('prints nothing with a key, and says so; prints without one; and with that key once there is room', async () => {
    const node = await startKeyedNode(onASmallDisk);
    onTestFinished(() => node.remove());
    const print = async (name: string, key?: string) => {
      const headers = key === undefined ? {} : { 'Idempotency-Key': key };
      const response = await fetch(`${node.url}/print`, {
        method: 'POST',
        body: JSON.stringify(receipt(name)),
        headers,
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect(await print('a-0', 'a')).toMatchObject({ status: 200 });
    await node.fill();
    // The file's last page takes some more, whatever else is full.
    let last = await print('full-0', 'full-0');
    let number = 0;
    for (; last.status === 200 && number < 100; number += 1)
      last = await print(`full-${number + 1}`, `full-${number + 1}`);
    expect(last).toMatchObject({ status: 500, body: { error: 'persist_failed' } });
    const refused = `full-${number}`;
    expect(await print('b-0')).toMatchObject({ status: 200 });
    expect(await print('a-0', 'a')).toMatchObject({ status: 200 });
    const full = countsOn(node.paper());
    expect([full(refused), full('a-0'), full('b-0')].map(({ begun }) => begun)).toEqual([0, 1, 1]);
    await node.fill();
    expect(await print(refused, refused)).toMatchObject({ status: 200 });
    expect(countsOn(node.paper())(refused)).toEqual({ begun: 1, ended: 1 });
  });
});
