/** What a device leaves behind that comes and goes. The node's memory in a storm of plugs is a bar of `npm run bench`. */
import { setFlagsFromString } from 'node:v8';
import { expect, it, onTestFinished } from 'vitest';
import type { EndpointState } from '../../runtime/kernel/device.ts';
import { Gadget, startGadgets } from './hotplug-gadget.ts';

type Compare = (a: unknown, b: unknown) => boolean;

it('a device that comes and goes leaves no hidden classes of V8, which only a full collection frees', async () => {
  setFlagsFromString('--allow-natives-syntax');
  onTestFinished(() => setFlagsFromString('--no-allow-natives-syntax'));
  const haveSameClass = new Function('a', 'b', 'return %HaveSameMap(a, b)') as Compare;
  const node = await startGadgets();
  const device = new Gadget();
  const states: (EndpointState | undefined)[] = [];
  for (let plug = 0; plug < 100; plug += 1) {
    await node.plug(device);
    states.push(node.kernel.endpoint('gadget'));
    await node.unplug(device);
  }
  const [first] = states;
  expect(first).toMatchObject({ condition: 'bound', identity: { model: 'Gadget' } });
  expect(states.filter((state) => !haveSameClass(state, first))).toEqual([]);
  expect(states.filter((state) => !haveSameClass(state?.identity, first?.identity))).toEqual([]);
});
