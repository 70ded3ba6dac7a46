/**
 * A reporter for CI, where projects run side by side and a log keeps its last part alone: what is red, and what passed only
 * when it was tried again, is written to a file, which `.ci/run` shows at its end.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** One line a red test or file, and its first error under it. */
export const RED = '.cache/red';

/** Lines of an error that are shown. */
const LINES = 12;

const shown = (errors: readonly SerializedError[]): string =>
  errors
    .slice(0, 1)
    .flatMap(({ stack, message }) => (stack ?? message).split('\n').slice(0, LINES))
    .map((line) => `    ${line}\n`)
    .join('');

export default class RedAgain implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const red = modules.flatMap((module) => [
      ...module.errors().map((error) => `red: ${module.relativeModuleId}\n${shown([error])}`),
      ...[...module.children.allTests('failed')].map(
        (test) => `red: ${module.relativeModuleId} > ${test.fullName}\n${shown(test.result().errors ?? [])}`,
      ),
    ]);
    const unsteady = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `unsteady: ${module.relativeModuleId} > ${test.fullName}\n${shown(test.result().errors ?? [])}`),
    );
    const all = [...red, ...unsteady, ...unhandled.map((error) => `red: outside of a test\n${shown([error])}`)];
    if (all.length === 0) return;
    mkdirSync(dirname(RED), { recursive: true });
    appendFileSync(RED, all.join(''));
  }
}
