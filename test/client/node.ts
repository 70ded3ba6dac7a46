/** A twin in this process, and the client that speaks to it. */
import { createVirtualDevice as printer } from '../../plugins/printer/virtual/device.ts';
import type { VirtualDevice } from '../../runtime/bindings/virtual/device.ts';
import { type ClientOptions, NodeClient } from '../../runtime/client/client.ts';
import { startTestNode } from '../../runtime/node/testing.ts';
import { twinPlugins } from '../plugins.ts';

/** Starts a node with a printer, and with the devices that `devices` makes, by kind. The caller stops the node. */
export async function startWithClient(
  devices: Readonly<Record<string, () => VirtualDevice>> = {},
  options: Partial<ClientOptions> = {},
) {
  const node = await startTestNode({ plugins: twinPlugins, devices: { printer, ...devices } });
  return { node, client: new NodeClient({ url: node.url, ...options }) };
}
