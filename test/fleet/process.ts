/** The program of `npm run fleet` in a process of its own, to be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import type { Where } from '../../runtime/fleet/database/database.ts';
import { freePort } from '../ports.ts';

/** A fleet that can be killed, and started again at the same URL. */
export interface FleetProcess {
  readonly url: string;
  readonly pid: number;
  /** The lines that it wrote to standard error, since its first start. */
  readonly said: readonly string[];
  /** Ends it as a power cut does; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const PROGRAM = '.cache/fleet-process/main.mjs';
/** Bundles a command line of the fleet; resolves with the file. Packages are found from where that stands. */
export async function bundleFleet(main: string, outfile: string): Promise<string> {
  await build({
    entryPoints: [main],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}
let bundled: Promise<string> | undefined;

/** Starts one: the program of this tree, which is bundled once, unless another is given. `run`: what runs the command behind it. */
export async function startFleetProcess(
  where: Where,
  token: string,
  other?: string,
  run: readonly string[] = [],
): Promise<FleetProcess> {
  if (other === undefined) bundled ??= bundleFleet('runtime/fleet/main.ts', PROGRAM);
  const program = other ?? ((await bundled) as string);
  const database = 'url' in where ? ['--database', where.url] : ['--data', where.folder];
  // It has the same one after a restart.
  const port = `${await freePort()}`;
  let url = '';
  let child: ChildProcess;
  const said: string[] = [];
  const start = async () => {
    const args = [join(process.cwd(), program), '--token', token, '--port', port, ...database];
    const [command = '', ...before] = [...run, process.execPath];
    const started = spawn(command, [...before, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    createInterface({ input: started.stderr }).on('line', (line) => said.push(line));
    url = await new Promise<string>((resolve, reject) => {
      started.once('close', (code) => reject(new Error(`the fleet ended with ${code}: ${said.slice(-20).join('\n')}`)));
      createInterface({ input: started.stdout }).once('line', (line) => resolve(line.replace('ready ', '')));
    });
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  await start();
  return {
    get url() {
      return url;
    },
    get pid() {
      return child.pid ?? 0;
    },
    said,
    kill: () => end('SIGKILL'),
    start,
    stop: () => end('SIGTERM'),
  };
}
