/** The built twin in a process of its own, as its launcher starts it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALLOCATOR } from '../../runtime/boot/run.ts';
import { MAIN } from '../../runtime/image/compiled.ts';
import { type Child, start } from '../child.ts';

export interface Twin {
  readonly child: Child;
  readonly port: number;
  readonly rawPort: number;
}

export interface TwinOptions {
  readonly variant?: string;
  /** `launcher` starts the image under its launcher. */
  readonly file?: 'main' | 'launcher';
  /** A state directory that stays; else one of its own. */
  readonly state?: string;
  /** The folder of the image; else that of the variant. */
  readonly built?: string;
  /** The program that runs it; else the Node that runs this. */
  readonly node?: string;
}

export async function startTwin({
  variant = 'twin',
  file = 'main',
  state,
  node,
  built = `dist/${variant}`,
}: TwinOptions = {}): Promise<Twin> {
  const own = state ?? mkdtempSync(join(tmpdir(), 'tillnode-bench-'));
  const args = ['--host', '127.0.0.1', '--port', '0', '--raw-port', '0', '--ipp-port', '0', '--state', own];
  const path = `${built}/${file === 'main' ? MAIN : 'launcher.js'}`;
  const child =
    node === undefined ? start(path, args, process.execPath, ALLOCATOR) : start(path, [path, ...args], node, ALLOCATOR);
  if (state === undefined) child.process.once('exit', () => rmSync(own, { recursive: true, force: true }));
  const port = Number((await child.line('ready')).split(':').at(-1));
  const rawPort = Number((await child.line('raw')).split(':').at(-1));
  return { child, port, rawPort };
}
