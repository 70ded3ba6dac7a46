/**
 * `npm run mutants -- FILE...` (`--all`, `--since`, `--again`: see the usage below): breaks each file in one small way after the other,
 * runs the tests that mirror it, and prints the mutants that no test killed. Works on a copy of the tree, so the tree can be worked in meanwhile.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { randomFrom } from '../random.ts';
import { askable, mirrorOf, type Related } from './mirror.ts';
import { changedLines, countOf, describeMutant, lineOf, type Mutant, mutantsOf, mutated, sampleOf } from './mutate.ts';
import type { Ran, Ready, Run } from './runner.ts';
import { WATCHED } from './watched.ts';

/** A run that takes this many times as long as with the file as it is does not end any more. */
const PATIENCE = 4;
const LEAST_MS = 10_000;
const START_MS = 300_000;

const copy = resolve('.cache/mutants/tree');
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '');

function copyTree(): void {
  rmSync(copy, { recursive: true, force: true });
  for (const path of listed) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(path, join(copy, path), { verbatimSymlinks: true });
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
}

const NOTHING: Ran = { failed: [], red: [] };

/** A vitest of its own for one source file. */
class Runner {
  readonly #source: string;
  readonly #tests: readonly string[];
  #child: ChildProcess | undefined;
  #related: readonly Related[] = [];

  /** `tests`: those that it can run. */
  constructor(source: string, tests: readonly string[]) {
    this.#source = source;
    this.#tests = tests;
  }

  /** What fails in these files: nothing, tests, or that they do not come to an end in that time. */
  async run(files: readonly string[], withinMs: number): Promise<Ran> {
    if (files.length === 0) return NOTHING;
    const child = await this.#started();
    child.send({ files, changed: this.#source } satisfies Run);
    const ran = await answerOf<Ran>(child, withinMs);
    if (ran === undefined) this.stop();
    return ran ?? { failed: [`${files.join(', ')}: no end within ${withinMs} ms`], red: files };
  }

  /** The test files that import the source. */
  async related(): Promise<readonly Related[]> {
    await this.#started();
    return this.#related;
  }

  /** Ends the child process, and its children, too. */
  stop(): void {
    const { pid, exitCode, signalCode } = this.#child ?? {};
    this.#child = undefined;
    // It may have died of the mutant.
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
  }

  async #started(): Promise<ChildProcess> {
    this.#child ??= await this.#start();
    return this.#child;
  }

  async #start(): Promise<ChildProcess> {
    const runner = new URL('runner.mjs', import.meta.url);
    // What broken code and its children say is nobody's concern.
    const child = fork(runner, [copy, this.#source, ...this.#tests], {
      cwd: copy,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ready = await answerOf<Ready>(child, START_MS);
    if (ready === undefined) throw new Error('vitest did not start');
    this.#related = ready.related;
    return child;
  }
}

async function answerOf<Answer>(child: ChildProcess, withinMs: number): Promise<Answer | undefined> {
  const over = new AbortController();
  const { signal } = over;
  const answer = once(child, 'message', { signal }).then(([said]) => said as Answer);
  const nothing = Promise.race([delay(withinMs, undefined, { signal }), once(child, 'exit', { signal })]);
  try {
    return await Promise.race([answer, nothing.then(() => undefined)]);
  } finally {
    over.abort();
    await Promise.allSettled([answer, nothing]);
  }
}

/** Which test files are asked of a mutant, one group after the other: the first that notices it is enough. */
function groupsFor(file: string): (readonly string[])[] {
  const nearest = WATCHED[file];
  if (nearest !== undefined) return nearest.map((test) => [test]);
  const { named, beside } = mirrorOf(file, listed);
  return [named, beside];
}

/** Ends what is under way with the count so far, for a run that somebody stops. */
let stop: (() => void) | undefined;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    stop?.();
    process.exit(code);
  });
}

/** Prints those of one file as they are found; of a file whose tests are red as it is, only that. */
async function printSurvivors(file: string, isAsked: (source: string, mutant: Mutant) => boolean): Promise<void> {
  const wanted = groupsFor(file);
  const target = join(copy, file);
  const source = readFileSync(target, 'utf8');
  const all = mutantsOf(file, source).filter((mutant) => isAsked(source, mutant));
  const mutants = sampleOf(all, most, randomFrom(seed)());
  const runner = new Runner(target, wanted.flat());
  const stages: { readonly files: readonly string[]; readonly limitMs: number }[] = [];
  /** What the first files that notice this text of the file have against it; asked are these alone, or all. */
  const faultsOf = async (text: string, asked?: readonly string[]): Promise<Ran> => {
    writeFileSync(target, text);
    for (const { files, limitMs } of stages) {
      const ran = await runner.run(asked === undefined ? files : files.filter((it) => asked.includes(it)), limitMs);
      if (ran.failed.length > 0) return ran;
    }
    return NOTHING;
  };
  /** The file as it is must survive, at first and behind each kill those who killed: else the kills are of the runner. */
  const survives = async (asked: readonly string[]): Promise<boolean> => {
    const { failed } = await faultsOf(source, asked);
    if (failed.length > 0)
      process.stderr.write(`${file}: its tests are red with nothing broken: ${failed.join('; ')}\n`);
    if (failed.length > 0) process.exitCode = 1;
    return failed.length === 0;
  };
  let killed = 0;
  let tried = 0;
  const printCount = () => {
    const sample = mutants.length < all.length ? `, a sample of ${all.length} with --seed ${seed}` : '';
    process.stdout.write(`${file}: ${countOf(killed, tried, mutants.length)}${sample}\n`);
  };
  stop = () => {
    runner.stop();
    printCount();
  };
  try {
    const found = askable(wanted, await runner.related());
    if ('notAsked' in found) {
      process.stdout.write(`${file}: not asked: ${found.notAsked}\n`);
      return;
    }
    for (const files of found.groups) {
      const began = performance.now();
      const { failed } = await runner.run(files, START_MS);
      if (failed.length > 0) {
        process.stderr.write(`${file}: its tests are red before anything is broken: ${failed.join('; ')}\n`);
        process.exitCode = 1;
        return;
      }
      stages.push({ files, limitMs: LEAST_MS + PATIENCE * (performance.now() - began) });
    }
    for (const mutant of mutants) {
      const { failed, red } = await faultsOf(mutated(source, mutant));
      if (failed.length === 0) process.stdout.write(`${file}:${describeMutant(source, mutant)}\n`);
      else if (!(await survives(red))) return;
      else killed += 1;
      tried += 1;
    }
  } finally {
    stop = undefined;
    runner.stop();
    writeFileSync(target, source);
  }
  printCount();
}

/** The lines that differ from a commit, of files that a node or a fleet is made of. */
function changedSince(commit: string): Map<string, (line: number) => boolean> {
  const where = ['--', 'codecs', 'plugins', 'runtime'];
  const diff = execFileSync('git', ['diff', '-U0', '--no-color', '--diff-filter=d', commit, ...where], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return new Map([...changedLines(diff)].map(([file, lines]) => [file, (line) => lines.has(line)]));
}

/** The mutants that a list of survivors names, by file. */
function survivorsIn(list: string): Map<string, Set<string>> {
  const named = new Map<string, Set<string>>();
  for (const [, file = '', mutant = ''] of list.matchAll(/^([^\s:]+):(\d+:\d+ {2}.*)$/gm)) {
    const mutants = named.get(file) ?? new Set();
    named.set(file, mutants.add(mutant));
  }
  return named;
}

const USAGE = `npm run mutants -- FILE...          TypeScript files of this tree
npm run mutants -- --all            the files whose mutants are counted (test/mutants/watched.ts)
npm run mutants -- --since COMMIT   the lines that differ from it
npm run mutants -- --again LIST     the survivors that a file with the output of such a run names
  --most N   of each file a sample of N, evenly spread; --seed S says which, and is printed
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    ...{ since: { type: 'string' }, again: { type: 'string' }, most: { type: 'string' }, seed: { type: 'string' } },
  },
});
const most = Number(values.most ?? Number.POSITIVE_INFINITY);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));

function askedFor(): Map<string, (source: string, mutant: Mutant) => boolean> {
  if (values.since !== undefined) {
    const changed = [...changedSince(values.since)].map(
      ([file, isAsked]) => [file, (source: string, { from }: Mutant) => isAsked(lineOf(source, from))] as const,
    );
    return new Map(changed);
  }
  if (values.again !== undefined) {
    const survivors = [...survivorsIn(readFileSync(values.again, 'utf8'))].map(
      ([file, mutants]) =>
        [file, (source: string, mutant: Mutant) => mutants.has(describeMutant(source, mutant))] as const,
    );
    return new Map(survivors);
  }
  const paths = positionals.map((path) => relative('.', resolve(path)));
  return new Map((values.all === true ? Object.keys(WATCHED) : paths).map((file) => [file, () => true]));
}

const asked = askedFor();
const files = [...asked].filter(([file]) => listed.includes(file) && /(?<!\.d)\.tsx?$/.test(file));
if (values.since === undefined && (asked.size === 0 || files.length < asked.size)) {
  process.stderr.write(USAGE);
  process.exit(2);
}
copyTree();
for (const [file, isAsked] of files) await printSurvivors(file, isAsked);
