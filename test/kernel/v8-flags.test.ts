import { cachedDataVersionTag } from 'node:v8';
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
