/** Types of endpoints and of the devices that are bound to them. */
import type { UsbDevice, UsbIdentity, UsbPipe } from '../bindings/usb.ts';
import type { Resolution } from '../recipes/table.ts';
import type { Device, KnownBy } from './places.ts';

/** A place for one device, as the API names it. */
export interface EndpointDeclaration {
  readonly id: string;
  readonly kind: string;
  /** `usb`: bound by hot-plug when a device is connected. `node`: set by its room with `node.bring`. */
  readonly transport: 'usb' | 'node';
  readonly capabilities: readonly string[];
}

/** A device that is about to be bound: its kind is known and the endpoint is free. */
export interface Candidate {
  readonly device: UsbDevice;
  readonly kind: string;
  readonly endpoint: EndpointDeclaration;
  /** Resolved by vendor and product id alone; the room may choose another once it has read the device id. */
  readonly recipe: Resolution | undefined;
}

/** Why a device was not bound: `reason` is a code for programs, `detail` a sentence for people. */
export interface Refusal {
  readonly reason: string;
  readonly detail?: string;
}

/** A device that is bound: what a room returns from the hook `bind`. */
export interface Bound {
  readonly recipe: Resolution;
  /**
   * Since when the device has not answered requests that it should answer (ms of `performance.now()`); undefined while it answers.
   */
  silentSince(): number | undefined;
  /** Why it counts as silent, where it says something: `garbled`, noise in place of answers. */
  silentReason?(): string | undefined;
  /** Closes the device; also called after it was disconnected. Never rejects. */
  release(): Promise<void>;
}

/**
 * State of an endpoint: no device since the start; a device without the pipes that its kind needs; disconnected; bound
 * but not answering; bound.
 */
export type Condition = 'never_seen' | 'no_channel' | 'gone' | 'silent' | 'bound';

/** An endpoint and its current state. */
export interface EndpointState {
  readonly declaration: EndpointDeclaration;
  readonly condition: Condition;
  /** Since when it is `gone` or `silent` (monotonic ms). */
  readonly since: number | undefined;
  /** Identity of the device that is bound or refused now, else of the last one. */
  readonly identity: UsbIdentity | undefined;
  /** The recipe that the device is driven by. */
  readonly recipe: Resolution | undefined;
  /** Where several endpoints have this kind: how the bound device is told from theirs, by serial number or port. */
  readonly knownBy: KnownBy | undefined;
  /** The device that had this endpoint before the bound one, which has replaced it since the start. */
  readonly replaces: Device | undefined;
  /** Why the connected device is not bound (`Refusal.reason`), or is `silent` (`Bound.silentReason`). */
  readonly reason: string | undefined;
}

/**
 * Which host channels of the USB controller a bound device of the room's kinds needs: one for its control pipe, and one
 * for each pipe of these types on interfaces of these classes. Of an interface's alternate settings, the one with the
 * most such pipes counts.
 */
export interface ChannelsDeclaration {
  /**
   * USB class codes (bInterfaceClass) of the interfaces that are claimed, by the room or by the operating system's
   * driver.
   */
  readonly classes: readonly number[];
  /** Types of the pipes that are used: one IN pipe of each interface, and one OUT pipe if `writes`. */
  readonly types: readonly UsbPipe['type'][];
  readonly writes?: boolean;
  /** True: all interfaces of these classes are used at once. False or absent: one of them. */
  readonly all?: boolean;
  /** Name of the boolean recipe option which says that the device's IN pipe is not read. */
  readonly oneWay?: string;
}
