/** The last 24 hours of GET /jobs: receipts, what did not come out, and what stood in the way, by the hour. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DayHour } from '../../../runtime/services/jobs/contract.ts';
import { Day } from '../../../runtime/services/jobs/day.ts';
import { startPrintingNode, until } from '../../node.ts';

const HOUR_MS = 3_600_000;
const LINES = [{ type: 'text', value: 'x' }];

describe('the view of the last 24 hours', () => {
  it('has the receipts of the API and of port 9100, and the jobs that failed, in the hour of now', async () => {
    const node = await startPrintingNode();
    onTestFinished(() => node.stop());
    const day = async () => (await node.get<{ day: DayHour[] }>('/jobs')).body.day;
    expect(await day()).toEqual([{ startedAgoMs: expect.any(Number), receipts: 0, failed: 0, trouble: [] }]);
    await node.print(LINES);
    const socket = await node.dial();
    socket.end('two\n');
    await new Promise((resolve) => socket.resume().once('end', resolve));
    await until(async () => (await day())[0]?.receipts === 2);
    node.printer.set({ paper: 'out' });
    await until(async () => (await day())[0]?.trouble.length === 1);
    await node.unplug();
    await node.print(LINES);
    expect(await day()).toMatchObject([{ receipts: 2, failed: 1, trouble: ['paper_out', 'unplugged'] }]);
  });

  it('is another by the number `changes` of status and list, which stays the same while nothing new is to be read', async () => {
    const node = await startPrintingNode();
    onTestFinished(() => node.stop());
    const told = async () => (await node.get<{ jobs: { changes: number } }>('/status')).body.jobs.changes;
    const listed = async () => (await node.get<{ changes: number }>('/jobs')).body.changes;
    const changes = [await told()];
    const isAnother = async () => {
      const now = await told();
      expect(changes).not.toContain(now);
      expect([await listed(), await told()]).toEqual([now, now]);
      changes.push(now);
    };
    expect([await listed(), await told()]).toEqual([...changes, ...changes]);
    await node.print(LINES);
    await isAnother();
    node.printer.set({ cover: 'open' });
    await until(async () => (await told()) !== changes.at(-1));
    await isAnother();
    await node.unplug();
    await until(async () => (await told()) !== changes.at(-1));
    await node.print(LINES);
    await isAnother();
  });

  it('counts no command of another device among what did not come out', async () => {
    const node = await startPrintingNode();
    onTestFinished(() => node.stop());
    const jobs = node.kernel.offered('jobs');
    for (const endpoint of ['scanner', 'receipt'])
      jobs?.begin({ kind: 'raw', endpoint, from: 'node' }).end({ error: 'write_failed' });
    expect((await node.get<{ day: DayHour[] }>('/jobs')).body.day).toMatchObject([{ failed: 1 }]);
  });

  it('says that a printer was pulled out', async () => {
    const node = await startPrintingNode();
    onTestFinished(() => node.stop());
    await node.unplug();
    await until(
      async () => (await node.get<{ day: DayHour[] }>('/jobs')).body.day[0]?.trouble.includes('unplugged') === true,
    );
  });

  it('keeps 24 hours, also those in which nothing came', () => {
    let now = 5000;
    const day = new Day(() => now);
    day.printed(3);
    now += 2 * HOUR_MS;
    day.failed();
    expect(day.view()).toEqual([
      { startedAgoMs: 0, receipts: 0, failed: 1, trouble: [] },
      { startedAgoMs: HOUR_MS, receipts: 0, failed: 0, trouble: [] },
      { startedAgoMs: 2 * HOUR_MS, receipts: 3, failed: 0, trouble: [] },
    ]);
    now += 30 * HOUR_MS + 1000;
    const view = day.view();
    expect(view).toHaveLength(24);
    expect(view.every(({ receipts, failed }) => receipts + failed === 0)).toBe(true);
    expect(view.at(-1)?.startedAgoMs).toBe(23 * HOUR_MS + 1000);
  });

  it('has what lasts in each hour, until it is over', () => {
    let now = 0;
    const day = new Day(() => now);
    day.tell('receipt', ['paper_out']);
    now += 2 * HOUR_MS;
    day.tell('receipt', []);
    now += HOUR_MS;
    expect(day.view().map(({ trouble }) => trouble)).toEqual([[], ['paper_out'], ['paper_out'], ['paper_out']]);
  });
});
