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
  try {
    const port = Number(new URL(node.url).port);
    return [await kicksAt(port, 'drawer.p99', { kicks: KICKS, warmUp: WARM_UP, at: () => arrived })];
  } finally {
    await node.stop();
  }
}

interface Kicks {
  readonly kicks: number;
  readonly warmUp: number;
  /** When the pulse of the kick that was answered last arrived; left out: when its answer did. */
  readonly at?: () => number;
}

/** The p99 of kicks one behind the other, from the request on, over what is recorded. */
export async function kicksAt(port: number, name: string, { kicks, warmUp, at = now }: Kicks): Promise<Entry> {
  const socket = await open(port);
  const times: number[] = [];
  for (let kick = -warmUp; kick < kicks; kick += 1) {
    const request = post('/drawer/kick', JSON.stringify({ type: 'drawer_kick', id: `k${kick}`, endpoint: 'receipt' }));
    const asked = performance.now();
    socket.write(request);
    await once(socket, 'data');
    if (kick >= 0) times.push(at() - asked);
  }
  socket.destroy();
  const p99 = percentile(times, 99);
  return { name, ratio: p99 / RECORDED_MS, ours: p99, theirs: RECORDED_MS, unit: 'ms' };
}

const now = (): number => performance.now();
