/** Connections that wait to be let in, behind others. */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { watchDoor } from '../../runtime/fleet/ingest/door.ts';
import { until } from '../node.ts';

/** A server whose door is watched; `isOpen`: it lets in who comes. */
async function noted(isOpen: boolean): Promise<{ come(): Promise<void>; notes: () => number }> {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = createServer();
  let guests = 0;
  let notes = 0;
  if (isOpen) server.on('connection', () => (guests += 1));
  watchDoor(server, { note: () => (notes += 1) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // Nobody accepts: who connects waits in the kernel.
  if (!isOpen) server.emit = () => true;
  return {
    notes: () => notes,
    async come() {
      const before = guests;
      vi.advanceTimersByTime(1000);
      if (isOpen) await until(() => guests > before);
    },
  };
}

it.each([
  [true, 0],
  [false, 1],
])(
  'a process that lets in who comes (%s) is in no trouble; one that does not for five seconds is',
  async (isOpen, least) => {
    const { come, notes } = await noted(isOpen);
    for (let second = 0; second < 8; second += 1) await come();
    if (least === 0) expect(notes()).toBe(0);
    else expect(notes()).toBeGreaterThanOrEqual(least);
  },
);
