/** Devices that come and go a thousand times, and what the process weighs after the hundredth and the last. */
import { setFlagsFromString } from 'node:v8';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import { VirtualScale } from '../../plugins/scale/virtual.ts';
import { VirtualWedgeScanner } from '../../plugins/scanner/virtual-wedge.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { wifiPlugins } from '../plugins.ts';

// As the images run (runtime/main.ts).
setFlagsFromString('--optimize-for-size');
setFlagsFromString('--semi-space-growth-factor=1');

const node = await startTestNode({ plugins: wifiPlugins, recipes: [] });
const devices = [new VirtualPrinter(), new VirtualWedgeScanner(), new VirtualScale()];
let after100 = 0;
for (let cycle = 1; cycle <= 1000; cycle += 1) {
  for (const device of devices) node.bench.usb.plug(device);
  await Promise.resolve();
  await node.kernel.hotplug.settled();
  for (const device of devices) node.bench.usb.unplug(device);
  await Promise.resolve();
  await node.kernel.hotplug.settled();
  if (cycle === 100) after100 = process.memoryUsage.rss();
}
process.stdout.write(`storm ${JSON.stringify({ after100, after1000: process.memoryUsage.rss() })}\n`);
process.on('SIGTERM', () => process.exit(0));
setInterval(() => {}, 1e6);
