/**
 * Hubs as their descriptors tell (USB 2.0, 11.23). The machine's own driver runs them, so a hub is never opened or
 * claimed here: it is known by its class, its power by bmAttributes, and what hangs behind it by port path.
 */
import { usbHub } from '../../codecs/usb-hub.ts';
import type { UsbIdentity } from '../../runtime/bindings/bindings.ts';
import { derivedRecipe } from '../../runtime/kernel/derived.ts';
import type { Bound } from '../../runtime/kernel/device.ts';
import type { LedgerEntry } from '../../runtime/kernel/ledger.ts';
import type { Node } from '../../runtime/kernel/node.ts';
import type { Resolution } from '../../runtime/kernel/recipes.ts';
import type { HubStatus } from './contract.ts';

const HUB_CLASS = 0x09;

export const isHub = (identity: UsbIdentity): boolean =>
  identity.class === HUB_CLASS || identity.interfaces.some(({ class: code }) => code === HUB_CLASS);

/** Nothing to drive, nothing to let go of. A row for a whole vendor does not mean the vendor's hubs. */
export const boundHub = (identity: UsbIdentity, recipe: Resolution | undefined): Bound => ({
  recipe: recipe?.row.kind === 'hub' ? recipe : derivedRecipe(identity, usbHub),
  silentSince: () => undefined,
  release: () => Promise.resolve(),
});

/** Hubs that are plugged in now, but for those the bus has no channel for: nothing is seen behind them. */
export const hubsOf = (ledger: Node['ledger']): LedgerEntry[] =>
  [...ledger.devices].filter(({ connected, kind, reason }) => connected && kind === 'hub' && reason !== 'no_channel');

/** `endpointAt`: the endpoint that holds the device at a port, where one does. */
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
    ...(maxPowerMa !== undefined && { maxPowerMa }),
    ports: ports.sort((a, b) => a.number - b.number),
  };

  function held(plugged: UsbIdentity) {
    const endpoint = endpointAt(plugged.port);
    return endpoint === undefined ? {} : { endpoint };
  }
}

const namesOf = ({ vendorId, productId, make, model }: UsbIdentity) => ({ vendorId, productId, make, model });

/** Which port of the hub a device is in: `1-1.4` is in port 4 of the hub `1-1`, and `1-1.4.2` is in another hub's. */
function portBehind(hub: string, device: string): number | undefined {
  if (!device.startsWith(`${hub}.`)) return undefined;
  const rest = device.slice(hub.length + 1);
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}
