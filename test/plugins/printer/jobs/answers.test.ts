import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AskedType } from '../../../../codecs/escpos-progress.ts';
import { Answers } from '../../../../plugins/printer/jobs/answers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Milliseconds for which a job waits that asks for these now, of a printer that answers none. */
async function waitedFor(answers: Answers, types: readonly AskedType[]): Promise<number> {
  answers.ask(new Map(types.map((type) => [type, 1])));
  answers.left();
  const from = performance.now();
  const settled = answers.settled().then(() => performance.now() - from);
  await vi.advanceTimersByTimeAsync(1000);
  answers.leave();
  return settled;
}

it('a printer that answered nothing in time is waited for again after five seconds, whatever else it was asked meanwhile', async () => {
  const answers = new Answers();
  expect(await waitedFor(answers, ['info'])).toBe(200);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await waitedFor(answers, ['info'])).toBe(0);
  // Of these two it is the byte alone that is waited for.
  expect(await waitedFor(answers, ['info', 'byte'])).toBe(200);
  await vi.advanceTimersByTimeAsync(200);
  expect(await waitedFor(answers, ['info'])).toBe(200);
  expect(await waitedFor(answers, ['byte'])).toBe(0);
});
