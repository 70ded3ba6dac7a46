import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { clientModule } from './runtime/assembly/client/client-module.ts';
import { namesOf } from './runtime/assembly/rooms/own-package.ts';

const IN_CI = process.env['CI'] === 'true';

/** What these start goes nowhere, and a Node that is told of more certificates reads all of them as it begins. */
const WITHIN = ['unit', 'page', 'crash'];

/** Flags of V8 are those of all threads of a process. */
const OF_A_PROCESS = 'test/kernel/v8-flags.test.ts';

const project = (name: string, include: string | string[], exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: [include].flat(),
    exclude: ['**/node_modules/**', ...exclude],
    env: WITHIN.includes(name) ? { NODE_EXTRA_CA_CERTS: '' } : {},
  },
});

/** Nothing of one file reaches another: what all of them import is loaded once. */
const together = (name: string, include: string[], exclude: string[]) => {
  const { extends: extend, test } = project(name, include, exclude);
  // A thread is there sooner than a process, and hears of a module for less.
  return { extends: extend, test: { ...test, isolate: false, pool: 'threads' as const } };
};

/** Suites that start processes, virtual machines or crash children run alone, one file after the other. */
const alone = (
  name: string,
  include: string | string[],
  seconds: number,
  own: {
    globalSetup?: string[];
    isolate?: boolean;
    expect?: { requireAssertions: boolean };
  } = {},
) => {
  const { extends: extend, test } = project(name, include);
  return {
    extends: extend,
    test: {
      ...test,
      fileParallelism: false,
      testTimeout: seconds * 1000,
      hookTimeout: seconds * 1000,
      // Of files of several projects in one run, those that need no quiet come first.
      sequence: { groupOrder: 1 },
      ...own,
    },
  };
};

/** The client's sources get what every room of this tree brings. */
const rooms = ['runtime/services', 'plugins'].flatMap((parent) => {
  const folder = join(import.meta.dirname, parent);
  return readdirSync(folder).map((name) => join(folder, name));
});

export default defineConfig({
  // A room imports this tree by its names.
  resolve: { alias: namesOf(import.meta.dirname) },
  plugins: [clientModule(rooms)],
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { requireAssertions: true },
    reporters: IN_CI ? ['default', './test/nothing-skipped.ts', './test/red-again.ts'] : ['default'],
    // A machine of which nobody knows what else it does; what passes only then is named at the end (test/red-again.ts).
    retry: IN_CI ? 1 : 0,
    // Most of them wait for sockets and timers: in a run of all, more than the processors of a small machine. Each loads what a
    // node is made of, which for the tests of a room costs as much as the tests.
    maxWorkers: IN_CI ? 3 : 2,
    // A file whose text is what it was is not transformed again, by the next project or the next run.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
    // What was built is taken as it is, not put together once more.
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      together(
        'unit',
        ['test/**/*.test.ts', 'plugins/*/*.test.ts'],
        ['test/{image,assembly,page,docs,crash,lab,fleet}/**', 'test/**/*.page.test.ts', OF_A_PROCESS],
      ),
      // One of them has a fleet, and boots three images.
      alone('image', ['test/image/**/*.test.ts', 'test/assembly/**/*.test.ts', OF_A_PROCESS], 180, { isolate: false }),
      // Their driver is large, and loaded once.
      alone('page', ['test/page/**/*.test.ts', 'test/**/*.page.test.ts'], 120, {
        // What Playwright waits for is not counted.
        expect: { requireAssertions: false },
        globalSetup: ['test/page/setup.ts'],
        isolate: false,
      }),
      // Its tests start servers of PostgreSQL.
      alone('fleet', 'test/fleet/**/!(*.page).test.ts', 180, { isolate: false }),
      alone('docs', 'test/docs/**/*.test.ts', 120),
      alone('crash', 'test/crash/**/*.test.ts', 300),
      alone('lab', 'test/lab/**/*.test.ts', 300),
      alone('stories', 'test/**/*.story.ts', 300),
    ],
  },
});
