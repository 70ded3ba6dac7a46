/** Clients that keep a printer of port 9100, by a clock that a test moves. */
import type { Socket } from 'node:net';
import { afterEach, beforeEach, vi } from 'vitest';
import { type PrintingNode, startPrintingNode, until } from '../../../node.ts';

/** The address of another client. */
export const ANOTHER = '127.0.0.2';
const STEP_MS = 100;

/** How many milliseconds pass until it is done, with the clock in steps; Infinity where a minute is too short. */
export async function passes(
  done: () => boolean,
  meanwhile: (ms: number) => void | Promise<void> = () => {},
): Promise<number> {
  for (let ms = 0; ms < 60_000; ms += STEP_MS) {
    // What has begun comes to its end, over sockets of this process.
    for (let round = 0; round < 30; round += 1) {
      if (done()) return ms;
      await new Promise(setImmediate);
    }
    await meanwhile(ms);
    await vi.advanceTimersByTimeAsync(STEP_MS);
  }
  return Number.POSITIVE_INFINITY;
}

/** A node for each test of a file: its printer has been read, and timers stand still until the test moves them. */
export function heldPrinter() {
  let node: PrintingNode;
  beforeEach(async () => {
    node = await startPrintingNode();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    // A reading by the clock of this test.
    await node.kernel.bound('printer', 'receipt')?.refresh();
    node.printer.tearOff();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await node.stop();
  });

  const onPaper = (words: string) => until(() => Buffer.from(node.printer.paperBytes()).includes(words, 'latin1'));
  const taken = async () => (await node.get<{ raw: { bytes: number } }>('/status')).body.raw.bytes;

  /** A client that prints this, and then keeps its socket. */
  async function holder(bytes: string, seen = bytes): Promise<Socket> {
    const socket = await node.dial();
    socket.on('error', () => {});
    socket.resume();
    socket.write(bytes, 'latin1');
    await onPaper(seen);
    return socket;
  }

  /** Another till that waits with its receipt: how many milliseconds pass until it is on paper. The clock goes in steps. */
  async function waits(meanwhile: (ms: number) => void | Promise<void> = () => {}): Promise<number> {
    const before = await taken();
    const till = await node.dial(ANOTHER);
    till.on('error', () => {});
    till.resume();
    till.end('another receipt\n');
    await until(async () => (await taken()) > before);
    return passes(() => Buffer.from(node.printer.paperBytes()).includes('another receipt'), meanwhile);
  }

  return {
    get node() {
      return node;
    },
    onPaper,
    taken,
    holder,
    waits,
  };
}
