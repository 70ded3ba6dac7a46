/** The hub room: reports hubs and their power, and refuses a device where the bus has no channel left. */

import { usbHub } from '../../codecs/usb-hub.ts';
import type { UsbIdentity } from '../../runtime/bindings/usb.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import { definePlugin } from '../../runtime/kernel/plugin.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import { channelsOf, HUB_CHANNELS } from './channels.ts';
import { HubsStatus } from './contract.ts';
import { boundHub, hubStatus, hubsOf, isHub } from './hub.ts';

const ENDPOINT = 'hub';
const KIND = 'hub';

export default definePlugin({
  name: 'hub',
  api: 2,
  endpoints: [{ id: ENDPOINT, kind: KIND, transport: 'usb', capabilities: [] }],
  codecs: [usbHub],
  status: HubsStatus,
  room(node) {
    const { hooks, image, ledger } = node;
    hooks.classify.tap('hub', (identity) => (isHub(identity) ? 'hub' : undefined));
    hooks.bind.for('hub').tapPromise('hub', async ({ device, recipe }) => boundHub(device.identity, recipe));
    hooks.admit.tap('hub', ({ kind, device, recipe }) => {
      const needed = channelsHeld(node, kind, device.identity, recipe);
      const left = Math.max(0, image.usbChannels - channelsInUse(node, device.identity.port));
      if (needed <= left) return undefined;
      return { reason: 'no_channel', detail: `needs ${needed} of ${image.usbChannels} USB channels, ${left} left` };
    });
    hooks.status.tap('hub', (draft) => {
      const bound = node.endpoints().filter(isBound);
      const endpointAt = (port: string) => bound.find(({ identity }) => identity?.port === port)?.declaration.id;
      draft['usb'] = { ...(draft['usb'] as object | undefined), channelsInUse: channelsInUse(node) };
      draft['hubs'] = hubsOf(ledger).map((hub) => hubStatus(hub, ledger, endpointAt));
    });
  },
});

const isBound = ({ condition }: { readonly condition: string }) => condition === 'bound' || condition === 'silent';

const channelsHeld = (
  { channels }: Node,
  kind: string,
  identity: UsbIdentity,
  recipe: Resolution | undefined,
): number => (kind === KIND ? HUB_CHANNELS : channelsOf(channels.get(kind), identity, recipe));

/**
 * Channels of all bound devices, and of hubs behind a hub, which work although they have no endpoint. The device at the
 * port `asking` is not counted: it is in the ledger before it is admitted.
 */
function channelsInUse(node: Node, asking?: string): number {
  const bound = node.endpoints().filter(isBound);
  const held = bound.map(({ declaration, identity, recipe }) =>
    identity === undefined ? 0 : channelsHeld(node, declaration.kind, identity, recipe),
  );
  const further = hubsOf(node.ledger).filter(
    ({ state, identity }) => state !== 'bound' && identity.port !== asking,
  ).length;
  return held.reduce((sum, channels) => sum + channels, 0) + further * HUB_CHANNELS;
}
