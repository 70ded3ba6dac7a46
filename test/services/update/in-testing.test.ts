/** A restart of the twin that a test has in its process. */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { Twin } from '../../../runtime/node/twin.ts';

const { startTwin } = createRequire(import.meta.url)(resolve('dist/twin/testing.cjs')) as {
  startTwin(): Promise<Twin>;
};

it('a restart of a twin that a test has in its process keeps what was stored, and takes the next receipt', async () => {
  const twin = await startTwin();
  try {
    await twin.client.rename('Till 1');
    await twin.client.restart('r');
    const print = () =>
      twin.client
        .print({ type: 'print', id: crypto.randomUUID(), endpoint: 'receipt', lines: [{ type: 'cut' }] })
        .then(({ ok }) => ok)
        .catch(() => false);
    await expect.poll(print, { timeout: 20_000 }).toBe(true);
    expect((await twin.client.status()).identity.name).toBe('Till 1');
  } finally {
    await twin.stop();
  }
});
