/** How old jobs are, whatever becomes of the clock of the machine. */
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Journal } from '../../runtime/pull/journal.ts';
import { LongAnswer } from '../../runtime/pull/long-answer.ts';
import type { Machine } from '../../runtime/pull/machine.ts';
import { until } from '../node.ts';
import { startPull, stateFolder } from './pulling.ts';
import { eposPrint, requestInfo } from './servers.ts';
import { receipt, startTill, type Till } from './till.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const commands = [{ type: 'print' as const, lines: [{ type: 'text' as const, value: 'a' }] }];

const setClock = (forwardMs: number) => vi.setSystemTime(Date.now() + forwardMs);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => void vi.useRealTimers();
});

/** A machine that runs on as it is told, and starts anew. */
function machineOf() {
  let [run, up, isSet] = [1, 1000, true];
  const machine = (): Machine => ({ run: `start ${run}`, upMs: () => up, isClockSet: () => isSet });
  const passes = (ms: number) => {
    up += ms;
    setClock(ms);
  };
  const startAnew = (clockIsSet: boolean) => {
    [run, up, isSet] = [run + 1, 500, clockIsSet];
  };
  return { machine, passes, startAnew };
}
const opened = (folder: string, machine: Machine) => {
  const journal = new Journal(folder, machine);
  onTestFinished(() => journal.close());
  return journal;
};

describe('the age of a job', () => {
  it.each([2 * HOUR_MS, -DAY_MS])('stays when the clock is set by %i ms, also over a start of the program', (ms) => {
    const { machine, passes } = machineOf();
    const folder = stateFolder();
    const first = opened(folder, machine());
    first.take([{ id: '1', commands }]);
    setClock(ms);
    passes(5000);
    for (const journal of [first, opened(folder, machine())])
      expect(journal.open().map((job) => journal.ageMs(job))).toEqual([5000]);
  });

  it('is that of its answer, which waited on the disk while the clock was set', async () => {
    const { machine, passes } = machineOf();
    const folder = stateFolder();
    const first = opened(folder, machine());
    const answer = Buffer.from(requestInfo([eposPrint('1', '<text>a</text>')]));
    await new LongAnswer(folder, first).received(async (overflow) => overflow(answer, 'text/xml'));
    setClock(2 * HOUR_MS);
    passes(5000);
    const second = opened(folder, machine());
    const long = new LongAnswer(folder, second);
    onTestFinished(() => long.close());
    const portion = await long.next();
    second.take([{ id: '1', commands }], portion?.from);
    expect(second.open().map((job) => second.ageMs(job))).toEqual([5000]);
  });

  it('is that of the clock over a start of the machine, where that is set and was not set back', () => {
    const { machine, startAnew } = machineOf();
    const folder = stateFolder();
    opened(folder, machine()).take([{ id: '1', commands }]);
    const age = () => {
      const journal = opened(folder, machine());
      return journal.open().map((job) => journal.ageMs(job));
    };
    startAnew(true);
    setClock(5000);
    expect(age()).toEqual([5000]);
    startAnew(false);
    expect(age()).toEqual([undefined]);
    startAnew(true);
    setClock(-HOUR_MS);
    expect(age()).toEqual([undefined]);
  });
});

describe('a job of which nobody knows the age', () => {
  let till: Till;
  beforeEach(async () => {
    till = await startTill();
    return till.stop;
  });

  it('that was printed under a clock behind by 300 days is not printed again when it comes again', async () => {
    setClock(-300 * DAY_MS);
    till.server.queue.push(receipt('a'));
    const first = await startPull(till.options);
    await until(() => till.server.heard.length === 1);
    await first.stop();
    setClock(300 * DAY_MS);
    till.server.queue.push(receipt('a'));
    await startPull(till.options, [], first.state);
    await until(() => till.server.heard.length === 2);
    expect([till.times('a'), till.server.heard.map(({ success }) => success)]).toEqual([1, [true, true]]);
  });
});

it('a job is remembered for a day in which the machine runs, over its starts', () => {
  const { machine, passes, startAnew } = machineOf();
  const folder = stateFolder();
  const first = opened(folder, machine());
  first.take([{ id: '1', commands }]);
  first.end(first.open()[0]!, {});
  first.markReported(first.unreported()[0]!);
  const isNew = () => opened(folder, machine()).take([{ id: '1', commands }]) > 0;
  passes(20 * HOUR_MS);
  opened(folder, machine());
  startAnew(true);
  setClock(300 * DAY_MS);
  expect(isNew()).toBe(false);
});
