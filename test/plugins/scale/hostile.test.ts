/** Scales that send what they should not. */
import { describe, expect, it } from 'vitest';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { soon } from '../../device-node.ts';
import { startScaleNode } from './node.ts';

describe('a scale', () => {
  class NoisyScale extends VirtualScale {
    say(report: readonly number[]): void {
      this.send(0x82, Uint8Array.from(report));
    }
    override collect(pipe: number, length: number) {
      return VirtualDevice.prototype.collect.call(this, pipe, length);
    }
  }
  const GRAMS = [3, 4, 2] as const;

  it.each([
    ['an exponent of -128', [...GRAMS, 0x80, 10, 0]],
    ['an exponent of 127', [...GRAMS, 0x7f, 10, 0]],
    ['its weight cut off', [...GRAMS, 0xff, 10]],
    ['a status it has not', [3, 0xff, 2, 0xff, 10, 0]],
    ['a unit it has not', [3, 4, 0xff, 0xff, 10, 0]],
  ])('that sends %s has no weight, and a fault, until it sends one again', async (_, noise) => {
    const node = await startScaleNode();
    const scale = new NoisyScale();
    await node.plug(scale);
    for (const report of [noise, noise]) scale.say(report);
    await soon(async () => (await node.scale()).fault === 'fault');
    expect(await node.scale()).toMatchObject({ weight: null, unit: null, stable: false });
    // Behind the weight its report ends; what comes too much is no part of it.
    scale.say([...GRAMS, 0xff, 0x6f, 0x04, 9, 9]);
    await soon(async () => (await node.scale()).weight === 113.5);
    expect(await node.scale()).not.toHaveProperty('fault');
  });
});
