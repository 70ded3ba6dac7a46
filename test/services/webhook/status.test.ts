/** What GET /status says of deliveries. */
import { expect, it, onTestFinished } from 'vitest';
import { startPrintingNode } from '../../node.ts';

it('the status of the webhook says that nothing was sent yet', async () => {
  const node = await startPrintingNode();
  onTestFinished(() => node.stop());
  expect((await node.get('/status')).body).toMatchObject({
    webhook: { delivered: 0, dropped: 0, queued: 0, seq: 0, lastStatus: -1 },
  });
});
