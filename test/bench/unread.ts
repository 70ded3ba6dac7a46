/** Clients that ask for much on many connections and read nothing, from rest: what the node grows by, and who is served beside them. */
import { connect } from 'node:net';
import { type Entry, percentile, rssOf } from './measure.ts';
import { startTwin } from './twin.ts';

const PATHS = ['/', '/openapi.json', '/twin/paper', '/capture'];
const CONNECTIONS = 256;
/** Requests on each of them, in one write. */
const PIPELINED = 256;
/** Longer than a connection may leave its answers unread. */
const HELD_MS = 25_000;
const GROWTH = 16 * 2 ** 20;
const STATUS_MS = 50;

export async function unreadBench(): Promise<Entry[]> {
  let growth = 0;
  const times: number[] = [];
  for (const path of PATHS) {
    const found = await unread(path);
    growth = Math.max(growth, found.growth);
    times.push(percentile(found.times, 99));
  }
  const slowest = Math.max(...times);
  return [
    { name: 'unread.rss', ratio: growth / GROWTH, ours: growth / 2 ** 20, theirs: GROWTH / 2 ** 20, unit: 'MB' },
    { name: 'unread.status.p99', ratio: slowest / STATUS_MS, ours: slowest, theirs: STATUS_MS, unit: 'ms' },
  ];
}

async function unread(path: string): Promise<{ readonly growth: number; readonly times: readonly number[] }> {
  const { child, port } = await startTwin();
  await pause(2000);
  const before = rssOf(child.pid);
  const times: number[] = [];
  let most = before;
  const requests = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(PIPELINED);
  const sockets = Array.from({ length: CONNECTIONS }, (_, index) => {
    // Others than the one that asks for the status beside them.
    const localAddress = `127.0.0.${2 + (index % 200)}`;
    // Many are closed by the node, which keeps fewer.
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
    socket.pause();
    socket.write(requests);
    return socket;
  });
  for (const until = performance.now() + HELD_MS; performance.now() < until; ) {
    const asked = performance.now();
    await (await fetch(`http://127.0.0.1:${port}/status`)).arrayBuffer();
    times.push(performance.now() - asked);
    most = Math.max(most, rssOf(child.pid));
    await pause(20);
  }
  for (const socket of sockets) socket.destroy();
  await child.end();
  return { growth: most - before, times };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
