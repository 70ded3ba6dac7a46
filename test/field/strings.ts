/** String descriptors of a device, read as Linux reads them for the files of /sys (drivers/usb/core/message.c, fs/nls/nls_base.c). */
import type { VirtualStrings } from '../../runtime/bindings/virtual/device.ts';

/** Descriptors by index, in the language that the device names first; an index that is not there is stalled. */
export type StringDescriptors = Readonly<Record<string, Uint8Array>>;

const STRING = 3;
/** Where the device descriptor has iManufacturer, iProduct and iSerialNumber (USB 2.0, 9.6.1). */
const INDEXES = { make: 14, model: 15, serial: 16 } as const;

/** Where the list of languages is stalled, nothing else is asked for. A string of no character counts as none. */
export function stringsOf(device: Uint8Array, descriptors: StringDescriptors): VirtualStrings {
  if (descriptors[0] === undefined) return {};
  const texts = Object.entries(INDEXES).map(([name, at]) => [name, textOf(descriptors[device[at] ?? 0])] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

/** Whole UTF-16 characters up to the first NUL; halves of a pair that have no other half are left out. */
function textOf(descriptor: Uint8Array = new Uint8Array(0)): string {
  const [length = 0, type] = descriptor;
  if (type !== STRING) return '';
  const characters = descriptor.subarray(2, Math.min(length, descriptor.length) & ~1);
  const [text = ''] = Buffer.from(characters).toString('utf16le').split('\0');
  return text.replace(/\p{Surrogate}/gu, '');
}
