/**
 * `npm run mutants -- FILE...`, or `--since COMMIT` for the lines that changed: breaks each file in one small way after the other,
 * runs the tests that mirror it, and prints the mutants that no test killed. Works on a copy of the tree, so the tree can be worked in meanwhile.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mirrorOf } from './mirror.ts';
import { changedLines, describeMutant, lineOf, mutantsOf, mutated } from './mutate.ts';
import type { Ran, Run } from './runner.ts';

/** A run that takes this many times as long as with the file as it is does not end any more. */
const PATIENCE = 4;
const LEAST_MS = 20_000;
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

/** A vitest of its own for one source file. */
class Runner {
  readonly #source: string;
  #child: ChildProcess | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** What fails in these files: nothing, tests, or that they do not come to an end in that time. */
  async faultsIn(files: readonly string[], withinMs: number): Promise<readonly string[]> {
    if (files.length === 0) return [];
    this.#child ??= await this.#start();
    const child = this.#child;
    child.send({ files, changed: this.#source } satisfies Run);
    const ran = await answerOf(child, withinMs);
    if (ran === undefined) this.stop();
    return ran?.failed ?? [`${files.join(', ')}: no end within ${withinMs} ms`];
  }

  /** Its workers, too. */
  stop(): void {
    const { pid } = this.#child ?? {};
    this.#child = undefined;
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }

  async #start(): Promise<ChildProcess> {
    const runner = new URL('runner.mjs', import.meta.url);
    // What broken code and its children say is nobody's concern.
    const child = fork(runner, [copy, this.#source], {
      cwd: copy,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    if ((await answerOf(child, START_MS)) === undefined) throw new Error('vitest did not start');
    return child;
  }
}

async function answerOf(child: ChildProcess, withinMs: number): Promise<Ran | undefined> {
  const over = new AbortController();
  const { signal } = over;
  const answer = once(child, 'message', { signal }).then(([ran]) => ran as Ran);
  const nothing = Promise.race([delay(withinMs, undefined, { signal }), once(child, 'exit', { signal })]);
  try {
    return await Promise.race([answer, nothing.then(() => undefined)]);
  } finally {
    over.abort();
    await Promise.allSettled([answer, nothing]);
  }
}

/** Prints those of one file as they are found; of a file whose tests are red as it is, only that. */
async function printSurvivors(file: string, isAsked: (line: number) => boolean): Promise<void> {
  const { named, beside } = mirrorOf(file, listed);
  const target = join(copy, file);
  const source = readFileSync(target, 'utf8');
  const mutants = mutantsOf(file, source).filter(({ from }) => isAsked(lineOf(source, from)));
  const runner = new Runner(target);
  const stages: { readonly files: readonly string[]; readonly limitMs: number }[] = [];
  /** What the first files that notice this text of the file have against it. */
  const faultsOf = async (text: string): Promise<readonly string[]> => {
    writeFileSync(target, text);
    for (const { files, limitMs } of stages) {
      const faults = await runner.faultsIn(files, limitMs);
      if (faults.length > 0) return faults;
    }
    return [];
  };
  /** The file as it is must survive, at first and behind each kill: else the kills are of the runner. */
  const survives = async (): Promise<boolean> => {
    const faults = await faultsOf(source);
    if (faults.length > 0)
      process.stderr.write(`${file}: its tests are red with nothing broken: ${faults.join('; ')}\n`);
    if (faults.length > 0) process.exitCode = 1;
    return faults.length === 0;
  };
  let killed = 0;
  try {
    for (const files of [named, beside]) {
      const began = performance.now();
      const faults = await runner.faultsIn(files, START_MS);
      if (faults.length > 0) {
        process.stderr.write(`${file}: its tests are red before anything is broken: ${faults.join('; ')}\n`);
        process.exitCode = 1;
        return;
      }
      stages.push({ files, limitMs: LEAST_MS + PATIENCE * (performance.now() - began) });
    }
    if (!(await survives())) return;
    for (const mutant of mutants) {
      const faults = await faultsOf(mutated(source, mutant));
      if (faults.length === 0) process.stdout.write(`${file}:${describeMutant(source, mutant)}\n`);
      else if (!(await survives())) return;
      else killed += 1;
    }
  } finally {
    runner.stop();
    writeFileSync(target, source);
  }
  process.stdout.write(`${file}: ${killed} of ${mutants.length} killed\n`);
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

const USAGE = `npm run mutants -- FILE...          TypeScript files of this tree
npm run mutants -- --since COMMIT   the lines that differ from it
`;
const [first, ...rest] = process.argv.slice(2);
const asked =
  first === '--since' && rest.length === 1
    ? changedSince(rest[0] ?? '')
    : new Map(process.argv.slice(2).map((path) => [relative('.', resolve(path)), () => true]));
const files = [...asked].filter(([file]) => listed.includes(file) && /(?<!\.d)\.tsx?$/.test(file));
if (first === undefined || (first !== '--since' && files.length < asked.size)) {
  process.stderr.write(USAGE);
  process.exit(2);
}
copyTree();
for (const [file, isAsked] of files) await printSurvivors(file, isAsked);
