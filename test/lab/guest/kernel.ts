/** The guest's own kernel: modules, udevd, and what sysfs says of a driver. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

export const load = (module: string, ...parameters: string[]): void => {
  execFileSync('modprobe', [module, ...parameters]);
};

const USB_DEVICES = '/sys/bus/usb/devices';

/** Four virtual ports with a high-speed bus each, and configfs to build devices for them. */
export function loadUsb(): void {
  load('dummy_hcd', 'num=4', 'is_high_speed=1');
  load('libcomposite');
  for (const module of ['usb_f_printer', 'usblp', 'usb_f_hid', 'usbhid', 'hid_generic', 'evdev']) load(module);
  for (const module of ['usb_f_acm', 'cdc_acm', 'usb_f_fs']) load(module);
  // A systemd that saw the module come has done so.
  if (!readFileSync('/proc/mounts', 'utf8').includes(' /sys/kernel/config ')) {
    execFileSync('mount', ['-t', 'configfs', 'none', '/sys/kernel/config']);
  }
}

export function startUdev(): void {
  mkdirSync('/run/udev', { recursive: true });
  execFileSync('/lib/systemd/systemd-udevd', ['--daemon'], { stdio: 'ignore' });
  execFileSync('udevadm', ['control', '--ping']);
}

/** Name of the kernel driver of a device's interface 0, for example `usblp`. */
export function driverOf(port: string): string | undefined {
  try {
    return basename(readlinkSync(`/sys/bus/usb/devices/${port}:1.0/driver`));
  } catch {
    return undefined;
  }
}

/** Whether the host's end of the bus has such a device, or has it with its configuration set. */
export function hostHas(device: { vendorId: string; productId: string }, how: 'seen' | 'configured'): boolean {
  return readdirSync(USB_DEVICES).some((name) => {
    const attribute = (file: string) => {
      try {
        return readFileSync(`${USB_DEVICES}/${name}/${file}`, 'utf8').trim();
      } catch {
        return undefined;
      }
    };
    if (attribute('idVendor') !== device.vendorId || attribute('idProduct') !== device.productId) return false;
    return how === 'seen' || attribute('bConfigurationValue') === '1';
  });
}

/** How many device nodes of the USB bus this process holds open. */
export const openNodes = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('/dev/bus/usb/');
    } catch {
      return false;
    }
  }).length;

/** Devices under /dev/input that the kernel's own keyboard driver made for a USB device: it would type. */
export const inputEventsOf = (vendorId: string, productId: string): string[] =>
  readFileSync('/proc/bus/input/devices', 'utf8')
    .split('\n\n')
    .filter((block) => block.includes(`Vendor=${vendorId} Product=${productId}`))
    .flatMap((block) => block.match(/event\d+/g) ?? []);
