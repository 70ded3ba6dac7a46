/** The machine's own USB bus: devices are found through sysfs, and driven through libusb once one is opened. */
import { constants, type FSWatcher, watch } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsbBinding, UsbListener } from '../bindings.ts';
import { deviceAt, identifyDevice, listDevices, type SysfsDevice } from './sysfs.ts';
import { NativeUsbDevice } from './usb-device.ts';

/** Changes of the device nodes wake a scan; this is for what no watch reports. */
const RESCAN_MS = 1000;
/** How often a device is looked at while the kernel sets it up, and how long before it is reported as it stands. */
const SETTLING_MS = 50;
const SETTLED_AFTER_MS = 2000;
/** How long a device that libusb has lost may stay in the kernel's list before it is met anew; then twice as long. */
const LOST_MS = 2000;
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
  /** Devices that libusb has lost and the kernel still lists, and until when nothing more is expected of them. */
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
    // Pulled out while it was read: what was read may be of the next one.
    const device = new NativeUsbDevice(identity, found, () => void this.#rescan());
    if (!device.is(await deviceAt(this.#sysfs, found.port))) {
      this.#scanAgain = true;
      return;
    }
    if (!this.#listener) return;
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
