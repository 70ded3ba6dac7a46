import type { HostBinding } from '../bindings.ts';

/** What the node allows itself; the packaged unit's memory limit stands well above it. */
const BUDGET_BYTES = 192 * 1024 * 1024;
/** Reading the resident set is a system call; it is asked before every large buffer. */
const SAMPLE_MS = 100;

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
