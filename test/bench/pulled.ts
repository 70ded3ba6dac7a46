/** The bars of printing and of the drawer, on a node for which `tillnode pull` prints ten images a second meanwhile; and its memory. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../child.ts';
import { kicksAt } from './drawer.ts';
import { alternate, type Entry, post, requestsPerSecond, rssOf } from './measure.ts';
import { printCommand } from './receipt.ts';
import { startTwin } from './twin.ts';

const REQUESTS = 12_000;
const MB = 1024 * 1024;
/** The program, behind some hundreds of images. */
const RSS_BYTES = 60 * MB;
const ROUNDS = 5;
/** To their answers, on a node of its own process: of 4,000 some come beside each of dozens of images. Compiled by then. */
const KICKS = { kicks: 4000, warmUp: 4000 };
/** Niceness of the client, as its unit has it (CPUWeight=10), and of the till, which is elsewhere: a tenth of what the node gets (sched(7)). */
const NICE = 10;

export async function pulledBench(bundles: string): Promise<Entry[]> {
  const request = post('/print', printCommand());
  const twin = await startTwin();
  const bare = start(`${bundles}/bare-http-server.mjs`);
  const client = await pulling(bundles, `http://127.0.0.1:${twin.port}`);
  try {
    const drawer = await kicksAt(twin.port, 'pulled.drawer.p99', KICKS);
    const barePort = Number(await bare.line('port'));
    const rate = (port: number, total: number) => () => requestsPerSecond(port, request, total, 1);
    await rate(twin.port, 4000)();
    await rate(barePort, 4000)();
    const overBare = await alternate(ROUNDS, rate(twin.port, REQUESTS), rate(barePort, REQUESTS));
    return [
      { name: 'pulled.print.vs.bare-http', ratio: overBare.ours / overBare.theirs, ...overBare, unit: 'requests/s' },
      drawer,
      {
        name: 'pulled.rss',
        ratio: client.rss() / RSS_BYTES,
        ours: client.rss() / MB,
        theirs: RSS_BYTES / MB,
        unit: 'MB',
      },
    ];
  } finally {
    await client.end();
    for (const child of [twin.child, bare]) await child.end();
  }
}

/** A hosted till and the program that asks it; resolves when it has asked once. */
async function pulling(
  bundles: string,
  node: string,
): Promise<{ readonly rss: () => number; readonly end: () => Promise<void> }> {
  const state = mkdtempSync(join(tmpdir(), 'tillnode-bench-'));
  const till = start(`${bundles}/till-server.mjs`);
  const server = `http://127.0.0.1:${Number(await till.line('port'))}/`;
  const args = ['--server', server, '--protocol', 'sdp', '--node', node, '--state', state, '--every', '1'];
  const client = start('dist/twin/pull.js', args);
  for (const { pid } of [till, client]) setPriority(pid, NICE);
  await once(client.process.stdout!, 'data');
  const end = async () => {
    await client.end();
    await till.end();
    rmSync(state, { recursive: true });
  };
  return { rss: () => rssOf(client.pid), end };
}
