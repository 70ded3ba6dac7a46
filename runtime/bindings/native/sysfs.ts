/**
 * Reads the USB bus from /sys/bus/usb/devices (Linux, Documentation/ABI/stable/sysfs-bus-usb): needs no permission, is
 * always current and opens no device.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsbIdentity } from '../usb.ts';
import { usbIdentity } from '../usb-identity.ts';

/** Where a device is on the bus. */
export interface SysfsDevice {
  /** The entry's name: bus-port[.port...]. */
  readonly port: string;
  readonly bus: number;
  /** Address on the bus (`devnum`); a device gets a new one each time it is connected. */
  readonly address: number;
}

/** bus-port[.port...]; interfaces carry a colon, root hubs are called usbN. */
const PORT_PATH = /^\d+-\d+(\.\d+)*$/;
const DEVICE_DESCRIPTOR_BYTES = 18;
const CONFIGURATION = 2;
/** No configuration descriptor is longer: wTotalLength has 16 bits, bNumConfigurations is small. */
const DESCRIPTORS_LIMIT_BYTES = 256 * 1024;

/** The devices on all buses, without root hubs; undefined if the operating system has no USB bus. */
export async function listDevices(sysfs: string): Promise<SysfsDevice[] | undefined> {
  const names = await readdir(sysfs).catch(() => []);
  if (names.length === 0) return undefined;
  const devices = await Promise.all(names.filter((name) => PORT_PATH.test(name)).map((port) => deviceAt(sysfs, port)));
  // A device that was disconnected meanwhile has no numbers.
  return devices.filter(({ bus, address }) => bus > 0 && address > 0);
}

/** The device at a port; `bus` and `address` are NaN if there is none. */
export async function deviceAt(sysfs: string, port: string): Promise<SysfsDevice> {
  const [bus, address] = await Promise.all([attribute(sysfs, port, 'busnum'), attribute(sysfs, port, 'devnum')]);
  return { port, bus: Number(bus), address: Number(address) };
}

/** The identity of a device; undefined until Linux has configured it, unless `unconfigured` is true. */
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

/** The device descriptor and the active configuration, out of the file `descriptors`, which has all configurations. */
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

/** The text of a sysfs attribute; undefined if the device does not have it. */
async function attribute(sysfs: string, port: string, name: string): Promise<string | undefined> {
  const text = await readFile(join(sysfs, port, name), 'utf8').catch(() => undefined);
  return text?.replace(/\n$/, '');
}
