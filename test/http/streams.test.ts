import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LiveStream, StreamSlots } from '../../runtime/http/streams.ts';
import { unacknowledgedBytes } from '../../runtime/http/unacknowledged.ts';

/** Both ends of a connection over the loopback; the far end does not read until it is resumed. */
async function pair(host = '127.0.0.1'): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const far = connect((server.address() as { port: number }).port, host);
  const [near] = (await once(server, 'connection')) as [Socket];
  for (const socket of [near, far]) socket.on('error', () => {});
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return { near, far };
}

const frame = Buffer.alloc(16_384);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** More than can be under way to a loopback peer that still takes bytes. */
const STUCK_BYTES = 256 * 1024;

/** A closed window is probed at least this often at first (RFC 9293, 3.8.6.1; 200 ms on Linux). */
const PROBE_MS = 500;

/** Sends until the far end's kernel takes no more and bytes stay unacknowledged in this one; at most 16 MiB. */
async function fill(near: Socket, send: (frame: Buffer) => unknown) {
  for (let n = 0; unacknowledgedBytes(near) <= STUCK_BYTES; n++) {
    if (n === 1024) throw new Error('the far end took everything');
    send(frame);
    await turn();
  }
  // What is under way may still make room for a little more.
  for (let before = -1, now = 0; before !== now; now = unacknowledgedBytes(near)) {
    before = now;
    await delay(PROBE_MS);
  }
}

describe('the slots', () => {
  it('are four, each given back once', () => {
    const slots = new StreamSlots();
    const taken = [slots.take(), slots.take(), slots.take(), slots.take()];
    expect([slots.free, slots.take()]).toEqual([0, undefined]);
    taken[0]?.release();
    taken[0]?.release();
    expect(slots.free).toBe(1);
  });
});

describe('unacknowledged bytes', () => {
  it.each(['127.0.0.1', '::1'])('are told of a peer that does not read, and gone once it does (%s)', async (host) => {
    const { near, far } = await pair(host);
    await fill(near, (bytes) => near.write(bytes));
    expect(unacknowledgedBytes(far)).toBe(0);
    far.resume();
    await vi.waitFor(() => expect(unacknowledgedBytes(near)).toBe(0));
  });
});

describe('a live stream', () => {
  async function live() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { near, far } = await pair();
    const slots = new StreamSlots();
    const stream = new LiveStream({ socket: near } as IncomingMessage, slots.take()!);
    stream.on('error', () => {}).pipe(near);
    return { near, far, slots, stream };
  }

  it('is dropped within 30 s when its reader acknowledges nothing', async () => {
    const { near, slots, stream } = await live();
    await fill(near, (bytes) => stream.backlog === 0 && stream.send(bytes));
    vi.advanceTimersByTime(15_000);
    expect(stream.destroyed).toBe(false);
    vi.advanceTimersByTime(15_000);
    expect(stream.destroyed).toBe(true);
    expect(slots.free).toBe(4);
  });

  it('stays with a reader that reads, and with one that nothing is sent to', async () => {
    const { far, stream } = await live();
    vi.advanceTimersByTime(120_000);
    expect(stream.destroyed).toBe(false);
    far.resume();
    for (let n = 0; n < 20; n++) {
      stream.send(frame);
      await once(far, 'data');
      vi.advanceTimersByTime(10_000);
    }
    expect(stream.destroyed).toBe(false);
  });

  it('gives its slot back when its connection has closed, also where its response never had its turn on it', async () => {
    const { near, slots, stream } = await live();
    near.destroy();
    vi.advanceTimersByTime(15_000);
    expect([stream.destroyed, slots.free]).toEqual([true, 4]);
  });

  it('queues 64 KiB for its reader and not a byte more', async () => {
    const { stream } = await live();
    stream.unpipe();
    for (let n = 0; n < 4; n++) stream.send(frame);
    expect([stream.backlog, stream.destroyed]).toEqual([65_536, false]);
    stream.send(Buffer.alloc(1));
    expect(stream.destroyed).toBe(true);
  });
});
