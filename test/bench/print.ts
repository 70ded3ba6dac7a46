/** POST /print to the virtual sink, beside a bare server and beside what people build today. */
import { type Child, start } from '../child.ts';
import { alternate, type Entry, post, requestsPerSecond } from './measure.ts';
import { printCommand } from './receipt.ts';
import { startTwin } from './twin.ts';

const REQUESTS = 12_000;
const ROUNDS = 5;

export async function printBench(bundles: string): Promise<Entry[]> {
  const request = post('/print', printCommand());
  // One id at a time is in flight on each connection; the twin refuses a second of the same.
  const twin = await startTwin();
  const bare = start(`${bundles}/bare-http-server.mjs`);
  const express = start(`${bundles}/express-server.mjs`);
  const children: Child[] = [twin.child, bare, express];
  try {
    const barePort = Number(await bare.line('port'));
    const expressPort = Number(await express.line('port'));
    const rate = (port: number, total: number) => () => requestsPerSecond(port, request, total, 1);
    await rate(twin.port, 4000)();
    await rate(barePort, 4000)();
    await rate(expressPort, 1000)();
    const overBare = await alternate(ROUNDS, rate(twin.port, REQUESTS), rate(barePort, REQUESTS));
    const overExpress = await alternate(ROUNDS, rate(twin.port, REQUESTS), rate(expressPort, REQUESTS / 4));
    return [
      { name: 'print.vs.bare-http', ratio: overBare.ours / overBare.theirs, ...overBare, unit: 'requests/s' },
      { name: 'print.vs.express', ratio: overExpress.ours / overExpress.theirs, ...overExpress, unit: 'requests/s' },
    ];
  } finally {
    for (const child of children) await child.end();
  }
}
