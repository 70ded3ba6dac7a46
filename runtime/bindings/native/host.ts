import type { HostBinding } from '../board.ts';

/** Resident memory that the node allows itself; the memory limit of the packaged unit is well above it. */
const BUDGET_BYTES = 192 * 1024 * 1024;
/** The resident set size is read at most this often: it is a system call, needed before every large buffer. */
const SAMPLE_MS = 100;

/** This process. `memoryLeft` is `budgetBytes` minus the resident set size, at most 100 ms old; it may be negative. */
export function createHost(budgetBytes = BUDGET_BYTES): HostBinding {
  let left = budgetBytes;
  let sampledAt = Number.NEGATIVE_INFINITY;
  return {
    memoryLeft() {
      const now = performance.now();
      if (now - sampledAt > SAMPLE_MS) {
        left = budgetBytes - process.memoryUsage.rss();
        sampledAt = now;
      }
      return left;
    },
  };
}
