/** Whole nodes on hosts of a test network. */
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import type { Host } from '../../netns.ts';
import { until } from '../../node.ts';

const NODE = '.cache/discovery/node.mjs';

export interface Started {
  readonly child: ReturnType<Host['spawn']>;
  /** The host name it is found by. */
  readonly name: string | undefined;
}

export async function buildNode(): Promise<void> {
  const entry = join(import.meta.dirname, 'children/node.ts');
  const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' } as const;
  // Split, because a room that the build puts together is in the bundle too, but can only be imported there.
  const split = { splitting: true, outdir: dirname(NODE), outExtension: { '.js': '.mjs' } } as const;
  await build({ ...options, ...split, entryPoints: [entry] });
}

/** Resolves once it has a host name. */
export async function startNode(host: Host, listening: string, id: string, printers = ['receipt']): Promise<Started> {
  const child = host.spawn(process.execPath, [NODE, listening, id, ...printers]);
  let said = '';
  child.stdout?.on('data', (chunk) => {
    said += String(chunk);
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(`the node ended with ${child.exitCode}`);
    return said.includes('\n');
  });
  return { child, name: /^ready (.*)$/m.exec(said)?.[1] };
}
