/** The built twin in a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, start } from './measure.ts';

export interface Twin {
  readonly child: Child;
  readonly port: number;
  readonly rawPort: number;
}

/** `launcher` starts the image under its launcher. */
export async function startTwin(variant = 'twin', file: 'main' | 'launcher' = 'main'): Promise<Twin> {
  const state = mkdtempSync(join(tmpdir(), 'tillnode-bench-'));
  const args = ['--host', '127.0.0.1', '--port', '0', '--raw-port', '0', '--state', state];
  const child = start(`dist/${variant}/${file}.js`, args);
  child.process.once('exit', () => rmSync(state, { recursive: true, force: true }));
  const port = Number((await child.line('ready')).split(':').at(-1));
  const rawPort = Number((await child.line('raw')).split(':').at(-1));
  return { child, port, rawPort };
}
