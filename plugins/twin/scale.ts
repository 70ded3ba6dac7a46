/** PUT /twin/scale: puts something on the virtual scale, sends it to sleep, pulls its plug. */
import type { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { ApiError } from '../../runtime/kernel/errors.ts';
import { route } from '../../runtime/kernel/plugin.ts';
import { type Bench, TwinScale, TwinScaleState } from './contract.ts';

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
    // The bus tells the node on the next tick.
    await Promise.resolve();
    await node.settled();
    return { ok: true, ...scale.state, attached: bench.usb.isPlugged(scale) };
  },
});
