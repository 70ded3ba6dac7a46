/** A node with a scale on a serial line. */
import { VirtualSerialScale, type VirtualSerialScaleOptions } from '../../../plugins/serial/virtual-scale.ts';
import { stationHubPlugins } from '../../plugins.ts';
import { startScaleNode } from '../scale/node.ts';

export const PORT = '1-1';

/** Plugged in, and assigned to its port. */
export async function startSerialNode(protocol: string, options: VirtualSerialScaleOptions = {}) {
  const scale = new VirtualSerialScale({ protocol, everyMs: 20, ...options });
  const node = await startScaleNode({ plugins: stationHubPlugins });
  await node.put('/config', { serial: { [PORT]: { kind: 'scale', protocol } } });
  await node.plug(scale, PORT);
  return { node, scale };
}
