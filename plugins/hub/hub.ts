/**
 * The status of hubs (USB 2.0, 11.23). The operating system drives them, so a hub is never opened or claimed: its class shows
 * that it is one, bmAttributes its power supply, and port paths the devices behind it.
 */
import { usbHub } from '../../codecs/usb-hub.ts';
import { defined } from '../../runtime/base/defined.ts';
import type { UsbIdentity } from '../../runtime/bindings/usb.ts';
import { derivedRecipe } from '../../runtime/kernel/derived.ts';
import type { Bound } from '../../runtime/kernel/device.ts';
import type { LedgerEntry } from '../../runtime/kernel/ledger.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import type { Resolution } from '../../runtime/recipes/table.ts';
import type { HubStatus } from './contract.ts';

const HUB_CLASS = 0x09;

/** True where the device class or an interface class is that of a hub (09). */
export const isHub = (identity: UsbIdentity): boolean =>
  identity.class === HUB_CLASS || identity.interfaces.some(({ class: code }) => code === HUB_CLASS);

/** A bound hub, which does nothing. A recipe row for the whole vendor does not apply to its hubs. */
export const boundHub = (identity: UsbIdentity, recipe: Resolution | undefined): Bound => ({
  recipe: recipe?.row.kind === 'hub' ? recipe : derivedRecipe(identity, usbHub),
  silentSince: () => undefined,
  release: () => Promise.resolve(),
});

/** The hubs that are plugged in, without those refused for lack of a channel: no device is visible behind these. */
export const hubsOf = (ledger: Node['ledger']): LedgerEntry[] =>
  [...ledger.devices].filter(({ connected, kind, reason }) => connected && kind === 'hub' && reason !== 'no_channel');

/** The status block of one hub. `endpointAt`: gives the endpoint of the device at a port path, if any. */
export function hubStatus(
  { identity }: LedgerEntry,
  ledger: Node['ledger'],
  endpointAt: (port: string) => string | undefined,
): HubStatus {
  const { port, selfPowered } = identity;
  const { maxPowerMa } = identity;
  const ports = [...ledger.devices].flatMap((entry) => {
    const number = entry.connected ? portBehind(port, entry.identity.port) : undefined;
    if (number === undefined) return [];
    return [{ number, ...namesOf(entry.identity), kind: entry.kind ?? 'unknown', ...held(entry.identity) }];
  });
  return {
    ...held(identity),
    port,
    ...namesOf(identity),
    power: selfPowered ? 'self' : 'bus',
    ...defined({ maxPowerMa }),
    ports: ports.sort((a, b) => a.number - b.number),
  };

  function held(plugged: UsbIdentity) {
    const endpoint = endpointAt(plugged.port);
    return endpoint === undefined ? {} : { endpoint };
  }
}

const namesOf = ({ vendorId, productId, make, model }: UsbIdentity) => ({ vendorId, productId, make, model });

/** The port of the hub that a device is in: `1-1.4` is in port 4 of hub `1-1`; `1-1.4.2` is behind another hub. */
function portBehind(hub: string, device: string): number | undefined {
  if (!device.startsWith(`${hub}.`)) return undefined;
  const rest = device.slice(hub.length + 1);
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}
