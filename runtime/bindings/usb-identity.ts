/** Makes a UsbIdentity from descriptors and strings, for native and virtual buses. */
import { cleanString, parseDescriptors } from '../../codecs/usb-descriptor.ts';
import type { UsbIdentity } from './usb.ts';

/** The string descriptors of a device as read, before cleaning; absent or '' if it has none. */
export interface UsbStrings {
  readonly make?: string | undefined;
  readonly model?: string | undefined;
  readonly serial?: string | undefined;
}

const DEVICE_CLASS = 4;
const ID_VENDOR = 8;
const ID_PRODUCT = 10;

/**
 * The identity of a device. `descriptors`: the device descriptor, then the configuration descriptor with its interfaces
 * and endpoints (USB 2.0, 9.6). If they are invalid, `malformed` says why and there are no interfaces.
 */
export function usbIdentity(descriptors: Uint8Array, strings: UsbStrings, port: string): UsbIdentity {
  const parsed = parseDescriptors(descriptors);
  // One of blanks alone, as devices without a number send it, tells nothing apart.
  const serial = cleanString(strings.serial ?? '');
  return {
    make: cleanString(strings.make ?? ''),
    model: cleanString(strings.model ?? ''),
    ...(serial && { serial }),
    port,
    descriptors,
    // Last, so that all identities have one hidden class (see `stateOf`).
    ...(parsed.ok ? parsed.value : unread(descriptors, parsed.reason)),
  };
}

/** What is known of a device whose descriptors are invalid. */
function unread(descriptors: Uint8Array, malformed: string) {
  const id = (at: number) => ((descriptors[at] ?? 0) | ((descriptors[at + 1] ?? 0) << 8)).toString(16).padStart(4, '0');
  return {
    vendorId: id(ID_VENDOR),
    productId: id(ID_PRODUCT),
    class: descriptors[DEVICE_CLASS] ?? 0,
    interfaces: [],
    selfPowered: false,
    malformed,
  };
}
