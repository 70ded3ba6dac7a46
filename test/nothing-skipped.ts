/** A reporter for CI: a test that was skipped has not been run, so the run fails and names it. */
import type { Reporter, TestModule } from 'vitest/node';

export default class NothingSkipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap(({ children }) => [...children.allTests('skipped')]);
    if (skipped.length === 0) return;
    for (const { module, fullName } of skipped)
      process.stderr.write(`skipped: ${module.relativeModuleId} > ${fullName}\n`);
    process.stderr.write(`${skipped.length} skipped: in CI a missing tool is a failure\n`);
    process.exitCode = 1;
  }
}
