/** A node with a printer that outlives it, in a process of its own, to be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { freePort } from '../ports.ts';

/** Two folders below the root, as the sources are: the recipes are found from there. */
const PROGRAMS = '.cache/keyed';
const bundle = () =>
  build({
    entryPoints: ['test/crash/children/keyed-node.ts', 'test/crash/children/keyed-till.ts'],
    outdir: PROGRAMS,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
let bundled: ReturnType<typeof bundle> | undefined;

/** A program of `children`, running; `heard` sees each line that it prints. */
export async function startChild(
  name: 'keyed-node' | 'keyed-till',
  args: readonly string[],
  heard: (line: string) => void,
  [file, ...before]: readonly [string, ...string[]] = [process.execPath],
): Promise<ChildProcess> {
  bundled ??= bundle();
  await bundled;
  const child = spawn(file, [...before, resolve(PROGRAMS, `${name}.mjs`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', heard);
  return child;
}

/** Ends it; resolves when it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

export interface KeyedNode {
  readonly url: string;
  /** Starts it, again at the same URL; resolves when it answers. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Pulls the plug of its printer, or plugs it in again. */
  pullOrPlug(): Promise<void>;
  /** Fills the file system of its state, or frees it again. */
  fill(): Promise<void>;
  /** What its printer took in all its lives. */
  paper(): Uint8Array;
  remove(): Promise<void>;
}

/** Starts one in a new folder. `within`: a command that runs it, given the folder of its state. */
export async function startKeyedNode(
  within: (state: string) => readonly [string, ...string[]] = () => [process.execPath],
): Promise<KeyedNode> {
  const directory = mkdtempSync(join(tmpdir(), 'keyed-'));
  const state = join(directory, 'state');
  // It has the same one after a restart.
  const port = `${await freePort()}`;
  mkdirSync(state);
  let child: ChildProcess;
  let url = '';
  let hear: (line: string) => void = () => {};
  const nextLine = () =>
    new Promise<string>((resolveLine, reject) => {
      hear = resolveLine;
      child.once('exit', (code, signal) => reject(new Error(`the node ended with ${code ?? signal}`)));
    });
  const start = async () => {
    const args = [directory, state, port];
    child = await startChild('keyed-node', args, (line) => hear(line), within(state));
    url = (await nextLine()).replace('ready ', '');
  };
  /** Sends a signal; resolves when the node has said what it did. */
  const told = async (signal: NodeJS.Signals) => {
    const done = nextLine();
    child.kill(signal);
    await done;
  };
  await start();
  return {
    get url() {
      return url;
    },
    start,
    kill: () => end(child, 'SIGKILL'),
    pullOrPlug: () => told('SIGUSR1'),
    fill: () => told('SIGUSR2'),
    paper: () => readFileSync(join(directory, 'paper')),
    async remove() {
      await end(child, 'SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
