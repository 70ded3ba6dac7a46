/** Child processes for the crash suites: built from TypeScript once, run from a scratch directory of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

export interface Scratch {
  readonly directory: string;
  /** Bundles `test/crash/children/<name>.ts` and returns the module's path. */
  bundle(name: string): Promise<string>;
  remove(): Promise<void>;
}

export async function scratch(): Promise<Scratch> {
  const directory = await mkdtemp(join(tmpdir(), 'crash-'));
  return {
    directory,
    async bundle(name) {
      const outfile = join(directory, `${name}.mjs`);
      const entry = join(import.meta.dirname, 'children', `${name}.ts`);
      await build({ entryPoints: [entry], bundle: true, format: 'esm', platform: 'node', outfile, logLevel: 'error' });
      return outfile;
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

export interface Ended {
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Runs a command to its end; `heard` sees each line of its output as it comes. A minute at most. */
export function run(
  command: readonly [string, ...string[]],
  { heard, env = {} }: { heard?: (line: string, child: ChildProcess) => void; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  const lines: string[] = [];
  let stderr = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    heard?.(line, child);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4096);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ lines, stderr, code, signal }));
  });
}
