/** The machine's USB bus: devices are found through sysfs; libusb drives those that are opened. */
import { constants, type FSWatcher, watch } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsbBinding, UsbListener } from '../usb.ts';
import { deviceAt, identifyDevice, listDevices, type SysfsDevice } from './sysfs.ts';
import { NativeUsbDevice } from './usb-device.ts';

/** Interval of scans. A change of a device node causes one at once, if the kernel has a file watch left. */
const RESCAN_MS = 1000;
/** Interval of scans while the kernel configures a new device, and the time after which it is reported unconfigured. */
const SETTLING_MS = 50;
const SETTLED_AFTER_MS = 2000;
/**
 * A device that libusb reports as gone may remain in sysfs this long; then it is connected again. Doubles each time.
 */
const LOST_MS = 2000;
const HUB = 9;

/** For tests. */
export interface UsbPaths {
  /** Instead of /sys/bus/usb/devices. */
  readonly sysfs?: string;
  /** Instead of /dev/bus/usb. */
  readonly devfs?: string;
}

/** The USB bus of this machine. Opens nothing before `start`. */
export const createUsbBinding = ({
  sysfs = '/sys/bus/usb/devices',
  devfs = '/dev/bus/usb',
}: UsbPaths = {}): UsbBinding => new NativeUsb(sysfs, devfs);

class NativeUsb implements UsbBinding {
  readonly #sysfs: string;
  readonly #devfs: string;
  #state: UsbBinding['state'] = 'no_bus';
  #listener: UsbListener | undefined;
  /** Devices that were reported as connected, by port path. */
  readonly #devices = new Map<string, NativeUsbDevice>();
  /** Devices that the kernel has not configured yet, and when each was first seen. */
  readonly #settling = new Map<string, number>();
  /** Devices that libusb reports as gone and sysfs still lists, and until when they are ignored. */
  readonly #lost = new Map<string, { readonly patienceMs: number; readonly until: number }>();
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #scan: Promise<void> | undefined;
  #scanAgain = false;

  constructor(sysfs: string, devfs: string) {
    this.#sysfs = sysfs;
    this.#devfs = devfs;
  }

  get state(): UsbBinding['state'] {
    return this.#state;
  }

  async start(listener: UsbListener): Promise<void> {
    this.#listener = listener;
    await this.#rescan();
  }

  async stop(): Promise<void> {
    this.#listener = undefined;
    await this.#scan;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    const devices = [...this.#devices.values()];
    this.#devices.clear();
    await Promise.all(devices.map((device) => device.close()));
  }

  /** Scans the bus; changes during a scan cause another one after it. */
  #rescan(): Promise<void> {
    this.#scanAgain = true;
    this.#scan ??= this.#scanWhileAsked().finally(() => {
      this.#scan = undefined;
    });
    return this.#scan;
  }

  async #scanWhileAsked(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#scanAgain && this.#listener) {
      this.#scanAgain = false;
      await this.#watchNodes();
      const found = await listDevices(this.#sysfs);
      await this.#compare(found ?? []);
      this.#state = found === undefined ? 'no_bus' : (await this.#mayOpen()) ? 'ok' : 'no_access';
    }
    const wait = this.#settling.size > 0 ? SETTLING_MS : RESCAN_MS;
    if (this.#listener) this.#timer = setTimeout(() => void this.#rescan(), wait).unref();
  }

  /** Watches the directory of buses and the device nodes of each; a bus appears and disappears with its controller. */
  async #watchNodes(): Promise<void> {
    const buses = await readdir(this.#devfs).catch(() => undefined);
    const wanted = buses ? [this.#devfs, ...buses.map((bus) => join(this.#devfs, bus))] : [];
    for (const [path, watcher] of this.#watchers) {
      if (wanted.includes(path)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    for (const path of wanted) if (!this.#watchers.has(path)) this.#watch(path);
  }

  #watch(path: string): void {
    try {
      const watcher = watch(path, { persistent: false }, () => void this.#rescan());
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(path);
      });
      this.#watchers.set(path, watcher);
    } catch {
      // Removed meanwhile, or no file watch left in the kernel: the timer finds changes, only later.
    }
  }

  async #compare(found: readonly SysfsDevice[]): Promise<void> {
    for (const [port, device] of this.#devices) {
      const listed = found.find((each) => device.is(each));
      if (listed && !device.gone) continue;
      if (listed) this.#lose(listed);
      this.#devices.delete(port);
      device.unplugged();
      this.#listener?.disconnect(device);
    }
    for (const key of this.#lost.keys()) if (!found.some((each) => keyOf(each) === key)) this.#lost.delete(key);
    const settling = found.filter(({ port }) => !this.#devices.has(port));
    for (const key of this.#settling.keys())
      if (!settling.some((each) => keyOf(each) === key)) this.#settling.delete(key);
    for (const each of settling) await this.#meet(each);
  }

  #lose(found: SysfsDevice): void {
    const patienceMs = 2 * (this.#lost.get(keyOf(found))?.patienceMs ?? LOST_MS / 2);
    this.#lost.set(keyOf(found), { patienceMs, until: performance.now() + patienceMs });
  }

  async #meet(found: SysfsDevice): Promise<void> {
    if (performance.now() < (this.#lost.get(keyOf(found))?.until ?? 0)) return;
    const since = this.#settling.get(keyOf(found)) ?? performance.now();
    const unconfigured = performance.now() - since >= SETTLED_AFTER_MS;
    const identity = await identifyDevice(this.#sysfs, found.port, { unconfigured });
    if (!identity) {
      this.#settling.set(keyOf(found), since);
      return;
    }
    this.#settling.delete(keyOf(found));
    // If it was unplugged while it was read, the values may be those of the next device on this port.
    const device = new NativeUsbDevice(identity, found, () => void this.#rescan());
    if (!device.is(await deviceAt(this.#sysfs, found.port))) {
      this.#scanAgain = true;
      return;
    }
    if (!this.#listener) return;
    this.#devices.set(found.port, device);
    this.#listener.connect(device);
  }

  /** Whether this process may open any device node. Hubs do not count: only the kernel drives them. */
  async #mayOpen(): Promise<boolean> {
    const devices = [...this.#devices.values()].filter(({ identity }) => identity.class !== HUB);
    if (devices.length === 0) return permits(this.#devfs, constants.F_OK);
    const mode = constants.R_OK | constants.W_OK;
    const answers = await Promise.all(devices.map((device) => permits(join(this.#devfs, device.node), mode)));
    return answers.includes(true);
  }
}

const permits = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

const keyOf = ({ port, address }: SysfsDevice): string => `${port}#${address}`;
