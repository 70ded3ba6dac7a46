/** The state of one endpoint: the device that is bound there, or the one that should be and why it is not. */
import type { UsbDevice, UsbIdentity } from '../bindings/bindings.ts';
import type { Bound, EndpointDeclaration, EndpointState, Refusal } from './device.ts';
import type { Device, KnownBy } from './places.ts';
import type { Resolution } from './recipes.ts';

/** An endpoint and what is known of its device. */
export interface Slot {
  readonly declaration: EndpointDeclaration;
  /** `device` is undefined where a room set it with `bring`. */
  bound: { device: UsbDevice | undefined; by: Bound } | undefined;
  /** The connected device that should be bound here, and why it is not. */
  refused: { device: UsbDevice; refusal: Refusal } | undefined;
  /** Of the device that is bound or refused now, else of the last one. */
  identity: UsbIdentity | undefined;
  recipe: Resolution | undefined;
  /** Its device was chosen among several endpoints of the kind. */
  hasRivals: boolean;
  /** The device that had this endpoint before the one that is bound. */
  replaces: Device | undefined;
  goneAt: number | undefined;
}

/** A slot that has not seen a device. */
export const emptySlot = (declaration: EndpointDeclaration): Slot => ({
  declaration,
  bound: undefined,
  refused: undefined,
  identity: undefined,
  recipe: undefined,
  hasRivals: false,
  replaces: undefined,
  goneAt: undefined,
});

/** The state of an endpoint as rooms see it; `since` in monotonic ms. `knownBy`: how its device is recognized. */
export function stateOf(
  { declaration, bound, refused, identity, recipe, replaces, goneAt }: Slot,
  knownBy: KnownBy | undefined,
): EndpointState {
  const reason = refused?.refusal.reason;
  const known = { declaration, identity, recipe, reason, knownBy, replaces: bound && replaces };
  if (bound !== undefined) {
    const silentSince = bound.by.silentSince();
    return { ...known, condition: silentSince === undefined ? 'bound' : 'silent', since: silentSince };
  }
  if (reason === 'no_channel') return { ...known, condition: 'no_channel', since: undefined };
  return { ...known, condition: goneAt === undefined ? 'never_seen' : 'gone', since: goneAt };
}
