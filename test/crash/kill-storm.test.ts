/** Fifteen kills; the long story has more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { killStorm } from './kill-storm.ts';

it('a node that is killed at random boots every time, keeps what it acknowledged, and blames no good image', async () => {
  const state = mkdtempSync(join(tmpdir(), 'tillnode-kills-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  const { faults, updates } = await killStorm(state, { kills: 15, seed: Number(process.env['SEED'] ?? 1) });
  expect(faults).toEqual([]);
  expect(updates).toBeGreaterThan(0);
});
