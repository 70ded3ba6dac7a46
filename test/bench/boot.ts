/** What the launcher costs at a start, and how large the bundles are. */
import { readdirSync, statSync } from 'node:fs';
import { alternate, type Entry } from './measure.ts';
import { startTwin } from './twin.ts';

const ROUNDS = 9;
const MB = 1024 * 1024;
const SIZE_MB = 1.5;

export async function bootBench(): Promise<Entry[]> {
  const ready = (file: 'main' | 'launcher') => async () => {
    const started = performance.now();
    const { child } = await startTwin('twin', file);
    const took = performance.now() - started;
    await child.end();
    return took;
  };
  await ready('launcher')();
  const boot = await alternate(ROUNDS, ready('launcher'), ready('main'));
  const largest =
    Math.max(
      ...readdirSync('dist').map((name) => statSync(`dist/${name}/main.js`, { throwIfNoEntry: false })?.size ?? 0),
    ) / MB;
  return [
    { name: 'boot.overhead', ratio: boot.ours / boot.theirs, ...boot, unit: 'ms' },
    { name: 'image.size', ratio: largest / SIZE_MB, ours: largest, theirs: SIZE_MB, unit: 'MB' },
  ];
}
