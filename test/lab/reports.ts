/** A test here for each case that a machine reports, told as it comes: a machine may be at it for many minutes. */
import { expect, it } from 'vitest';
import type { CaseReport, It } from './guest/suite.ts';

export class Reports {
  readonly #cases = new Map<string, CaseReport>();
  #trouble: Error | undefined;

  readonly take = (report: unknown): void => {
    const { promise, error } = report as CaseReport;
    this.#cases.set(promise, { promise, ...(error !== undefined && { error }) });
    const now = new Date().toISOString().slice(11, 19);
    process.stdout.write(`${now} ${error === undefined ? 'kept' : 'broken'}: ${promise}\n${error ? `${error}\n` : ''}`);
  };

  /** The trouble of the machine itself. */
  get trouble(): Error | undefined {
    return this.#trouble;
  }

  readonly machineFailed = (error: Error): void => {
    this.#trouble = error;
  };

  readonly it: It = (promise) => {
    it(promise, () => {
      const report = this.#cases.get(promise);
      if (!report) throw this.#trouble ?? new Error('the machine powered off without a word of this');
      expect(report.error).toBeUndefined();
    });
  };
}
