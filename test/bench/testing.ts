/** How long a test of somebody else waits for its twin: a fresh process, from its first line to the first receipt. */
import { writeFileSync } from 'node:fs';
import { start } from '../child.ts';
import { alternate, type Entry } from './measure.ts';

const ROUNDS = 9;
const LIMIT_MS = 500;
const PROGRAM = '.cache/bench/testing-first-print.mjs';

export async function testingBench(): Promise<Entry[]> {
  writeFileSync(
    PROGRAM,
    `import { startTwin } from 'tillnode/testing';
const twin = await startTwin();
await twin.client.print({ type: 'print', id: '1', endpoint: 'receipt', lines: [{ type: 'text', value: 'Hello' }] });
console.log('printed now');
await twin.stop();
`,
  );
  const first = async () => {
    const started = performance.now();
    const child = start(PROGRAM);
    await child.line('printed');
    const took = performance.now() - started;
    await child.end();
    return took;
  };
  await first();
  const { ours } = await alternate(ROUNDS, first, async () => LIMIT_MS);
  return [{ name: 'testing.start', ratio: ours / LIMIT_MS, ours, theirs: LIMIT_MS, unit: 'ms' }];
}
