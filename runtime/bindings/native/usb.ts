/** The machine's own USB bus: devices are found through sysfs, and driven through libusb once one is opened. */
import { constants, type FSWatcher, watch } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsbBinding, UsbListener } from '../bindings.ts';
import { identifyDevice, listDevices, type SysfsDevice } from './sysfs.ts';
import { NativeUsbDevice } from './usb-device.ts';

/** Changes of the device nodes wake a scan; this is for what no watch reports. */
const RESCAN_MS = 1000;
/** How often a device is looked at while the kernel sets it up, and how long before it is reported as it stands. */
const SETTLING_MS = 50;
const SETTLED_AFTER_MS = 2000;
const HUB = 9;

export interface UsbPaths {
  readonly sysfs?: string;
  readonly devfs?: string;
}

export const createUsbBinding = ({
  sysfs = '/sys/bus/usb/devices',
  devfs = '/dev/bus/usb',
}: UsbPaths = {}): UsbBinding => new NativeUsb(sysfs, devfs);

class NativeUsb implements UsbBinding {
  readonly #sysfs: string;
  readonly #devfs: string;
  #state: UsbBinding['state'] = 'no_bus';
  #listener: UsbListener | undefined;
  /** What the listener knows of, by port path. */
  readonly #devices = new Map<string, NativeUsbDevice>();
  /** When a device that is not set up yet was first seen. */
  readonly #settling = new Map<string, number>();
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

  /** One scan at a time; what changes meanwhile is seen by the next. */
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

  /** The folder of buses and each bus's folder of nodes; they come and go with their controllers. */
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
      // Gone again, or no watch left in this kernel: the timer finds the changes, only later.
    }
  }

  async #compare(found: readonly SysfsDevice[]): Promise<void> {
    for (const [port, device] of this.#devices) {
      if (found.some((each) => device.is(each))) continue;
      this.#devices.delete(port);
      device.unplugged();
      this.#listener?.disconnect(device);
    }
    const settling = found.filter(({ port }) => !this.#devices.has(port));
    for (const key of this.#settling.keys())
      if (!settling.some((each) => keyOf(each) === key)) this.#settling.delete(key);
    for (const each of settling) await this.#meet(each);
  }

  async #meet(found: SysfsDevice): Promise<void> {
    const since = this.#settling.get(keyOf(found)) ?? performance.now();
    const unconfigured = performance.now() - since >= SETTLED_AFTER_MS;
    const identity = await identifyDevice(this.#sysfs, found.port, { unconfigured });
    if (!identity) {
      this.#settling.set(keyOf(found), since);
      return;
    }
    this.#settling.delete(keyOf(found));
    if (!this.#listener) return;
    const device = new NativeUsbDevice(identity, found, () => void this.#rescan());
    this.#devices.set(found.port, device);
    this.#listener.connect(device);
  }

  /** Whether any node may be opened. Hubs do not count: the kernel drives them, and nobody else may. */
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
