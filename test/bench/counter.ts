/** The rest of the counter: scans under load, plugs that come and go, recipe look-ups. */
import { once } from 'node:events';
import { get } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { VirtualWedgeScanner } from '../../plugins/scanner/virtual-wedge.ts';
import { startTestNode, type TestNode } from '../../runtime/node/testing.ts';
import { type RecipeRow, RecipeTable } from '../../runtime/recipes/table.ts';
import { wifiPlugins } from '../plugins.ts';
import { alternate, type Entry, percentile, start } from './measure.ts';

const SCANS = 500;
const FLOOD_SECONDS = 10;
const FLOOD_REPORTS = 10_000;
const FRAME_MS = 20;
const LOOP_MS = 50;

interface ScanCounts {
  readonly accepted: number;
  readonly rejected: number;
}
const countsOf = async (node: TestNode) => (await (await fetch(`${node.url}/scans`)).json()) as ScanCounts;

/** Knows when the host took its last report. */
class TimedScanner extends VirtualWedgeScanner {
  takenAt = 0;
  override collect(pipe: number, length: number): ReturnType<VirtualWedgeScanner['collect']> {
    const report = super.collect(pipe, length);
    if (report instanceof Uint8Array) this.takenAt = performance.now();
    return report;
  }
}

async function scanningNode(): Promise<{ node: TestNode; scanner: TimedScanner }> {
  const scanner = new TimedScanner();
  const node = await startTestNode({ plugins: wifiPlugins, recipes: [], devices: { scanner: () => scanner } });
  await fetch(`${node.url}/config`, { method: 'PUT', body: JSON.stringify({ scanner: { duplicateWindowMs: 0 } }) });
  return { node, scanner };
}

/** p99 from the last report of a scan to its frame at an SSE client. */
async function scanToFrame(): Promise<number> {
  const { node, scanner } = await scanningNode();
  const request = get(`${node.url}/events`);
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
  const times: number[] = [];
  let seen: () => void = () => {};
  response.on('data', (chunk: Buffer) => {
    if (chunk.includes('event: scan_read')) seen();
  });
  for (let scan = 0; scan < SCANS; scan += 1) {
    const frame = new Promise<void>((resolve) => {
      seen = resolve;
    });
    scanner.scan(String(100_000_000 + scan));
    await frame;
    times.push(performance.now() - scanner.takenAt);
  }
  request.destroy();
  await node.stop();
  return percentile(times, 99);
}

/** 10,000 reports a second: how many reads were counted of those sent, and how late the event loop ran. */
async function flood(): Promise<{ counted: number; sent: number; loopMs: number }> {
  const { node, scanner } = await scanningNode();
  // A press and a release for each digit and for Enter.
  const reportsOf = (value: string) => (value.length + 1) * 2;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  let reports = 0;
  let sent = 0;
  while (performance.now() - started < FLOOD_SECONDS * 1000) {
    const due = ((performance.now() - started) / 1000) * FLOOD_REPORTS;
    for (; reports < due; sent += 1) {
      const value = String(100_000_000 + sent);
      scanner.scan(value);
      reports += reportsOf(value);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  delay.disable();
  let counted = 0;
  for (let look = 0; look < 100 && counted < sent; look += 1) {
    const { accepted, rejected } = await countsOf(node);
    counted = accepted + rejected;
  }
  await node.stop();
  return { counted, sent, loopMs: delay.percentile(99) / 1e6 };
}

/** A round takes some 30 ms, of which the machine may take half. */
const LOOKUP_ROUNDS = 101;

/** Resolutions a second over a table of so many rows, half of the devices unknown to it. */
function lookups(count: number): () => Promise<number> {
  const hex = (number: number) => number.toString(16).padStart(4, '0');
  const rows = Array.from({ length: count }, (_, index): RecipeRow => {
    const ids = { vendorId: hex(index >> 4), productId: hex(index & 15) };
    return { id: `row-${index}`, ...ids, make: 'M', model: 'X', kind: 'printer', codec: 'escpos', options: {} };
  });
  const table = new RecipeTable(rows);
  // The same number of devices, so that what differs is the table and not the processor's caches of the questions.
  const devices = Array.from({ length: 64 }, (_, index) => {
    const known = (index * 7919) % count;
    return { vendorId: hex(known >> 4), productId: index % 2 === 0 ? hex(known & 15) : 'ffff' };
  });
  return async () => {
    const started = performance.now();
    const total = 200_000;
    for (let look = 0; look < total; look += 1) table.resolve(devices[look & 63] ?? { vendorId: '', productId: '' });
    return total / ((performance.now() - started) / 1000);
  };
}

export async function counterBench(bundles: string): Promise<Entry[]> {
  const p99 = await scanToFrame();
  const { counted, sent, loopMs } = await flood();
  const storm = start(`${bundles}/storm-server.mjs`);
  const { before, after } = JSON.parse(await storm.line('storm')) as { before: number; after: number };
  await storm.end();
  const [many, few] = [lookups(10_000), lookups(100)];
  await many();
  await few();
  const looked = await alternate(LOOKUP_ROUNDS, many, few);
  const MB = 2 ** 20;
  return [
    { name: 'scan.p99', ratio: p99 / FRAME_MS, ours: p99, theirs: FRAME_MS, unit: 'ms' },
    { name: 'scan.flood', ratio: counted / sent, ours: counted, theirs: sent, unit: 'reads' },
    { name: 'scan.flood.loop', ratio: loopMs / LOOP_MS, ours: loopMs, theirs: LOOP_MS, unit: 'ms' },
    { name: 'hotplug.storm.rss', ratio: after / before, ours: after / MB, theirs: before / MB, unit: 'MB' },
    { name: 'recipes.lookup', ratio: looked.ours / looked.theirs, ...looked, unit: 'resolutions/s' },
  ];
}
