/** Port 9100: throughput beside p910nd, memory, and DLE EOT while a job prints. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../child.ts';
import { alternate, type Entry, open, percentile, rssOf } from './measure.ts';
import { readyMade } from './receipt.ts';
import { startTwin } from './twin.ts';

const MB = 1024 * 1024;
const ROUNDS = 5;
const STATUS_QUERIES = 400;

/** Sends whole receipts until `total` bytes are out and the server has closed its side. Seconds. */
async function push(port: number, receipts: Buffer, total: number): Promise<number> {
  const socket = await open(port);
  socket.resume();
  const started = performance.now();
  for (let sent = 0; sent < total; sent += receipts.length) {
    if (!socket.write(receipts)) await once(socket, 'drain');
  }
  socket.end();
  await once(socket, 'close');
  return (performance.now() - started) / 1000;
}

/** p910nd copies to a pipe that another process empties. Its port is 9100 plus a digit. */
async function withP910nd<T>(run: (port: number) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'tillnode-p910nd-'));
  const pipe = join(directory, 'printer');
  execFileSync('mkfifo', [pipe]);
  mkdirSync('/var/lock/p910nd', { recursive: true });
  const drain = spawn('sh', ['-c', `exec cat "${pipe}" > /dev/null`], { stdio: 'ignore' });
  // Opened for reading and writing, the pipe never ends while jobs come and go.
  const hold = spawn('sh', ['-c', `exec sleep 600 <> "${pipe}"`], { stdio: 'ignore' });
  const daemon = start('', ['-d', '-i', '127.0.0.1', '-f', pipe, '9'], 'p910nd');
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        (await open(9109)).destroy();
        break;
      } catch (error) {
        if (attempt > 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    return await run(9109);
  } finally {
    daemon.process.kill('SIGKILL');
    drain.kill('SIGKILL');
    hold.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

export async function rawBench(bundles: string): Promise<Entry[]> {
  const one = Buffer.from(readyMade());
  const receipts = Buffer.concat(Array.from({ length: Math.ceil(MB / one.length) }, () => one));
  const twin = await startTwin();
  const node = start(`${bundles}/raw-server.mjs`);
  try {
    const ourPort = Number(await node.line('raw'));
    const speed = await withP910nd(async (theirPort) => {
      await push(ourPort, receipts, 16 * MB);
      await push(theirPort, receipts, 16 * MB);
      const rate = (port: number) => async () => 64 / (await push(port, receipts, 64 * MB));
      return alternate(ROUNDS, rate(ourPort), rate(theirPort));
    });
    await push(twin.rawPort, receipts, 16 * MB);
    const before = rssOf(twin.child.pid);
    await push(twin.rawPort, receipts, 256 * MB);
    const growth = Math.max(0, rssOf(twin.child.pid) - before);
    const statusMs = await statusWhilePrinting(twin.port, twin.rawPort, receipts);
    return [
      { name: 'raw.vs.p910nd', ratio: speed.ours / speed.theirs, ...speed, unit: 'MB/s' },
      { name: 'raw.rss', ratio: growth / (16 * MB), ours: growth / MB, theirs: 16, unit: 'MB' },
      { name: 'status9100.p99', ratio: statusMs / 150, ours: statusMs, theirs: 150, unit: 'ms' },
    ];
  } finally {
    await node.end();
    await twin.child.end();
  }
}

/** p99 of DLE EOT 4, asked on another connection while 5 MB print at a printer's pace. */
async function statusWhilePrinting(port: number, rawPort: number, receipts: Buffer): Promise<number> {
  const bench = `http://127.0.0.1:${port}/twin/printer`;
  const slow = (bytesPerSecond: number) =>
    fetch(bench, { method: 'PUT', body: JSON.stringify({ slow: bytesPerSecond }) });
  await slow(1_000_000);
  const job = push(rawPort, receipts, 5 * MB);
  const asking = await open(rawPort);
  const times: number[] = [];
  for (let query = 0; query < STATUS_QUERIES; query += 1) {
    const asked = performance.now();
    asking.write(Uint8Array.of(0x10, 0x04, 0x04));
    await once(asking, 'data');
    times.push(performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
  asking.destroy();
  await slow(0);
  await job;
  return percentile(times, 99);
}
