/**
 * Debian's CUPS before the node, the spooler of most Linux tills. Its socket backend waits until the node closes, and tries
 * again while it is refused; but how a connection is closed it does not look at once it has sent everything (backend/socket.c
 * of CUPS 2.4, `wait_bc`). So of the job that is in its hands when the plug is pulled it does not learn what other senders do.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';
import { type Cups, noCups, startCups } from './cups.ts';

const CONNECTIONS = 'net.server.socket';
const PLUG_MS = 300;
const PULLED_MS = 20;
const RECEIPT = /receipt \d+\./g;
const receipts = (count: number) => Array.from({ length: count }, (_, job) => `receipt ${job}.`);
/** Bytes of a receipt; its name is the last that is printed of it. */
const bytesOf = (receipt: string) => `${'flat white 3.40\n'.repeat(60)}${receipt}\n`;
/** Pace at which a receipt takes about a third of the time between two pulls. */
const BYTES_A_SECOND = 10_000;

describe.skipIf(noCups)(noCups ? `jobs of CUPS: ${noCups}` : 'jobs of CUPS', () => {
  let node: PrintingNode;
  let cups: Cups;
  beforeEach(async () => {
    node = await startPrintingNode();
    cups = await startCups(node.raw ?? '');
  });
  afterEach(async () => {
    await cups.stop();
    await node.stop();
  });

  /** Queued while the printer is pulled, until CUPS has been refused; gives their numbers. */
  async function queue(jobs: readonly string[]): Promise<readonly number[]> {
    await node.unplug();
    const numbers: number[] = [];
    for (const job of jobs) numbers.push(await cups.print(bytesOf(job)));
    await until(() => cups.refusals() + cups.completed().length > 0);
    expect(cups.completed()).toEqual([]);
    return numbers;
  }

  it('20 wait in its queue while the printer is pulled, and are on paper then, once each and in order', async () => {
    const jobs = receipts(20);
    const numbers = await queue(jobs);
    await node.replug();
    await until(() => cups.completed().length === jobs.length);
    expect(cups.completed()).toEqual(numbers);
    expect(node.printer.paperText().match(RECEIPT)).toEqual(jobs);
  }, 60_000);

  it('are on paper once where the node closed in order, while the printer is pulled and put back every 0.3 s', async () => {
    const jobs = receipts(20);
    node.printer.set({ slow: BYTES_A_SECOND });
    const closedInOrder = new Set<string>();
    const follow = (message: unknown) => {
      const { socket } = message as { socket: Socket };
      if (socket.localPort !== Number(node.raw?.split(':')[1])) return;
      let job = '';
      socket.on('data', (bytes: Buffer) => {
        job += bytes.toString();
      });
      socket.once('close', () => socket.writableFinished && closedInOrder.add(job.match(RECEIPT)?.[0] ?? ''));
    };
    subscribe(CONNECTIONS, follow);
    const numbers = await queue(jobs);
    let paper = '';
    let pulls = 0;
    while (cups.completed().length < jobs.length) {
      await node.replug();
      await delay(PLUG_MS);
      await node.unplug();
      pulls += 1;
      paper += node.printer.paperText();
      node.printer.tearOff();
      await delay(PULLED_MS);
    }
    unsubscribe(CONNECTIONS, follow);
    const printed: readonly string[] = paper.match(RECEIPT) ?? [];
    expect(cups.completed()).toEqual(numbers);
    expect(printed).toEqual(jobs.filter((job) => printed.includes(job)));
    expect([...closedInOrder].filter((job) => !printed.includes(job))).toEqual([]);
    expect(closedInOrder.size).toBeGreaterThan(0);
    // One job at a time is in the hands of a queue.
    expect(jobs.length - printed.length).toBeLessThanOrEqual(pulls);
    expect(pulls).toBeGreaterThan(1);
  }, 240_000);
});
