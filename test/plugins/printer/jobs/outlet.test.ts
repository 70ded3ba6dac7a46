/** The turns of jobs at a printer, how many may wait, and where a status request may stand. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { noMacros } from '../../../../codecs/escpos-macro.ts';
import { Job } from '../../../../plugins/printer/jobs/job.ts';
import { Outlet } from '../../../../plugins/printer/jobs/outlet.ts';
import type { Pace } from '../../../../plugins/printer/jobs/reach.ts';
import type { Holder, Source } from '../../../../plugins/printer/jobs/waiters.ts';
import { WriteFailed } from '../../../../plugins/printer/jobs/write-failed.ts';
import { VirtualPrinter } from '../../../../plugins/printer/virtual/device.ts';
import { plugIn } from '../on-the-bus.ts';

const RECOVERY = { bytes: new Uint8Array(0), reset: undefined };
const POLL = Uint8Array.of(0x10, 4, 1);

/** Takes note of every transfer and when it came. */
class Watched extends VirtualPrinter {
  readonly transfers: { readonly length: number; readonly at: number }[] = [];
  protected override receive(pipe: number, bytes: Uint8Array): number {
    this.transfers.push({ length: bytes.length, at: performance.now() });
    return super.receive(pipe, bytes);
  }
}

async function start(pace: Partial<Pace> = {}) {
  const printer = new Watched();
  const { device, out } = await plugIn(printer);
  const paced = { chunkBytes: 4096, chunkDelayMs: 0, writeTimeoutMs: 1000, ...pace };
  const outlet = new Outlet(device, out, () => paced, RECOVERY, noMacros());
  /** Another job, with nothing before it to make up for. */
  const first: Holder = job();
  await outlet.take(first);
  await outlet.write(new Uint8Array(0), 'asIs');
  printer.tearOff();
  printer.transfers.length = 0;
  return { printer, outlet, first };
}
const job = (from = 'a', by: Source['by'] = 'api', atBoundary = true): Holder => ({
  source: { by, from },
  atBoundary,
});
/** How a promise has ended by now, in turns of the event loop. */
const verdict = (promise: Promise<unknown>) =>
  Promise.race([
    promise.then(
      () => 'resolved',
      (error: unknown) => (error instanceof WriteFailed ? error.fault : String(error)),
    ),
    new Promise((resolve) => setImmediate(() => setImmediate(resolve, 'waits'))),
  ]);

afterEach(() => void vi.useRealTimers());

describe('a turn', () => {
  it('is refused to all who wait for it when the printer goes', async () => {
    const { outlet } = await start();
    const waiting = ['a', 'b', 'b'].map((from) => outlet.take(job(from)));
    expect(await verdict(waiting[2]!)).toBe('waits');
    outlet.close();
    expect(new Set(await Promise.all(waiting.map(verdict)))).toEqual(new Set(['disconnected']));
    expect(await verdict(outlet.take(job()))).toBe('disconnected');
  });

  it('goes to the API and to port 9100 by turns, and within each to its addresses by turns', async () => {
    const { outlet, first } = await start();
    const order: string[] = [];
    const wait = (by: Source['by'], from: string, name: string) => {
      const holder = job(from, by);
      void outlet.take(holder).then(() => {
        order.push(name);
        outlet.leave(holder);
      });
    };
    for (const n of [1, 2, 3]) wait('port9100', 'greedy', `greedy ${n}`);
    for (const n of [1, 2]) wait('port9100', 'till', `till ${n}`);
    for (const n of [1, 2]) wait('api', 'page', `page ${n}`);
    outlet.leave(first);
    await vi.waitFor(() => expect(order).toHaveLength(7));
    expect(order).toEqual(['greedy 1', 'page 1', 'till 1', 'page 2', 'greedy 2', 'till 2', 'greedy 3']);
  });

  it('goes to who waited longest, and that nobody waits any more takes nobody’s place away', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { outlet, first } = await start();
    const [second, third] = [job(), job()];
    const served = outlet.take(second, 50);
    const next = outlet.take(third);
    outlet.leave(first);
    await served;
    vi.advanceTimersByTime(100);
    outlet.leave(second);
    expect([await verdict(next), outlet.holder]).toEqual(['resolved', third]);
  });

  it('that did not come in time is refused, and who gives up in the middle leaves the first its place', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { outlet, first } = await start();
    const [second, third] = [job(), job()];
    const next = outlet.take(second);
    const late = verdict(outlet.take(job(), 50));
    const last = outlet.take(third);
    vi.advanceTimersByTime(50);
    expect(await late).toBe('busy');
    outlet.leave(first);
    expect([await verdict(next), outlet.holder, await verdict(last)]).toEqual(['resolved', second, 'waits']);
  });

  it('that is ended twice does not end that of another', async () => {
    const { outlet, first } = await start();
    const second = job();
    const taken = outlet.take(second);
    outlet.leave(first);
    await taken;
    outlet.leave(first);
    expect(outlet.holder).toBe(second);
    expect(await verdict(outlet.take(job()))).toBe('waits');
  });
});

describe('what is written', () => {
  it('leaves in chunks, with the pause between them', async () => {
    const { printer, outlet } = await start({ chunkBytes: 10, chunkDelayMs: 30 });
    await outlet.write(new Uint8Array(45).fill(0x41), 'asIs');
    expect(printer.transfers.map(({ length }) => length)).toEqual([10, 10, 10, 10, 5]);
    const gaps = printer.transfers.slice(1).map(({ at }, index) => at - (printer.transfers[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(29);
  });

  it('fails with what the printer had taken by then', async () => {
    const { printer, outlet } = await start({ chunkBytes: 64, writeTimeoutMs: 50 });
    printer.misbehave({ disconnectAfter: 100 });
    const failure: unknown = await outlet.write(new Uint8Array(1000).fill(0x41), 'asIs').catch((error) => error);
    expect(failure).toMatchObject({ fault: 'disconnected', written: printer.paperBytes().length });
    expect(outlet.missing).toBe(1000 - printer.paperBytes().length);
  });
});

describe('an outlet that is closed', () => {
  it('sends no other transfer of what is under way, and nothing more', async () => {
    const { printer, outlet } = await start({ chunkBytes: 10, chunkDelayMs: 1 });
    const written = outlet.write(new Uint8Array(50_000).fill(0x41), 'asIs').catch((error: unknown) => error);
    await vi.waitFor(() => expect(printer.transfers).not.toHaveLength(0));
    outlet.close();
    // The transfer that was on its way arrives.
    const failure = await written;
    const taken = printer.paperBytes().length;
    expect(failure).toMatchObject({ fault: 'disconnected', written: taken });
    expect(taken).toBeLessThan(50_000);
    await expect(outlet.write(Uint8Array.of(0x42), 'asIs')).rejects.toMatchObject({ fault: 'disconnected' });
    expect(await verdict(outlet.kick(Uint8Array.of(0x1b, 0x70, 0, 60, 120), 1000))).toBe('disconnected');
    expect(printer.paperBytes()).toHaveLength(taken);
  });
});

describe('the pace of a printer', () => {
  it('is kept between two writes, too, and a kick goes out between two transfers', async () => {
    const { printer, outlet, first } = await start({ chunkBytes: 64, chunkDelayMs: 20 });
    outlet.leave(first);
    const receipt = new Job(outlet, 'print', 'a');
    await receipt.begin();
    const written = receipt.write(Buffer.from(`${'a'.repeat(63)}\n`.repeat(20)));
    const { transfers } = printer;
    await vi.waitFor(() => expect(transfers.length).toBeGreaterThan(2), { interval: 1 });
    const before = transfers.length;
    await outlet.kick(Uint8Array.of(0x1b, 0x70, 0, 60, 120), 1000);
    expect(transfers.length).toBeLessThanOrEqual(before + 2);
    await written;
    const chunks = transfers.filter(({ length }) => length !== 5);
    expect(chunks.map(({ length }) => length)).toEqual(Array(20).fill(64));
    const gaps = chunks.slice(1).map(({ at }, index) => at - chunks[index]!.at);
    expect(Math.min(...gaps)).toBeGreaterThan(18);
  });
});

it('the pace of a printer is not slowed down by a kick', async () => {
  // Before the first transfer: what the outlet keeps of its time is of this clock.
  vi.useFakeTimers({ toFake: ['performance'] });
  const { outlet, first } = await start({ chunkDelayMs: 60 });
  outlet.leave(first);
  const receipt = new Job(outlet, 'print', 'a');
  await receipt.begin();
  await receipt.write(Buffer.from('a\n'));
  vi.advanceTimersByTime(40);
  await outlet.kick(Uint8Array.of(0x1b, 0x70, 0, 60, 120), 1000);
  expect(outlet.reach.leftMs).toBe(20);
  await receipt.end();
});

it('a pace of long pauses leaves a receipt in as few transfers as the pace says, and a kick does not wait for it', async () => {
  const { printer, outlet, first } = await start({ chunkBytes: 4096, chunkDelayMs: 60 });
  outlet.leave(first);
  for (const _ of [1, 2, 3]) {
    printer.transfers.length = 0;
    const receipt = new Job(outlet, 'print', 'a');
    await receipt.begin();
    await receipt.write(Buffer.from(`${'a'.repeat(40)}\n`.repeat(300)));
    await receipt.end();
    expect(printer.transfers.length).toBeLessThanOrEqual(5);
  }
});

describe('a status request', () => {
  it('stands in no command of a job, and comes as soon as that has ended', async () => {
    const { printer, outlet, first } = await start();
    outlet.leave(first);
    const inside = job('a', 'port9100', false);
    await outlet.take(inside);
    const asked = outlet.poll(POLL, () => {});
    expect(await verdict(asked)).toBe('waits');
    expect(printer.paperBytes()).toHaveLength(0);
    expect(await verdict(outlet.poll(POLL, () => {}))).toBe('busy');
    outlet.leave(inside);
    await asked;
    expect([...printer.paperBytes()]).toEqual([...POLL]);
  });

  it('that waits is refused when the printer goes', async () => {
    const { outlet, first } = await start();
    outlet.leave(first);
    await outlet.take(job('a', 'port9100', false));
    const asked = outlet.poll(POLL, () => {});
    outlet.close();
    expect(await verdict(asked)).toBe('disconnected');
    expect(await verdict(outlet.poll(POLL, () => {}))).toBe('busy');
  });
});

describe('the end of the jobs in hand', () => {
  it('is waited for until nobody has a turn, and no longer than was asked', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { outlet, first } = await start();
    const [short, long] = [outlet.drained(10), outlet.drained(1000)];
    expect(await verdict(short)).toBe('waits');
    vi.advanceTimersByTime(10);
    expect([await verdict(short), await verdict(long)]).toEqual(['resolved', 'waits']);
    outlet.leave(first);
    expect([await verdict(long), vi.getTimerCount()]).toEqual(['resolved', 0]);
    expect(await verdict(outlet.drained(1000))).toBe('resolved');
  });
});
