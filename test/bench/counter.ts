/** The rest of the counter: scans under load, plugs that come and go, recipe look-ups. */
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { VirtualWedgeScanner } from '../../plugins/scanner/virtual-wedge.ts';
import { startTestNode, type TestNode } from '../../runtime/node/testing.ts';
import type { RecipeRow } from '../../runtime/recipes/row.ts';
import { RecipeTable } from '../../runtime/recipes/table.ts';
import { start } from '../child.ts';
import { wifiPlugins } from '../plugins.ts';
import { alternate, type Entry, median, percentile } from './measure.ts';

const SCANS = 500;
const SCAN_ROUNDS = 9;
const FLOOD_SECONDS = 10;
const FLOOD_REPORTS = 10_000;
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

/** A client of a stream of events; `next` resolves at the next frame of this event. */
async function listening(url: string, event: string) {
  const request = get(url);
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
  let seen: () => void = () => {};
  response.on('data', (chunk: Buffer) => {
    if (chunk.includes(`event: ${event}`)) seen();
  });
  const next = () =>
    new Promise<void>((resolve) => {
      seen = resolve;
    });
  return { next, end: () => request.destroy() };
}

/** As long as that of a scan. */
const FRAME = `event: scan_read\ndata: ${JSON.stringify({ filler: 'x'.repeat(240) })}\n\n`;

/**
 * Milliseconds to a frame at an SSE client: p99 from the last report of a scan, and from a server that does nothing but
 * write one. Both wake the same sockets of this process, each scan in turn with a bare frame. The median of some rounds: in
 * one, another program of this computer decides what the slowest of a hundred was.
 */
async function scanToFrame(): Promise<{ ours: number; theirs: number }> {
  const { node, scanner } = await scanningNode();
  const scans = await listening(`${node.url}/events`, 'scan_read');
  let write: (frame: string) => void = () => {};
  const bare = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    write = (frame) => response.write(frame);
  }).listen(0, '127.0.0.1');
  await once(bare, 'listening');
  const frames = await listening(`http://127.0.0.1:${(bare.address() as AddressInfo).port}/`, 'scan_read');
  const p99s = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < SCAN_ROUNDS; round += 1) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let scan = 0; scan < SCANS; scan += 1) {
      const read = scans.next();
      scanner.scan(String(100_000_000 + scan));
      await read;
      ours.push(performance.now() - scanner.takenAt);
      const frame = frames.next();
      const written = performance.now();
      write(FRAME);
      await frame;
      theirs.push(performance.now() - written);
    }
    p99s.ours.push(percentile(ours, 99));
    p99s.theirs.push(percentile(theirs, 99));
  }
  scans.end();
  frames.end();
  bare.close();
  await node.stop();
  return { ours: median(p99s.ours), theirs: median(p99s.theirs) };
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
  const scan = await scanToFrame();
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
    { name: 'scan.p99', ratio: scan.ours / scan.theirs, ...scan, unit: 'ms' },
    { name: 'scan.flood', ratio: counted / sent, ours: counted, theirs: sent, unit: 'reads' },
    { name: 'scan.flood.loop', ratio: loopMs / LOOP_MS, ours: loopMs, theirs: LOOP_MS, unit: 'ms' },
    { name: 'hotplug.storm.rss', ratio: after / before, ours: after / MB, theirs: before / MB, unit: 'MB' },
    { name: 'recipes.lookup', ratio: looked.ours / looked.theirs, ...looked, unit: 'resolutions/s' },
  ];
}
