/** Devices that come and go ten thousand times, and what the process weighs after the thousandth and the last. */
import { leanHeap } from '../../runtime/kernel/v8-flags.ts';

// As the images run (runtime/main.ts): before anything else is loaded, which makes the heap grow.
leanHeap();
const { VirtualPrinter } = await import('../../plugins/printer/virtual/device.ts');
const { VirtualScale } = await import('../../plugins/scale/virtual.ts');
const { VirtualWedgeScanner } = await import('../../plugins/scanner/virtual-wedge.ts');
const { startTestNode } = await import('../../runtime/node/testing.ts');
const { wifiPlugins } = await import('../plugins.ts');

// In the first thousand, V8 still compiles and collects for the first time. What a plug keeps shows in those after them:
// 0.3 kB of each of these 27,000 are a tenth of the process.
const WARM = 1000;
const STORM = 10_000;

const node = await startTestNode({ plugins: wifiPlugins, recipes: [] });
const devices = [new VirtualPrinter(), new VirtualWedgeScanner(), new VirtualScale()];
let before = 0;
for (let cycle = 1; cycle <= STORM; cycle += 1) {
  for (const device of devices) node.bench.usb.plug(device);
  await Promise.resolve();
  await node.kernel.hotplug.settled();
  for (const device of devices) node.bench.usb.unplug(device);
  await Promise.resolve();
  await node.kernel.hotplug.settled();
  if (cycle === WARM) before = process.memoryUsage.rss();
}
process.stdout.write(`storm ${JSON.stringify({ before, after: process.memoryUsage.rss() })}\n`);
process.on('SIGTERM', () => process.exit(0));
setInterval(() => {}, 1e6);
