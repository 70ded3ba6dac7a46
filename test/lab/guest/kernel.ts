/** The guest's own kernel: modules, udevd, and what sysfs says of a driver. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

export const load = (module: string, ...parameters: string[]): void => {
  execFileSync('modprobe', [module, ...parameters]);
};

/** Four virtual ports with a high-speed bus each, and configfs to build devices for them. */
export function loadUsb(): void {
  load('dummy_hcd', 'num=4', 'is_high_speed=1');
  load('libcomposite');
  load('usb_f_printer');
  load('usblp');
  execFileSync('mount', ['-t', 'configfs', 'none', '/sys/kernel/config']);
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

/** How many device nodes of the USB bus this process holds open. */
export const openNodes = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith('/dev/bus/usb/');
    } catch {
      return false;
    }
  }).length;
