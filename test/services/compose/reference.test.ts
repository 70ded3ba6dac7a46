import { expect, it } from 'vitest';
import { until } from '../../node.ts';
import { startCloudNode, TOKEN } from '../cloud/node.ts';
import { startCloud } from '../cloud/reference.ts';

it('the reference cloud composes what it was told, onto paper', async () => {
  const { url } = await startCloud();
  const node = await startCloudNode();
  await node.call('PUT', '/cloud', { url, token: TOKEN });
  const ask = { id: 'c1', endpoint: 'receipt', prompt: 'Back at noon', print: true };
  expect(await node.call('POST', '/compose', ask)).toMatchObject({
    status: 200,
    body: { ok: true, result: { ok: true } },
  });
  await until(() => node.printer.paperText().includes('Back at noon'));
});
