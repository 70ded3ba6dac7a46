/** The bench of the twin has the scanner that types do so without an Enter. */
import { expect, it, onTestFinished } from 'vitest';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { NodeClient } from '../../../runtime/client/client.ts';
import { startCounter } from '../twin/counter.ts';

it('characters that no Enter follows are read once no further one came for a while', async () => {
  const node = await startCounter({ 'scanner/wedge': () => new VirtualWedgeScanner() });
  onTestFinished(node.stop);
  const client = new NodeClient({ url: node.url });
  await client.twin.attach({ device: 'scanner/wedge', vendorId: '05e0', productId: '1200' });
  await client.twin.act({ device: 'scanner/wedge', action: 'type', argument: '4006' });
  await expect.poll(async () => (await client.scans()).scans[0]?.value).toBe('4006');
  await expect(client.twin.act({ device: 'scanner/wedge', action: 'type', argument: 'Я' })).rejects.toMatchObject({
    code: 'invalid_command',
    detail: 'argument: "Я" cannot be typed',
  });
});
