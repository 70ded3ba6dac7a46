/** What a heartbeat counts of scans. */
import { expect, it } from 'vitest';
import { VirtualWedgeScanner } from '../../../plugins/scanner/virtual-wedge.ts';
import { startReceiver } from '../../http/receiver.ts';
import { until } from '../../node.ts';
import { heartbeat } from '../../services/cloud/beat.ts';
import { startCloudNode } from '../../services/cloud/node.ts';

it('a heartbeat counts the codes that were read', async () => {
  const [cloud, node] = [await startReceiver(), await startCloudNode()];
  expect((await heartbeat(node, cloud)).counters).toMatchObject({ scans: 0 });
  const scanner = new VirtualWedgeScanner();
  node.bench.usb.plug(scanner);
  await node.kernel.hotplug.settled();
  scanner.scan('4006381333931');
  await until(async () => (await node.call('GET', '/scans')).body['accepted'] === 1);
  expect((await heartbeat(node, cloud)).counters).toMatchObject({ scans: 1 });
});
