/** What the launcher costs at a start, and how large the bundles are. */
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileAhead } from '../../runtime/assembly/variant/compile-ahead.ts';
import { shippedNode } from '../shipped-node.ts';
import { alternate, type Entry } from './measure.ts';
import { startTwin } from './twin.ts';

const ROUNDS = 41;
const MB = 1024 * 1024;
const SIZE_MB = 1.5;

export async function bootBench(): Promise<Entry[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tillnode-bench-'));
  const node = shippedNode();
  // As its package compiles it.
  const built = join(directory, 'built');
  cpSync('dist/twin', built, { recursive: true });
  compileAhead(built, node);
  /** As on a box that starts again: with the Node that ships, on the state it had. */
  const ready = (file: 'main' | 'launcher') => async () => {
    const started = performance.now();
    const { child } = await startTwin({ file, node, built, state: join(directory, file) });
    const took = performance.now() - started;
    await child.end();
    return took;
  };
  await ready('launcher')();
  await ready('main')();
  const boot = await alternate(ROUNDS, ready('launcher'), ready('main'));
  rmSync(directory, { recursive: true, force: true });
  const largest =
    Math.max(
      ...readdirSync('dist').map((name) =>
        ['node.cjs', 'pages.br']
          .map((file) => statSync(`dist/${name}/${file}`, { throwIfNoEntry: false })?.size ?? 0)
          .reduce((sum, size) => sum + size),
      ),
    ) / MB;
  return [
    { name: 'boot.overhead', ratio: boot.ours / boot.theirs, ...boot, unit: 'ms' },
    { name: 'image.size', ratio: largest / SIZE_MB, ours: largest, theirs: SIZE_MB, unit: 'MB' },
  ];
}
