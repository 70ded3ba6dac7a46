/**
 * The flags of V8 that a node runs with. V8 takes the code that Node has compiled in advance only while every flag is as it
 * was when Node was built: with others, each module of Node's own is compiled anew when it is loaded.
 */
import type { PerformanceObserver } from 'node:perf_hooks';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { collector } from '../base/garbage.ts';

// A node lives for years in little memory: collect early rather than let the heap grow with the traffic. What is young is
// collected in well under a millisecond; other threads would take longer to begin, and on a busy machine all wait for them.
const NO_GROWTH = '--semi-space-growth-factor=1';
const YOUNG = [NO_GROWTH, '--no-parallel-scavenge'] as const;
/**
 * Bytes of what is young while a node has a few clients: with the 1 or 2 MiB that V8 begins with, receipts take a tenth more of the
 * processor's time on a busy machine, and hardly more on one that has nothing else to do. Left alone, it would grow to 32.
 */
const YOUNG_BYTES = 4 * 1024 * 1024;
const GROWTH = '--semi-space-growth-factor=2';
/** Collects all else when it has grown by a quarter of what V8 would let it grow by, 9 MB, where a heap in use has 10 to 13. */
const EARLY = '--incremental-marking-hard-trigger=25';
const NOT_EARLY = '--incremental-marking-hard-trigger=0';
/** The heap grows by as little as it can. */
const LEAN = ['--optimize-for-size', NOT_EARLY, ...YOUNG] as const;
/**
 * What V8 collects for size keeps no hidden class of which there is no object at that moment, and no optimized code that knows one: beside
 * images, of each of which strings of 100 kB are left behind, most of it was compiled anew every second.
 */
const STEADY = ['--no-optimize-for-size', EARLY, ...YOUNG] as const;
/** As little as it can, whatever that costs. */
const FRUGAL = ['--optimize-for-size', EARLY, ...YOUNG] as const;
/** By the clients of a node: `many` are more than a shop has. */
const HEAPS = { none: LEAN, few: STEADY, many: FRUGAL };
/** What V8 has instead of them. `--optimize-for-size` sets the size of what is young, too. */
export const AS_BUILT = [
  '--no-optimize-for-size',
  '--max-semi-space-size=0',
  '--semi-space-growth-factor=2',
  '--parallel-scavenge',
  NOT_EARLY,
] as const;
/** What every start loads of Node; `cluster` is loaded by the first port that is opened. */
const LOADED = [
  'child_process',
  'cluster',
  'crypto',
  'dgram',
  'dns',
  'fs/promises',
  'http',
  'os',
  'timers/promises',
  'vm',
] as const;

/** Told each collection while what is young has to grow. */
let growing: PerformanceObserver | undefined;

/** What this process runs with; empty where that is as V8 was built. */
let flags: readonly string[] = [];

function set(some: readonly string[]): void {
  for (const flag of some) setFlagsFromString(flag);
}

/** Sets them. To be called first in a process of its own: what the heap grows by while a program is loaded, it keeps. */
export function leanHeap(): void {
  for (const name of LOADED) process.getBuiltinModule(`node:${name}`);
  // Node loads what these need at their first call.
  isDeepStrictEqual(parseArgs({ args: [] }), {});
  flags = LEAN;
  set(flags);
  // A process whose other thread still compiles may hang as it ends (nodejs/node issue 54918), and is then killed as stuck.
  setFlagsFromString('--no-concurrent-sparkplug');
}

/** Collects what a start has left behind. V8 counts from the last time that it did, and before the first as if the heap were very large. */
export function collectStart(): void {
  collector()();
}

/** From here on a lean heap is the one for so many clients. */
export function heapFor(clients: keyof typeof HEAPS): void {
  if (flags.length === 0 || flags === HEAPS[clients]) return;
  flags = HEAPS[clients];
  set(flags);
  growing?.disconnect();
  if (clients === 'few') growYoung();
}

/** Lets what is young grow to `YOUNG_BYTES`: V8 has no flag for it that can be set in a process that runs. */
function growYoung(): void {
  // Made with the first client: it is no part of a start.
  const { PerformanceObserver: Observer } = process.getBuiltinModule('node:perf_hooks');
  growing ??= new Observer(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    const isGrown = (young?.space_size ?? 0) >= YOUNG_BYTES;
    setFlagsFromString(isGrown ? NO_GROWTH : GROWTH);
    if (isGrown) growing?.disconnect();
  });
  growing.observe({ entryTypes: ['gc'] });
}

/**
 * Sets the flags back while a thread starts, because what it loads of Node then takes half of the time. Gives what sets them
 * again; only its first call does something. Neither does anything in a process without a lean heap.
 */
export function asBuilt(): () => void {
  if (flags.length === 0) return () => {};
  set(AS_BUILT);
  let over = false;
  return () => {
    if (!over) set(flags);
    over = true;
  };
}
