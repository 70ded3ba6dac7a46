/** A USB device on its way to an endpoint, what drives it there, and how the endpoint stands. */
import type { UsbDevice, UsbIdentity, UsbPipe } from '../bindings/bindings.ts';
import type { KnownBy } from './places.ts';
import type { Resolution } from './recipes.ts';

/** A place for one device, as the API names it. */
export interface EndpointDeclaration {
  readonly id: string;
  readonly kind: string;
  /** `usb`: bound when a device is plugged in. `node`: brought by the room itself (`node.bring`). */
  readonly transport: 'usb' | 'node';
  readonly capabilities: readonly string[];
}

/** A device whose kind is known and whose endpoint is free. */
export interface Candidate {
  readonly device: UsbDevice;
  readonly kind: string;
  readonly endpoint: EndpointDeclaration;
  /** By vendor and product id alone; the room may know better once the device has spoken. */
  readonly recipe: Resolution | undefined;
}

/** Why a device was not bound: `reason` is a word for programs, `detail` a sentence for people. */
export interface Refusal {
  readonly reason: string;
  readonly detail?: string;
}

/** A device in the hands of its room. */
export interface Bound {
  readonly recipe: Resolution;
  /** Since when the device has not answered where it should (monotonic ms), undefined while it does. */
  silentSince(): number | undefined;
  /** Lets go of the device; also called after it was unplugged. Never rejects. */
  release(): Promise<void>;
}

export type Condition = 'never_seen' | 'no_channel' | 'gone' | 'silent' | 'bound';

/** An endpoint and how it stands. */
export interface EndpointState {
  readonly declaration: EndpointDeclaration;
  readonly condition: Condition;
  /** Since when it is `gone` or `silent` (monotonic ms). */
  readonly since: number | undefined;
  /** Of the device that is bound or refused now, else of the last one. */
  readonly identity: UsbIdentity | undefined;
  /** What the device is driven by. */
  readonly recipe: Resolution | undefined;
  /** Where several endpoints are of this kind: what tells the device that is bound from those of the others. */
  readonly knownBy: KnownBy | undefined;
  /** Why the device that is plugged in is not bound. */
  readonly reason: string | undefined;
}

/**
 * What a bound device of the room's kinds holds of the bus: its control pipe, and of the interfaces of these classes the
 * pipes of these types. Of the settings of an interface, the one with the most counts.
 */
export interface ChannelsDeclaration {
  /** USB class codes (bInterfaceClass) of the interfaces that are claimed, by the room or by the machine's own driver. */
  readonly classes: readonly number[];
  /** Types of the pipes that are opened there: one IN pipe of each interface, and one OUT pipe where the room writes. */
  readonly types: readonly UsbPipe['type'][];
  readonly writes?: boolean;
  /** Every interface of these classes is used at once, where otherwise it is one of them. */
  readonly all?: boolean;
  /** Name of the option by which a recipe row says that a device has no IN pipe that is read. */
  readonly oneWay?: string;
}
