/** A test runner of twenty lines: the machine has the host's files, but no time to spare for a framework. */
import assert from 'node:assert/strict';

export type It = (promise: string, check: () => Promise<void>, limitMs?: number) => void;

export interface CaseReport {
  readonly promise: string;
  readonly error?: string;
}

/** Cases that are the steps of one story: without the step before there is nothing to look at. */
export function story(it: It): It {
  let broken = false;
  return (promise, check, limitMs) =>
    it(
      promise,
      async () => {
        assert.ok(!broken, 'a step before this one failed');
        broken = true;
        await check();
        broken = false;
      },
      limitMs,
    );
}

/** A case that takes longer has hung, and so will those behind it. */
const CASE_MS = 60_000;

export class Suite {
  readonly #cases: { readonly promise: string; readonly check: () => Promise<void>; readonly limitMs: number }[] = [];
  readonly it: It = (promise, check, limitMs = CASE_MS) => this.#cases.push({ promise, check, limitMs });

  async run(report: (result: CaseReport) => void): Promise<void> {
    for (const { promise, check, limitMs } of this.#cases) {
      let timer: NodeJS.Timeout | undefined;
      const hung = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`not over after ${limitMs} ms`)), limitMs);
      });
      const error = await Promise.race([check(), hung]).then(
        () => undefined,
        (cause: unknown) => (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)),
      );
      clearTimeout(timer);
      report({ promise, ...(error && { error }) });
    }
  }
}
