/** Runs test files again and again in one vitest, in a process that can be killed: a mutant may never come to an end. */
import { createVitest } from 'vitest/node';

/** Runs these files; `changed` was written since the last run. Answered with `Ran`. */
export interface Run {
  readonly files: readonly string[];
  readonly changed: string;
}
export interface Ran {
  readonly failed: boolean;
}

const [root = '.', source = ''] = process.argv.slice(2);
const vitest = await createVitest('test', {
  ...{ root, project: ['unit'], watch: false, bail: 1, reporters: [{}], related: [source] },
  ...{ silent: true, passWithNoTests: true },
});
await vitest.standalone();
const related = await vitest.getRelevantTestSpecifications();

process.on('message', async ({ files, changed }: Run) => {
  vitest.invalidateFile(changed);
  const wanted = related.filter(({ moduleId }) => files.some((file) => moduleId === `${root}/${file}`));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted);
  const failed = unhandledErrors.length > 0 || testModules.some((module) => !module.ok());
  process.send?.({ failed } satisfies Ran);
});
process.on('disconnect', () => process.exit());
process.send?.({ failed: false } satisfies Ran);
