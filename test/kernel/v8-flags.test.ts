import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cachedDataVersionTag } from 'node:v8';
import { build } from 'esbuild';
import { afterEach, expect, it, vi } from 'vitest';
import { asBuilt, heapFor, leanHeap } from '../../runtime/kernel/v8-flags.ts';

// Flags are those of the process, whatever ran in it before.
leanHeap();
asBuilt();
// The tag of V8 says of which flags it takes compiled code (v8.cachedDataVersionTag).
const built = cachedDataVersionTag();

afterEach(() => {
  asBuilt();
});

it('a process without a lean heap keeps its flags while a thread starts', async () => {
  vi.resetModules();
  const another = await import('../../runtime/kernel/v8-flags.ts');
  another.asBuilt()();
  expect(cachedDataVersionTag()).toBe(built);
});

it('V8 takes what Node has compiled while a thread starts, and has a lean heap before and after', () => {
  leanHeap();
  const lean = cachedDataVersionTag();
  expect(lean).not.toBe(built);
  const leanAgain = asBuilt();
  expect(cachedDataVersionTag()).toBe(built);
  leanAgain();
  expect(cachedDataVersionTag()).toBe(lean);
  leanAgain();
  expect(cachedDataVersionTag()).toBe(lean);
});

it('V8 takes what Node has compiled while a thread starts, and has a heap that grows as little as it can before and after', () => {
  leanHeap();
  const lean = cachedDataVersionTag();
  heapFor('few');
  const steady = cachedDataVersionTag();
  heapFor('many');
  const frugal = cachedDataVersionTag();
  expect(new Set([built, lean, steady, frugal]).size).toBe(4);
  const frugalAgain = asBuilt();
  expect(cachedDataVersionTag()).toBe(built);
  frugalAgain();
  expect(cachedDataVersionTag()).toBe(frugal);
  heapFor('few');
  expect(cachedDataVersionTag()).toBe(steady);
  heapFor('none');
  expect(cachedDataVersionTag()).toBe(lean);
});

it.each([
  ['a few clients', 'few', 4, 8],
  ['no clients', 'none', 1, 2],
  ['many clients', 'many', 1, 2],
])(
  'what is young of a node with %s, while it is in use, has its bound, and reaches it with a few alone',
  async (_, clients, least, most) => {
    const contents = `import { getHeapSpaceStatistics } from 'node:v8';
    import { setImmediate as turn } from 'node:timers/promises';
    import { heapFor, leanHeap } from './runtime/kernel/v8-flags.ts';
    leanHeap();
    heapFor('few');
    heapFor(process.argv[1]);
    let most = 0;
    const kept = [];
    for (let turns = 0; turns < 2000; turns += 1) {
      for (let made = 0; made < 500; made += 1) kept[made] = { turns, text: [made, String(turns + made)] };
      await turn();
      const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
      most = Math.max(most, space_size);
    }
    process.stdout.write(String(most));`;
    const stdin = { contents, resolveDir: '.', loader: 'ts' } as const;
    const made = await build({ stdin, bundle: true, format: 'esm', platform: 'node', write: false, logLevel: 'error' });
    const program = made.outputFiles[0]?.text ?? '';
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, clients]);
    const mib = Number(stdout) / 1024 / 1024;
    expect(mib).toBeGreaterThanOrEqual(least);
    expect(mib).toBeLessThanOrEqual(most);
  },
);
