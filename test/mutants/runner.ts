/** Runs test files again and again in one vitest, in a process that can be killed: a mutant may never come to an end. */
import { relative } from 'node:path';
import { createVitest, type TestModule } from 'vitest/node';

/** Runs these of the files that the process was started with; `changed` was written since the last run. Answered with `Ran`. */
export interface Run {
  readonly files: readonly string[];
  readonly changed: string;
}
/** The first answer: what can be asked. */
export interface Ready {
  /** Files of those that the process was started with, whose tests import the source, each with its project. */
  readonly related: readonly { readonly file: string; readonly project: string }[];
}
export interface Ran {
  /** What failed, each with its file, name and message. */
  readonly failed: readonly string[];
  /** The test files in which something failed: fewer than were asked, as the run ends with the first. */
  readonly red: readonly string[];
}

function faultsOf(module: TestModule): string[] {
  const file = relative(root, module.moduleId);
  const tests = [...module.children.allTests('failed')].map((test) => [test.fullName, test.result().errors] as const);
  const suites = [...module.children.allSuites()].map((suite) => [suite.fullName, suite.errors()] as const);
  const faults = [['the file', module.errors()] as const, ...suites, ...tests].flatMap(([name, errors = []]) =>
    errors.map(({ message }) => `${file}: ${name}: ${message}`),
  );
  return faults.length > 0 ? faults : [`${file} failed`];
}

/** Projects whose tests load sources. Those of `page`, `docs`, `crash` and the lab start what was built, which no mutant reaches. */
const PROJECTS = ['unit', 'image', 'fleet'];

const [root = '.', source = '', ...tests] = process.argv.slice(2);
const vitest = await createVitest('test', {
  ...{ root, project: PROJECTS, watch: false, bail: 1, reporters: [{}], related: [source] },
  // A process anew for each run takes longer than most runs.
  ...{ silent: true, passWithNoTests: true, pool: 'threads' },
});
await vitest.standalone();
const related = await vitest.getRelevantTestSpecifications(tests.map((test) => `${root}/${test}`));

process.on('message', async ({ files, changed }: Run) => {
  vitest.invalidateFile(changed);
  const wanted = related.filter(({ moduleId }) => files.some((file) => moduleId === `${root}/${file}`));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted);
  // Vitest answers every module that it ever ran, those of the mutants before too.
  const asked = new Set(wanted.map(({ moduleId }) => moduleId));
  const red = testModules.filter((module) => asked.has(module.moduleId) && !module.ok());
  const failed = [...unhandledErrors.map(String), ...red.flatMap(faultsOf)];
  process.send?.({ failed, red: red.map(({ moduleId }) => relative(root, moduleId)) } satisfies Ran);
});
process.on('disconnect', () => process.exit());
process.send?.({
  related: related.map(({ moduleId, project }) => ({ file: relative(root, moduleId), project: project.name })),
} satisfies Ready);
