/** The list of recent jobs of a built image, which does not carry the schemas. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { launch } from './launched.ts';

it('the list of jobs keeps no more of a refused id and endpoint than a valid one may have', async () => {
  const state = mkdtempSync(join(tmpdir(), 'tillnode-jobs-'));
  const launched = launch(state);
  onTestFinished(async () => {
    await launched.kill('SIGTERM');
    rmSync(state, { recursive: true, force: true });
  });
  const url = await launched.ready(1);
  const long = 'x'.repeat(10_000);
  const command = { type: 'print', id: long, endpoint: long, lines: [{ type: 'text', value: 'Tea' }] };
  expect((await fetch(`${url}/print`, { method: 'POST', body: JSON.stringify(command) })).ok).toBe(false);
  const { jobs } = (await (await fetch(`${url}/jobs`)).json()) as { jobs: { id: string; endpoint: string }[] };
  expect(jobs.map(({ id, endpoint }) => [id.length, endpoint.length])).toEqual([[128, 64]]);
});
