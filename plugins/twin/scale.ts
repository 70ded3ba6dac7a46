/** PUT /twin/scale: changes the load, the status and the plug of the virtual scale. */
import type { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import { route } from '../../runtime/kernel/plugin.ts';
import { type Bench, TwinScale, TwinScaleState } from './contract.ts';

/** Answers with the state after the change; `no_scale` without a scale. */
export const twinScale = route({
  method: 'PUT',
  path: '/twin/scale',
  tier: 'none',
  summary: 'weigh something, send the scale to sleep, pull the plug',
  body: { schema: TwinScale, invalid: 'invalid_config' },
  response: TwinScaleState,
  errors: ['invalid_config', 'no_scale'],
  handle: async ({ node, body: { attached, ...change } }) => {
    const { bench } = node.bindings;
    const scale = bench?.devices.get('scale') as (VirtualDevice & Bench<typeof TwinScale>) | undefined;
    if (bench === undefined || scale === undefined) throw new ApiError('no_scale');
    const plugged = bench.usb.isPlugged(scale);
    if (!plugged && attached === undefined) throw new ApiError('no_scale', 'plug it in with "attached": true');
    scale.set(change);
    if (attached === true && !plugged) bench.usb.plug(scale);
    if (attached === false) bench.usb.unplug(scale);
    // The bus reports the change to the node in the next microtask.
    await Promise.resolve();
    await node.settled();
    return { ok: true, ...scale.state, attached: bench.usb.isPlugged(scale) };
  },
});
