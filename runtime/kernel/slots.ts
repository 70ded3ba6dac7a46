/** The state of one endpoint: the device that is bound there, or the one that should be and why it is not. */
import type { UsbDevice, UsbIdentity } from '../bindings/usb.ts';
import type { Resolution } from '../recipes/table.ts';
import type { Bound, EndpointDeclaration, EndpointState, Refusal } from './device.ts';
import type { Device, KnownBy } from './places.ts';

/** An endpoint and what is known of its device. */
export interface Slot {
  readonly declaration: EndpointDeclaration;
  /** `device` is undefined where a room set it with `bring`. */
  bound: { device: UsbDevice | undefined; by: Bound } | undefined;
  /** The connected device that should be bound here, and why it is not. */
  refused: { device: UsbDevice; refusal: Refusal } | undefined;
  /** Identity of the device that is bound or refused now, else of the last one. */
  identity: UsbIdentity | undefined;
  recipe: Resolution | undefined;
  /** Whether its device was chosen among several endpoints of the kind. */
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
export function stateOf(slot: Slot, knownBy: KnownBy | undefined): EndpointState {
  const { declaration, bound, refused, identity, recipe, replaces } = slot;
  const reason = bound === undefined ? refused?.refusal.reason : bound.by.silentReason?.();
  const [condition, since] = conditionOf(slot);
  // No spread, which every look at a state would pay for: V8 makes an object a hidden class of its own where properties
  // follow one, and only a full collection frees it.
  return { declaration, condition, since, identity, recipe, reason, knownBy, replaces: bound && replaces };
}

function conditionOf({ bound, refused, goneAt }: Slot): [condition: EndpointState['condition'], since?: number] {
  if (bound !== undefined) {
    const silentSince = bound.by.silentSince();
    return silentSince === undefined ? ['bound'] : ['silent', silentSince];
  }
  if (refused?.refusal.reason === 'no_channel') return ['no_channel'];
  return goneAt === undefined ? ['never_seen'] : ['gone', goneAt];
}
