/** A twin with the device of each room, and others at hand. */
import type { VirtualDevice } from '../../../runtime/bindings/virtual/device.ts';
import { startTestNode } from '../../../runtime/node/testing.ts';
import { twinDevices } from '../../devices.ts';
import { twinPlugins } from '../../plugins.ts';

interface Status {
  peripherals: { endpoint: string; condition: string; device?: { vendorId: string }; recipe?: object }[];
  rejections: { vendorId: string; reason: string }[];
}

export async function startCounter(atHand: Readonly<Record<string, () => VirtualDevice>> = {}) {
  const node = await startTestNode({ plugins: twinPlugins, devices: twinDevices, atHand });
  const call = async <T = Record<string, unknown>>(path: string, method = 'GET', body?: object) => {
    const init = { method, ...(body && { body: JSON.stringify(body) }) };
    return (await (await fetch(`${node.url}${path}`, init)).json()) as T;
  };
  const status = () => call<Status>('/status');
  return {
    ...node,
    call,
    status,
    peripheral: async (endpoint: string) => (await status()).peripherals.find((each) => each.endpoint === endpoint),
    /** Plugs in, or pulls out, the device with these ids, `VID:PID`. */
    attach: (ids: string, attached = true) => {
      const [vendorId, productId] = ids.split(':');
      return call('/twin/attach', 'POST', { vendorId, productId, attached });
    },
  };
}
export type Counter = Awaited<ReturnType<typeof startCounter>>;
