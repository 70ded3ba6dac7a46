import { expect, it } from 'vitest';
import { createVirtualDevice as scanner } from '../../../plugins/scanner/virtual.ts';
import { startWithClient } from '../../client/node.ts';

it('the client reads what the bench scanned', async () => {
  const { client, node } = await startWithClient({ scanner });
  await client.twin.scan({ value: '4006381333931' });
  expect((await client.scans()).scans[0]?.value).toBe('4006381333931');
  await node.stop();
});
