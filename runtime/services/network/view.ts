/** GET /network: the current connection. Changes nothing; never contains a password. */
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../base/defined.ts';
import type { Bindings } from '../../bindings/bindings.ts';
import { netmaskOf } from '../../bindings/ipv4.ts';
import type { Ipv4Settings, NetworkState } from '../../bindings/network.ts';
import type { Node } from '../../kernel/node.ts';
import { ERASED } from '../../kernel/settings.ts';
import type { NetworkView } from './contract.ts';
import type { FixedAddress } from './fixed-address.ts';
import type { Lan } from './lan.ts';
import type { Trying } from './trying.ts';

type Known = Omit<NetworkState, 'ipv4'> & { readonly ipv4?: Partial<NonNullable<NetworkState['ipv4']>> };

/** The settings of this boot, and the current attempt. */
interface Boot {
  readonly ipv4: Ipv4Settings | undefined;
  readonly connection?:
    | {
        readonly trying: Trying | undefined;
        readonly fixed: Pick<FixedAddress, 'settings' | 'fault'>;
        readonly lan: Pick<Lan, 'read'>;
      }
    | undefined;
}

/** The response. `boot`: undefined if the room has not started. Unknown values are null. */
export async function networkView(node: Node, boot: Boot | undefined): Promise<NetworkView> {
  const { deviceId, image, settings, bindings, listening } = node;
  const state = await stateOf(bindings);
  const { mode, ssid, band, signalDbm, ipv4, mac } = state;
  const lan = await boot?.connection?.lan.read(state);
  const stored = settings.read('ipv4');
  const trying = boot?.connection?.trying;
  const { settings: fixed, fault } = boot?.connection?.fixed ?? {};
  return {
    mode,
    ...defined({ ssid, band }),
    bands: [...(image.hardware.bands ?? [])],
    ...defined({ signalDbm }),
    ipv4: {
      method: ipv4?.method ?? null,
      address: ipv4?.address ?? null,
      netmask: ipv4?.netmask ?? null,
      gateway: ipv4?.gateway ?? null,
      dns: ipv4?.dns ?? null,
      ...(fault !== undefined && { fault, fixed: { ...fixed } }),
    },
    ...(isDeepStrictEqual(stored, boot?.connection === undefined ? boot?.ipv4 : fixed)
      ? {}
      : { pendingIpv4: stored ?? {} }),
    ...defined({ lan, trying }),
    mac,
    hostname: listening.get('mdns') ?? `node-${deviceId}.local`,
    custodyHold: settings.read(ERASED) === true,
  };
}

const stateOf = async ({ radio, links }: Bindings): Promise<Known> =>
  (await radio?.read().catch(() => undefined)) ?? seenIn(links.list());

const LINK_LOCAL = '169.254.';

/** The state by the list of interfaces, for a machine without a network manager. */
function seenIn(links: ReturnType<Bindings['links']['list']>): Known {
  for (const { mac, addresses } of links) {
    const found = addresses.find(({ family, address }) => family === 4 && !address.startsWith(LINK_LOCAL));
    if (found === undefined) continue;
    return { mode: 'ethernet', mac, ipv4: { address: found.address, netmask: netmaskOf(found.prefix) } };
  }
  return { mode: 'offline', mac: links[0]?.mac ?? '' };
}
