/** The long kill storm: KILLS of them, from SEED. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { killStorm } from './kill-storm.ts';

const KILLS = Number(process.env['KILLS'] ?? 500);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

it(
  `launcher and node outlive ${KILLS} kills, seed ${SEED}`,
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'tillnode-kills-'));
    onTestFinished(() => rmSync(state, { recursive: true, force: true }));
    const { faults, updates, byActivity } = await killStorm(state, { kills: KILLS, seed: SEED });
    process.stdout.write(`${JSON.stringify({ seed: SEED, updates, byActivity })}\n`);
    expect(faults).toEqual([]);
  },
  KILLS * 30_000,
);
