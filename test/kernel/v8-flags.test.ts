import { cachedDataVersionTag } from 'node:v8';
import { afterEach, expect, it, vi } from 'vitest';
import { asBuilt, beFrugal, leanHeap } from '../../runtime/kernel/v8-flags.ts';

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
  beFrugal(true);
  const frugal = cachedDataVersionTag();
  expect([built, lean]).not.toContain(frugal);
  const frugalAgain = asBuilt();
  expect(cachedDataVersionTag()).toBe(built);
  frugalAgain();
  expect(cachedDataVersionTag()).toBe(frugal);
  beFrugal(false);
  expect(cachedDataVersionTag()).toBe(lean);
});
