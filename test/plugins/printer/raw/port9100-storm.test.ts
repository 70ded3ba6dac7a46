/** Jobs while the printer is pulled out and put back without end: what is called done is on paper, once. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode } from '../../../node.ts';

const CLIENTS = 20;
const JOBS = 2000;
const PLUG_MS = 300;
const AGAIN_MS = 20;
/** Jobs that nobody has begun are kept by their sender, as spoolers do. */
type Outcome = 'done' | 'failed' | 'held';
type Way = (job: number) => Promise<Outcome>;

let node: PrintingNode;
afterEach(() => node.stop());

const textOf = (job: number) => `job ${String(job).padStart(4, '0')}.`;

/** Waits for the node to close its side: in order, it is done. */
function send(job: number): Promise<Outcome> {
  const [host = '', port = ''] = (node.raw ?? '').split(':');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' ? 'held' : 'failed'));
    socket.once('end', () => resolve('done'));
    socket.resume();
    socket.end(`${textOf(job)}\n`);
  });
}

async function print(job: number): Promise<Outcome> {
  // A kept connection that the node closes as the request leaves tells nothing.
  const { status, body } = await node
    .print([{ type: 'text', value: textOf(job) }])
    .catch(() => ({ status: 0, body: {} as Record<string, unknown> }));
  if (status === 200) return 'done';
  return body['error'] === 'no_printer' ? 'held' : 'failed';
}

describe('a printer that is pulled out and put back every 0.3 s', () => {
  it(`has what was called done of ${JOBS} jobs from ${CLIENTS} clients on its paper, once`, async () => {
    node = await startPrintingNode();
    const { refused } = node.kernel.status()['raw'] as { refused: number };
    const outcomes = new Map<number, Outcome>();
    const ways = new Map<number, Way>();
    let next = 0;
    const client = async (way: Way) => {
      while (next < JOBS) {
        const job = next++;
        ways.set(job, way);
        for (;;) {
          const outcome = await way(job);
          outcomes.set(job, outcome);
          if (outcome !== 'held') break;
          await delay(AGAIN_MS);
        }
      }
    };
    let raging = true;
    let paper = '';
    const tearOff = () => {
      paper += node.printer.paperText();
      node.printer.tearOff();
    };
    const plug = async () => {
      while (raging) {
        await delay(PLUG_MS);
        await node.unplug();
        tearOff();
        await delay(PLUG_MS);
        await node.replug();
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, index) => client(index % 4 === 0 ? print : send));
    const all = Promise.all(clients).finally(() => {
      raging = false;
    });
    await Promise.all([all, plug()]);
    tearOff();
    const times = (job: number) => paper.split(textOf(job)).length - 1;
    const of = (wanted: Outcome) => [...outcomes].filter(([, outcome]) => outcome === wanted).map(([job]) => job);
    expect(of('done').filter((job) => times(job) !== 1)).toEqual([]);
    expect(of('failed').filter((job) => times(job) > 1)).toEqual([]);
    expect(outcomes.size).toBe(JOBS);
    for (const way of [print, send]) {
      const done = of('done').filter((job) => ways.get(job) === way);
      expect(done.length).toBeGreaterThan(JOBS / 20);
    }
    expect((node.kernel.status()['raw'] as { refused: number }).refused).toBeGreaterThan(refused);
  }, 240_000);
});
