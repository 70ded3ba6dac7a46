/** Exactly once from a hosted till to paper, through kills of all three. RECEIPTS and SEED make it longer. */
import { expect, it } from 'vitest';
import { pulledStorm } from './pulled-storm.ts';

const RECEIPTS = Number(process.env['RECEIPTS'] ?? 30);
const SEED = Number(process.env['SEED'] ?? 1);

it.each(['forgets', 'claims'] as const)(
  `${RECEIPTS} receipts of a server that %s them are on paper once each, and those in doubt are reported so, seed ${SEED}`,
  async (semantics) => {
    const { faults, ...found } = await pulledStorm({ receipts: RECEIPTS, seed: SEED, semantics });
    process.stdout.write(`${JSON.stringify({ seed: SEED, semantics, ...found })}\n`);
    expect(faults).toEqual([]);
    expect(found.receipts).toBe(RECEIPTS);
    // One receipt at most has its turn when a node is killed.
    expect(found.inDoubt.all).toBeLessThanOrEqual(found.kills.node);
  },
  60_000 + RECEIPTS * 2000,
);
