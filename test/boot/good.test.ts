/** When an image says that it is good, and that it is alive: only once a request gets through to its answer. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { ALIVE_INTERVAL_MS, BOOT_FACTS, type BootFacts } from '../../runtime/bindings/boot-messages.ts';
import { createBoot } from '../../runtime/bindings/native/boot.ts';

const FACTS: BootFacts = { slot: 'a', reason: 'update', failed: [], incoming: '/nowhere', launcher: 1 };

/** This process as one that a launcher started. Returns the types of what it is told. */
function launched(): string[] {
  const told: string[] = [];
  const own = {
    env: { [BOOT_FACTS]: JSON.stringify(FACTS) },
    connected: true,
    channel: undefined,
    on: () => {},
    send: ({ type }: { readonly type: string }) => told.push(type),
  };
  const values = Object.entries(own).map(([name, value]) => [name, { value }]);
  vi.stubGlobal('process', Object.create(process, Object.fromEntries(values) as PropertyDescriptorMap));
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  return told;
}

it('an image is good at once where it works, and alive from then on', async () => {
  const told = launched();
  createBoot(() => {}).markGood(async () => true);
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(['good']);
  await vi.advanceTimersByTimeAsync(2 * ALIVE_INTERVAL_MS);
  expect(told).toEqual(['good', 'alive', 'alive']);
});

it('an image whose front does not answer is not good, and then not alive', async () => {
  const told = launched();
  let works = false;
  createBoot(() => {}).markGood(async () => works);
  await vi.advanceTimersByTimeAsync(3 * ALIVE_INTERVAL_MS);
  expect(told).toEqual([]);
  works = true;
  await vi.advanceTimersByTimeAsync(ALIVE_INTERVAL_MS);
  expect(told).toEqual(['good']);
  works = false;
  await vi.advanceTimersByTimeAsync(2 * ALIVE_INTERVAL_MS);
  expect(told).toEqual(['good']);
});
