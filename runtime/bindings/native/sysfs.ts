/**
 * The USB bus as Linux shows it under /sys/bus/usb/devices (Documentation/ABI/stable/sysfs-bus-usb): readable by
 * everybody, never stale, and without opening a device.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsbIdentity } from '../bindings.ts';
import { usbIdentity } from '../usb-identity.ts';

export interface SysfsDevice {
  /** The entry's name: bus-port[.port...]. */
  readonly port: string;
  readonly bus: number;
  /** The address on the bus: each time a device is plugged in it gets the next one. */
  readonly address: number;
}

/** bus-port[.port...]; interfaces carry a colon, root hubs are called usbN. */
const PORT_PATH = /^\d+-\d+(\.\d+)*$/;
const DEVICE_DESCRIPTOR_BYTES = 18;
const CONFIGURATION = 2;
/** No configuration descriptor is longer: wTotalLength has 16 bits, bNumConfigurations is small. */
const DESCRIPTORS_LIMIT_BYTES = 256 * 1024;

/** Devices on all buses, root hubs left out; undefined where the kernel has no USB bus. */
export async function listDevices(sysfs: string): Promise<SysfsDevice[] | undefined> {
  const names = await readdir(sysfs).catch(() => []);
  if (names.length === 0) return undefined;
  const devices = await Promise.all(names.filter((name) => PORT_PATH.test(name)).map((port) => deviceAt(sysfs, port)));
  // One that was pulled out while it was read has no numbers left.
  return devices.filter(({ bus, address }) => bus > 0 && address > 0);
}

/** Without numbers where there is none. */
export async function deviceAt(sysfs: string, port: string): Promise<SysfsDevice> {
  const [bus, address] = await Promise.all([attribute(sysfs, port, 'busnum'), attribute(sysfs, port, 'devnum')]);
  return { port, bus: Number(bus), address: Number(address) };
}

/** Undefined while the kernel is still setting the device up; `unconfigured: true` takes one without configuration. */
export async function identifyDevice(
  sysfs: string,
  port: string,
  { unconfigured }: { readonly unconfigured: boolean },
): Promise<UsbIdentity | undefined> {
  const configuration = await attribute(sysfs, port, 'bConfigurationValue');
  const descriptors = await readFile(join(sysfs, port, 'descriptors')).catch(() => undefined);
  if (!descriptors || (!configuration && !unconfigured)) return undefined;
  const [make, model, serial] = await Promise.all(
    ['manufacturer', 'product', 'serial'].map((name) => attribute(sysfs, port, name)),
  );
  const active = activeConfiguration(descriptors.subarray(0, DESCRIPTORS_LIMIT_BYTES), Number(configuration));
  return usbIdentity(active, { make, model, serial }, port);
}

/** The device descriptor and the configuration in use; the kernel's file holds all configurations one after the other. */
function activeConfiguration(descriptors: Uint8Array, value: number): Uint8Array {
  for (let at = DEVICE_DESCRIPTOR_BYTES; descriptors[at + 1] === CONFIGURATION; ) {
    const length = (descriptors[at + 2] ?? 0) | ((descriptors[at + 3] ?? 0) << 8);
    if (length === 0) break;
    if (descriptors[at + 5] === value)
      return Buffer.concat([descriptors.subarray(0, DEVICE_DESCRIPTOR_BYTES), descriptors.subarray(at, at + length)]);
    at += length;
  }
  return descriptors;
}

/** A line of text; undefined where the device has none. */
async function attribute(sysfs: string, port: string, name: string): Promise<string | undefined> {
  const text = await readFile(join(sysfs, port, name), 'utf8').catch(() => undefined);
  return text?.replace(/\n$/, '');
}
