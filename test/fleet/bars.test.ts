/** What the bar beside neighbours says where they, or the machine, keep heartbeats waiting. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { Bars } from './bars.ts';
import { othersBetween, spentBy } from './beside/machine.ts';

const TIMES = { stay: 0, control: 0, settle: 0 };
const sent = 1000;
const OUTCOMES = {
  prompt: { sent, answered: 1000, prompt: 999, p99Ms: 20 },
  late: { sent, answered: 1000, prompt: 998, p99Ms: 1200 },
  refused: { sent, answered: 998, prompt: 998, p99Ms: 20 },
} as const;
type Outcome = keyof typeof OUTCOMES;

/** What comes of one neighbour: before him, beside him, what he left behind, after him; and so on where he comes again. */
async function judged(...outcomes: readonly Outcome[]) {
  return judgedBeside(0, ...outcomes);
}
/** The same, while others have this part of the processors. */
async function judgedBeside(others: number, ...outcomes: readonly Outcome[]) {
  const lines: string[] = [];
  const rest = [...outcomes];
  let times = 0;
  const bars = new Bars(
    { look: async () => OUTCOMES[rest.shift() ?? 'refused'] },
    TIMES,
    (line) => lines.push(line),
    () => () => others,
  );
  await bars.measure('downloads', async () => {
    times += 1;
    return async () => {};
  });
  expect(rest).toEqual([]);
  const { unanswered, late, unknown } = bars;
  return { times, unanswered, late, unknown, said: lines.join(' | ') };
}
const NONE = { unanswered: [], late: [], unknown: [] };
const OF = ['downloads'];

it('a neighbour beside whom heartbeats are late is at fault where they are not before and after him', async () => {
  expect(await judged('prompt', 'prompt', 'late', 'prompt')).toMatchObject({ times: 1, ...NONE });
  expect(await judged('prompt', 'late', 'late', 'prompt')).toMatchObject({ times: 1, ...NONE, late: OF });
});

it('a neighbour comes once more where heartbeats are late without him, and is not judged where they are so again', async () => {
  const first = ['prompt', 'late', 'late', 'late'] as const;
  expect(await judged(...first, 'prompt', 'late', 'prompt')).toMatchObject({ times: 2, ...NONE });
  const { said, ...again } = await judged(...first, 'late', 'late', 'prompt');
  expect(again).toEqual({ times: 2, ...NONE, unknown: OF });
  expect(said).toMatch(/nobody: .* \| downloads: .*; the machine was not quiet: .* \| downloads, again: /);
  expect(await judged('late', 'late', 'late', 'prompt', 'late', 'late', 'prompt')).toMatchObject({
    times: 2,
    late: OF,
  });
});

it('a neighbour comes once more where other programs have a part of the processors', async () => {
  const outcomes = ['prompt', 'late', 'late', 'prompt'] as const;
  expect(await judgedBeside(0.1, ...outcomes)).toMatchObject({ times: 1, ...NONE, late: OF });
  expect(await judgedBeside(0.11, ...outcomes, 'prompt', 'late', 'prompt')).toMatchObject({ times: 2, ...NONE });
  expect(await judgedBeside(0.11, ...outcomes, 'late', 'late', 'prompt')).toMatchObject({ times: 2, unknown: OF });
});

it('a neighbour beside whom heartbeats are refused is at fault, whatever the machine has to do', async () => {
  expect(await judged('late', 'refused', 'late', 'late')).toMatchObject({ times: 1, ...NONE, unanswered: OF });
});

it('others are whoever is none of what was started here', async () => {
  const spin = (ms: number) => ['-e', `const end = Date.now() + ${ms}; while (Date.now() < end);`];
  const before = spentBy();
  await once(spawn(process.execPath, spin(600)), 'exit');
  const after = spentBy();
  expect(after.own - before.own).toBeGreaterThan(0.1);
  expect(after.all - before.all).toBeGreaterThan(0.1);
  expect(othersBetween({ own: 1, all: 10, at: 0 }, { own: 2, all: 13, at: 1000 })).toBeCloseTo(
    2 / availableParallelism(),
  );
});
