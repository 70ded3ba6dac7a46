/** From the request leaving the client to the pulse arriving at the printer, with the real front in between. */
import { once } from 'node:events';
import { VirtualPrinter } from '../../plugins/printer/virtual/device.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { twinPlugins } from '../plugins.ts';
import { type Entry, open, percentile, post } from './measure.ts';

const KICKS = 1000;
/** Compiled by then, as on a node that has been up for a minute. */
const WARM_UP = 200;
/** Recorded in the specification: request to pulse. */
const RECORDED_MS = 150;

export async function drawerBench(): Promise<Entry[]> {
  return [await kicksOf('drawer.p99')];
}

/** `beside`: what goes on at that node meanwhile, by its URL; resolves with what ends it. */
export async function kicksOf(name: string, beside?: (url: string) => Promise<() => Promise<void>>): Promise<Entry> {
  let arrived = 0;
  class TimedPrinter extends VirtualPrinter {
    override receive(address: number, bytes: Uint8Array): number {
      if (bytes[0] === 0x1b && bytes[1] === 0x70) arrived = performance.now();
      return super.receive(address, bytes);
    }
  }
  const node = await startTestNode({
    plugins: twinPlugins,
    recipes: [],
    devices: { printer: () => new TimedPrinter() },
  });
  const end = await beside?.(node.url);
  try {
    const socket = await open(Number(new URL(node.url).port));
    const times: number[] = [];
    for (let kick = -WARM_UP; kick < KICKS; kick += 1) {
      const request = post(
        '/drawer/kick',
        JSON.stringify({ type: 'drawer_kick', id: `k${kick}`, endpoint: 'receipt' }),
      );
      const asked = performance.now();
      socket.write(request);
      await once(socket, 'data');
      if (kick >= 0) times.push(arrived - asked);
    }
    socket.destroy();
    const p99 = percentile(times, 99);
    return { name, ratio: p99 / RECORDED_MS, ours: p99, theirs: RECORDED_MS, unit: 'ms' };
  } finally {
    await end?.();
    await node.stop();
  }
}
