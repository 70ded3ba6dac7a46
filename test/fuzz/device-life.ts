/**
 * Devices that leave at any step of being bound, stall at any request, are held or denied, and come back: in the end
 * each is bound, and none has left a timer or a listener behind.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VirtualDevice, VirtualFaults } from '../../runtime/bindings/virtual/device.ts';
import { startTestNode, type TestNode } from '../../runtime/node/testing.ts';
import { wifiPlugins } from '../plugins.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? 1984);
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 15);
const STEP_MS = 200;
/** Longest wait by the node's own clock: longer than it tries a device again. */
const PATIENCE_MS = 120_000;
const HEALTHY: Partial<VirtualFaults> = { stall: false, nak: false, denied: false, heldElsewhere: false };

/** What befalls a device between two plugs. */
interface Mishap {
  readonly fault: keyof typeof HEALTHY | 'leaves';
  /** Transfers and requests that it still serves before. */
  readonly after: number;
  /** How long it lasts. */
  readonly ms: number;
  /** Pulled out and plugged in again when it is over; else it heals where it is. */
  readonly replug: boolean;
}
const mishap: fc.Arbitrary<Mishap> = fc.record({
  fault: fc.constantFrom('leaves', 'stall', 'nak', 'denied', 'heldElsewhere'),
  after: fc.nat(6),
  ms: fc.constantFrom(0, 1, 700, 2500, 9000),
  replug: fc.boolean(),
});
const life = fc.array(mishap, { minLength: 1, maxLength: 4 });

let node: TestNode;
/**
 * Abort listeners added while this file runs and not removed, on signals that are not aborted. What was added before,
 * by files that ran in this process earlier, may be removed at any time and does not count.
 */
const listening = new Map<AbortSignal, Set<unknown>>();
const listeners = () => [...listening].reduce((sum, [{ aborted }, added]) => sum + (aborted ? 0 : added.size), 0);

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** In small steps: bytes move in turns of the event loop, which take no time here. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed <= ms; passed += STEP_MS) {
    await vi.advanceTimersByTimeAsync(Math.min(STEP_MS, ms - passed));
    for (let count = 0; count < 5; count += 1) await turn();
  }
}

async function passUntil(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += STEP_MS) {
    if (waited > PATIENCE_MS)
      throw new Error(
        `in vain: ${JSON.stringify([...node.kernel.ledger.devices].filter(({ connected }) => connected))}`,
      );
    await pass(STEP_MS);
  }
}

/** Calls `act` when the device has served so many requests and transfers more. */
function afterServing(device: VirtualDevice, count: number, act: () => void): void {
  let left = count;
  const serve = <Call extends unknown[], Answer>(own: (...call: Call) => Answer) =>
    function (this: VirtualDevice, ...call: Call): Answer {
      if (left === 0) act();
      left -= 1;
      return own.apply(device, call);
    };
  Object.assign(device, {
    request: serve(Object.getPrototypeOf(device).request),
    offer: serve(Object.getPrototypeOf(device).offer),
    collect: serve(Object.getPrototypeOf(device).collect),
  });
}

export interface HardLife {
  readonly endpoint: string;
  create(): VirtualDevice;
  /** No row names it, so it is parked and probed, and what answered a probe with nothing is not asked again. */
  readonly probed?: boolean;
}

export function livesHard(name: string, { endpoint, create, probed = false }: HardLife): void {
  describe(name, () => {
    beforeAll(async () => {
      node = await startTestNode({ plugins: wifiPlugins });
      const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
      vi.spyOn(EventTarget.prototype, 'addEventListener').mockImplementation(function (this: EventTarget, ...call) {
        if (this instanceof AbortSignal) listening.set(this, (listening.get(this) ?? new Set()).add(call[1]));
        add.apply(this, call);
      });
      vi.spyOn(EventTarget.prototype, 'removeEventListener').mockImplementation(function (this: EventTarget, ...call) {
        if (this instanceof AbortSignal) listening.get(this)?.delete(call[1]);
        remove.apply(this, call);
      });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    });
    afterAll(async () => {
      vi.useRealTimers();
      vi.restoreAllMocks();
      await node.stop();
    });

    it('with a hard life is bound when it is over, and leaves nothing behind', { timeout: 120_000 }, async () => {
      const { usb } = node.bench;
      const { hotplug } = node.kernel;
      const isBound = () =>
        hotplug
          .states()
          .some(
            ({ declaration, condition }) =>
              declaration.id === endpoint && (condition === 'bound' || condition === 'silent'),
          );
      const timers = vi.getTimerCount();
      const heard = listeners();
      await fc.assert(
        fc.asyncProperty(life, async (mishaps) => {
          const device = create();
          for (const { fault, after, ms, replug } of mishaps) {
            if (!usb.isPlugged(device)) usb.plug(device);
            const act = () => (fault === 'leaves' ? usb.unplug(device) : device.misbehave({ [fault]: true }));
            if (after === 0) act();
            else afterServing(device, after, act);
            await pass(ms);
            afterServing(device, -1, () => {});
            device.misbehave(HEALTHY);
            if (replug || probed) usb.unplug(device);
          }
          if (!usb.isPlugged(device)) usb.plug(device);
          await pass(0);
          await passUntil(() => isBound() && usb.claimedInterfaces(device).length > 0);

          usb.unplug(device);
          await passUntil(() => !isBound() && vi.getTimerCount() === timers);
          await hotplug.settled();
          expect(listeners()).toBe(heard);
        }),
        { seed, numRuns, endOnFailure: true },
      );
    });
  });
}
