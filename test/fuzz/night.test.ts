/** What a night of the fuzz tests runs, and what it keeps for the next one: the script, with a Vitest that is red for some seeds. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Tells which seeds it was run with, and how: `$IS_RED` are those that it is red for, `$IS_SLOW` those that it never ends for. */
const NPX = `#!/bin/sh
echo "$FUZZ_SEED \${FUZZ_SEQUENCES:-} \${FUZZ_STREAMS:-} \${FUZZ_RUNS:-} $*" >> "$ASKED"
case " $IS_SLOW " in *" $FUZZ_SEED "*) exit 124;; esac
echo "shortest of $FUZZ_SEED"
case " $IS_RED " in *" $FUZZ_SEED "*) exit 1;; esac
`;

function nights() {
  const folder = mkdtempSync(join(tmpdir(), 'tillnode-night-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [kept, asked] = [join(folder, 'kept'), join(folder, 'asked')];
  writeFileSync(join(folder, 'npx'), NPX);
  chmodSync(join(folder, 'npx'), 0o755);
  const lines = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []);
  return {
    night(seed: number, red: readonly number[] = [], more: Readonly<Record<string, string>> = {}) {
      rmSync(asked, { force: true });
      const PATH = [folder, process.env['PATH']].join(delimiter);
      const env = { ...process.env, PATH, ASKED: asked, IS_RED: red.join(' '), IS_SLOW: '', ...more };
      const { status, stdout } = spawnSync('bash', ['test/fuzz/night.sh', kept, String(seed)], {
        env,
        encoding: 'utf8',
      });
      const seeds = lines(asked).map((line) => Number(line.split(' ')[0]));
      return { status, seeds: [...new Set(seeds)], asked: lines(asked), last: stdout.trimEnd().split('\n').at(-1) };
    },
    seeds: () => lines(join(kept, 'seeds')).map(Number),
    logs: () => readdirSync(join(kept, 'red')).sort(),
    log: (seed: number) => readFileSync(join(kept, 'red', `${seed}.log`), 'utf8'),
  };
}

describe('a night of the fuzz tests', () => {
  it('runs the seed of the day through a million sequences, 60,000 streams, and the filters once more by more runs', () => {
    const { night } = nights();
    const { status, asked } = night(20260101);
    expect(status).toBe(0);
    const vitest = 'vitest run --project unit --testTimeout 18000000';
    expect(asked).toEqual([
      `20260101 1000000 60000  ${vitest} test/printers test/fuzz`,
      `20260101   100000 ${vitest} test/fuzz/escpos-stream test/fuzz/escpos-trail`,
    ]);
  });

  it('keeps a seed that was red, with what its tests printed, and nothing of one that was not', () => {
    const { night, seeds, logs, log } = nights();
    night(20260101);
    expect([seeds(), logs()]).toEqual([[], []]);
    expect(night(20260102, [20260102])).toMatchObject({ status: 1, last: 'red: 20260102; not run to the end: none' });
    expect([seeds(), logs()]).toEqual([[20260102], ['20260102.log']]);
    expect(log(20260102)).toBe('shortest of 20260102\n');
  });

  it('runs the seed of the day before all old ones, and each of these, whichever is red', () => {
    const { night, seeds, logs } = nights();
    night(20260101, [20260101]);
    night(20260102, [20260102]);
    expect(night(20260103, [20260101])).toMatchObject({ status: 1, seeds: [20260103, 20260102, 20260101] });
    expect(logs()).toEqual(['20260101.log']);
    expect(night(20260104)).toMatchObject({ status: 0, seeds: [20260104, 20260102, 20260101] });
    expect([seeds(), logs()]).toEqual([[20260102, 20260101], []]);
  });

  it('runs the seed of the day once where the night comes again', () => {
    const { night, seeds } = nights();
    night(20260101, [20260101]);
    expect(night(20260101, [20260101]).seeds).toEqual([20260101]);
    expect(seeds()).toEqual([20260101]);
  });

  it('keeps the newest seeds alone, thirty where nothing else is asked for, and no log of another', () => {
    const { night, seeds, logs } = nights();
    const days = Array.from({ length: 5 }, (_, at) => 20260101 + at);
    for (const day of days) night(day, days, { MOST: '3' });
    expect(seeds().toSorted()).toEqual(days.slice(-3));
    expect(logs()).toEqual(days.slice(-3).map((day) => `${day}.log`));
    expect(readFileSync('test/fuzz/night.sh', 'utf8')).toMatch(/^MOST=.*:-30\}$/m);
  });

  it('names an old seed for which there was no time, which is not red, and gives it the first turn of the next', () => {
    const { night, seeds } = nights();
    night(20260101, [20260101]);
    night(20260102, [20260102]);
    const late = night(20260103, [], { IS_SLOW: '20260102' });
    expect(late).toMatchObject({ status: 0, last: 'red: none; not run to the end: 20260102' });
    expect(seeds()).toEqual([20260102, 20260101]);
    expect(night(20260104).seeds).toEqual([20260104, 20260102, 20260101]);
  });

  it('is red where there was no time for the seed of the day', () => {
    const { night } = nights();
    expect(night(20260101, [], { MINUTES: '0' })).toMatchObject({ status: 1, seeds: [] });
    expect(night(20260101, [], { IS_SLOW: '20260101' }).status).toBe(1);
  });

  it('is what the workflow runs, on the folder that it restores, saves and uploads', () => {
    const workflow = readFileSync('.github/workflows/nightly.yml', 'utf8');
    expect(workflow).toMatch(/- part: fuzz\n\s+run: bash test\/fuzz\/night\.sh \.cache\/nights\n/);
    expect(workflow.match(/^\s*path: \.cache\/nights,$|path: \.cache\/nights, key/gm)).toHaveLength(2);
    expect(workflow).toMatch(/path: \|\n(?: {12}.*\n)*? {12}\.cache\/nights\/\*\n/);
    expect(workflow).toContain('include-hidden-files: true');
  });
});
